import CarillonClock
import CarillonCore
import Logging
import Synchronization

/// The log of a pool's connections. The number of lines of one kind is limited (`LogRateLimit`).
final class ConnectionLog: Sendable {
    private let limit = Mutex(LogRateLimit())

    /// Writes a line, unless there were many with the same message. The next line that is written says how many were
    /// left out.
    func write(
        _ message: Logger.Message, metadata: Logger.Metadata, level: Logger.Level = .warning, to logger: Logger
    ) {
        let now = Clock.uptime()
        guard let omitted = limit.withLock({ $0.admitLine(of: "\(message)", at: now) }) else { return }
        var metadata = metadata
        if omitted > 0 { metadata["omitted_before"] = "\(omitted)" }
        logger.log(level: level, message, metadata: metadata)
    }
}
