import Logging
import Synchronization

/// A log that keeps its lines.
final class CapturedLog: Sendable {
    /// One line, without its time.
    struct Line: Equatable {
        var label: String
        var level: Logger.Level
        var text: String
        var metadata: [String: String]
    }

    private let written = Mutex<[Line]>([])

    /// The lines so far.
    var lines: [Line] { written.withLock { $0 } }

    /// A logger of that label that writes to this log.
    func logger(label: String) -> Logger {
        Logger(label: label) { Handler(log: self, label: $0) }
    }

    private struct Handler: LogHandler {
        let log: CapturedLog
        let label: String
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.warning

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            let line = Line(
                label: label, level: event.level, text: "\(event.message)", metadata: all.mapValues { "\($0)" })
            log.written.withLock { $0.append(line) }
        }
    }
}
