import CarillonTLS
import Glibc

/// The settings of the process, which are made before it does anything else.
enum ProcessSetup {
    /// Makes writes to ended connections plain errors, allows as many open files as the system does, and forbids core
    /// dumps and debuggers, which would see keys.
    static func apply() {
        // A write to an ended connection must not end the process.
        signal(SIGPIPE, SIG_IGN)
        // The server handles SIGHUP when it runs; until then the signal must not end the process.
        signal(SIGHUP, SIG_IGN)
        var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore)
        SecretBytes.forbidMemoryDumps()
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Runs the program again in this process, with the same arguments, environment and process id. Ends the process if
    /// that fails.
    static func startAgain() -> Never {
        // The open files belong to the server that has ended. The new program must not inherit them.
        var number: CInt = 3
        while number < 65_536 {
            _ = fcntl(number, F_SETFD, FD_CLOEXEC)
            number += 1
        }
        // Threads of libraries have blocked signals, and the new program would inherit the mask.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        var arguments: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) }
        arguments.append(nil)
        execv("/proc/self/exe", arguments)
        printError("carillond: it cannot start again: \(String(cString: strerror(errno)))")
        exit(1)
    }
}
