/// The response of the control port to a command.
package enum ControlResponse {
    case lines([String])
    /// The response has many lines. The function is called whenever the client has read the lines before; it returns
    /// nil at their end.
    case parts(() -> [String]?)
    /// The response has the counters, once the function that this one gets is called.
    case statsLater(when: (_ done: @escaping @Sendable () -> Void) -> Void)

    /// The response to a command that has no other result.
    package static var done: ControlResponse { .line(#"{"ok":true}"#) }

    package static func line(_ line: String) -> ControlResponse { .lines([line]) }

    /// Returns the response to a command that cannot be carried out.
    package static func error(_ text: String) -> ControlResponse { .line("{\"error\":\(text.asJSON)}") }
}
