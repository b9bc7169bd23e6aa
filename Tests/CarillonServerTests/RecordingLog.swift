import Logging
import Synchronization

/// What the code under test has logged.
final class RecordingLog: Sendable {
    private struct Handler: LogHandler {
        let log: RecordingLog
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let words = (event.metadata ?? [:]).map { "\($0)=\($1)" }.sorted().joined(separator: " ")
            log.entries.withLock { $0.append(("\(event.level): \(event.message)", words)) }
        }
    }

    private let entries = Mutex<[(line: String, metadata: String)]>([])

    /// A logger that writes here.
    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }
    /// `level: message` of each entry, in order.
    var lines: [String] { entries.withLock { $0.map(\.line) } }
    /// `key=value` of all entries.
    var metadata: String { entries.withLock { $0.map(\.metadata).joined(separator: " ") } }
}
