import Logging

/// The log lines of a pool.
final class RecordingLog: Sendable {
    /// The lines, as `level message key=value…`, with the keys in order.
    let lines = Watched<[String]>([])

    /// The handler of a logger that writes here.
    var handler: any LogHandler { Handler(lines: lines) }

    private struct Handler: LogHandler {
        let lines: Watched<[String]>
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            lines.change { $0.append("\(event.level) \(event.message)\(fields)") }
        }
    }
}
