package import Logging

/// A log that keeps the entries that the code under test has written.
package final class RecordingLog: Sendable {
    /// One entry, without its time.
    package struct LoggedLine: Hashable, Sendable, CustomStringConvertible {
        package var label: String
        package var level: Logger.Level
        package var message: String
        /// The values of the entry and of its logger.
        package var metadata: [String: String]
        /// The keys of the entry itself.
        package var keys: Set<String>

        /// Makes an entry.
        ///
        /// - Parameter keys: by default all keys of the metadata.
        package init(
            label: String, level: Logger.Level, message: String, metadata: [String: String], keys: Set<String>? = nil
        ) {
            self.label = label
            self.level = level
            self.message = message
            self.metadata = metadata
            self.keys = keys ?? Set(metadata.keys)
        }

        /// The entry as `level message key=value…`, with its own values in the order of their keys.
        package var description: String {
            let values = keys.sorted().map { " \($0)=\(metadata[$0] ?? "")" }.joined()
            return "\(level) \(message)\(values)"
        }
    }

    private struct Handler: LogHandler {
        let log: RecordingLog
        let label: String
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let values = event.metadata ?? [:]
            let entry = LoggedLine(
                label: label, level: event.level, message: "\(event.message)",
                metadata: metadata.merging(values) { $1 }.mapValues { "\($0)" }, keys: Set(values.keys))
            log.entries.change { $0.append(entry) }
        }
    }

    /// The entries that were written, in order.
    package let entries = Watched<[LoggedLine]>([])

    package init() {}

    /// Makes a logger that writes here, at that level and above.
    package func logger(label: String = "test", level: Logger.Level = .trace) -> Logger {
        Logger(label: label) { Handler(log: self, label: $0, logLevel: level) }
    }

    /// A logger that writes everything here.
    package var logger: Logger { logger() }

    /// The entries as `level message key=value…`.
    package var lines: [String] { entries.now.map(\.description) }

    package var text: String { lines.joined(separator: "\n") }

    /// The entries as `level: message`.
    package var messages: [String] { entries.now.map { "\($0.level): \($0.message)" } }
}
