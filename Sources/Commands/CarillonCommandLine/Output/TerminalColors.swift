import Foundation

/// The ANSI colors for a terminal; none if it has no colors.
package struct TerminalColors {
    package enum Style {
        case plain
        case heading
        /// Less important text.
        case faint
        /// A success.
        case good
        case warning
        /// An error.
        case bad

        fileprivate var code: String? {
            switch self {
            case .plain: nil
            case .heading: "1"
            case .faint: "2"
            case .good: "32"
            case .warning: "33"
            case .bad: "31"
            }
        }
    }

    package let isEnabled: Bool

    package init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }

    /// Returns the colors of a terminal: none if NO_COLOR (https://no-color.org) is set or the terminal has none.
    package static func detected(isTerminal: Bool, environment: [String: String] = ProcessInfo.processInfo.environment)
        -> TerminalColors
    {
        TerminalColors(
            isEnabled: isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb")
    }

    /// Returns the text with the escape sequences of a style.
    package func apply(_ style: Style, to text: String) -> String {
        guard isEnabled, let code = style.code, !text.isEmpty else { return text }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
}
