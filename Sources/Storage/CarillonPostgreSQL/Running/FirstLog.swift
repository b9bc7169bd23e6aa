import CarillonCore
import Synchronization

/// The name of the log to which a process has connected first.
final class FirstLog: Sendable {
    private let log = Mutex<UUIDBytes?>(nil)

    init(_ log: UUIDBytes?) { self.log.withLock { $0 = log } }

    /// Remembers the first log that was found, and returns true if this log is that one.
    func rememberOrCompare(_ found: UUIDBytes) -> Bool {
        log.withLock { log in
            if log == nil { log = found }
            return log == found
        }
    }
}
