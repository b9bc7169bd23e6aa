import Foundation

/// Colours, where they are wanted.
package struct ANSIStyle {
    /// How a line is told apart from others.
    package enum Style {
        /// As it is.
        case plain
        /// The head of a table.
        case heading
        /// What matters less.
        case faint
        /// All is well.
        case good
        /// Somebody should look.
        case warning
        /// Something is wrong.
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

    /// Whether anything is coloured.
    package let isOn: Bool

    /// Colours, or none.
    package init(isOn: Bool) {
        self.isOn = isOn
    }

    /// Colours for a terminal, unless NO_COLOR (https://no-color.org) or a terminal that has none forbids them.
    package static func wanted(isTerminal: Bool, environment: [String: String] = ProcessInfo.processInfo.environment)
        -> ANSIStyle
    {
        ANSIStyle(isOn: isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb")
    }

    /// The text in a style.
    package func paint(_ text: String, _ style: Style) -> String {
        guard isOn, let code = style.code, !text.isEmpty else { return text }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
}
