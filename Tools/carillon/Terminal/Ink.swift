import Foundation

/// Colours, where they are wanted.
struct Ink {
    /// How a line is told apart from others.
    enum Style {
        case plain
        case heading
        case faint
        case good
        case warning
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
    let isOn: Bool

    /// Colours for a terminal, unless NO_COLOR (https://no-color.org) or a terminal that has none forbids them.
    static func wanted(isTerminal: Bool, environment: [String: String] = ProcessInfo.processInfo.environment) -> Ink {
        Ink(isOn: isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb")
    }

    /// The text in a style.
    func paint(_ text: String, _ style: Style) -> String {
        guard isOn, let code = style.code, !text.isEmpty else { return text }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
}
