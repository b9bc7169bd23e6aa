import CarillonTLS
import Glibc

/// The settings of the process, before it does anything else.
enum ProcessSetup {
    /// Makes writes to ended connections plain errors, allows as many open files as the system does, and forbids core
    /// dumps and debuggers, which would see keys.
    static func apply() {
        // A write to an ended connection must not end the process.
        signal(SIGPIPE, SIG_IGN)
        // It is handled when the server runs; until then it must not end the process.
        signal(SIGHUP, SIG_IGN)
        var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore)
        SecretBytes.forbidMemoryDumps()
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
