import CarillonClock
import CarillonCore
import Glibc
package import Logging

/// A handler that writes the log to standard error, a line for each entry, with one write.
package struct ServerLogHandler: LogHandler {
    package var logLevel = Logger.Level.info
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?

    private let label: String
    private let format: LogLine.Format
    private let hasPriority: Bool

    /// Makes the handler of a logger.
    ///
    /// - Parameter hasPriority: true if journald reads the lines: each begins with its priority.
    package init(label: String, format: LogLine.Format, hasPriority: Bool) {
        self.label = label
        self.format = format
        self.hasPriority = hasPriority
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var values = metadata
        if let provided = metadataProvider?.get() { values.merge(provided) { $1 } }
        if let eventMetadata = event.metadata { values.merge(eventMetadata) { $1 } }
        if let error = event.error { values["error"] = "\(error)" }
        let logLine = LogLine(
            time: Clock.wallTime(), level: event.level, label: label, source: event.source,
            message: "\(event.message)", values: values)
        write((hasPriority ? logLine.priority : "") + logLine.line(format) + "\n")
    }

    private func write(_ line: String) {
        var line = line
        line.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.write(STDERR_FILENO, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                // If standard error fails, there is no other place for the line.
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
        }
    }
}

/// The journal of systemd, as a reader of standard error.
package enum SystemdJournal {
    /// True if the variable JOURNAL_STREAM names standard error (systemd.exec(5)). A program that the service starts
    /// with another standard error inherits the variable.
    package static var readsStandardError: Bool {
        guard let variable = getenv("JOURNAL_STREAM") else { return false }
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return String(cString: variable) == "\(status.st_dev):\(status.st_ino)"
    }
}
