import Glibc

/// What the process asks of the kernel before it does anything else.
enum ProcessSetup {
    /// Lets writes to vanished peers be errors, opens as many files as the system allows, and leaves no core dump with keys in it.
    static func apply() {
        // Writing to a peer that is gone is an error of one connection, not of the process.
        signal(SIGPIPE, SIG_IGN)
        // Reads files again, later: until then it must not end the process.
        signal(SIGHUP, SIG_IGN)
        var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore)
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
