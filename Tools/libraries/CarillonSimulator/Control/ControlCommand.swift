/// A line of the control port: a word and its argument.
package struct ControlCommand {
    package let name: String
    package let argument: String

    /// Reads a line; nil if it is blank.
    init?(_ line: String) {
        let parts = line.split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
        guard let name = parts.first else { return nil }
        self.name = name
        argument = parts.count > 1 ? parts[1] : ""
    }
}

/// The response of the control port to a command.
package enum ControlResponse {
    case lines([String])
    /// The response has many lines. The function is called whenever the client has read the lines before; it returns
    /// nil at their end.
    case parts(() -> [String]?)
    /// The response has the counters, once the function that this one gets is called.
    case stats(when: (_ done: @escaping @Sendable () -> Void) -> Void)

    package static var done: ControlResponse { .line(#"{"ok":true}"#) }

    package static func line(_ line: String) -> ControlResponse { .lines([line]) }

    package static func error(_ text: String) -> ControlResponse { .line("{\"error\":\(quoted(text))}") }
}
