import CarillonCore
import Logging

/// One entry of the log, to be written as a line of either format. No I/O.
package struct LogLine {
    /// The setting `log.format`.
    package enum Format: String, CaseIterable, Sendable {
        /// Text with blanks: time, level, label, values, module, message.
        case text
        /// A JSON object.
        case json
    }

    var time: Timestamp
    var level: Logger.Level
    /// The name of the logger.
    var label: String
    /// The module.
    var source: String
    var message: String
    var values: Logger.Metadata

    /// The names of the members of JSON that are no values.
    private static let members: Set<String> = ["time", "level", "logger", "source", "msg"]

    /// Returns the line without a line feed. Text from clients cannot begin another line, or another value.
    func line(_ format: Format) -> String {
        let values = values.sorted { $0.key < $1.key }
        switch format {
        case .text:
            let texts = values.map { " \($0.key)=\(Self.quoted($0.value.description))" }.joined()
            return "\(Self.text(of: time)) \(level) \(label):\(texts) [\(source)] \(message)"
        case .json:
            var parts = [
                ("time", Self.text(of: time)), ("level", level.rawValue), ("logger", label), ("source", source),
            ].map {
                "\(Self.json($0)):\(Self.json($1))"
            }
            parts.append("\"msg\":\(Self.json(message))")
            parts += values.map { key, value in
                // The name of a value never replaces another member.
                "\(Self.json(Self.members.contains(key) ? "_" + key : key)):\(Self.json(value))"
            }
            return "{\(parts.joined(separator: ","))}"
        }
    }

    /// The priority of syslog(3) that journald reads at the beginning of a line (sd-daemon(3)).
    var priority: String {
        switch level {
        case .trace, .debug: "<7>"
        case .info: "<6>"
        case .notice: "<5>"
        case .warning: "<4>"
        case .error: "<3>"
        case .critical: "<2>"
        }
    }

    /// Returns a value of the text form: in quotes if it has blanks, quotes or control characters, or is empty.
    private static func quoted(_ value: String) -> String {
        let isPlain =
            !value.isEmpty && value.unicodeScalars.allSatisfy { $0.value > 0x20 && $0 != "\"" && $0.value != 0x7F }
        // An apostrophe needs no escape.
        return isPlain ? value : value.debugDescription.replacing("\\'", with: "'")
    }

    private static func json(_ value: Logger.MetadataValue) -> String {
        switch value {
        case .string(let text): json(text)
        case .stringConvertible(let value): json(value.description)
        case .array(let items): "[\(items.map { json($0) }.joined(separator: ","))]"
        case .dictionary(let members):
            "{\(members.sorted { $0.key < $1.key }.map { "\(json($0.key)):\(json($0.value))" }.joined(separator: ","))}"
        }
    }

    private static func json(_ text: String) -> String { JSONValue.quoted(text) }

    /// Returns the time as RFC 3339 has it, in UTC with milliseconds.
    static func text(of time: Timestamp) -> String {
        func digits(_ number: Int, count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let date = GregorianDate(of: time)
        let day = [digits(date.year, count: 4), digits(date.month, count: 2), digits(date.day, count: 2)]
        let rest = time.milliseconds % Milliseconds.perDay
        let clock = [rest / Milliseconds.perHour, rest / Milliseconds.perMinute % 60, rest / 1_000 % 60]
            .map { digits(Int($0), count: 2) }
        return "\(day.joined(separator: "-"))T\(clock.joined(separator: ":")).\(digits(Int(rest % 1_000), count: 3))Z"
    }
}
