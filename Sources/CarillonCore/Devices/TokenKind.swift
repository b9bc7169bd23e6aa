/// The kind of a token: it decides push type, topic suffix and limits (Protocol 10.3).
public enum TokenKind: UInt8, Hashable, Sendable, CaseIterable {
    /// Alerts and background pushes.
    case device = 1
    /// Calls (PushKit).
    case voip = 2
    /// A Live Activity: start or update token.
    case liveactivity = 3
    /// WidgetKit widgets.
    case widget = 4
    /// WidgetKit controls.
    case control = 5
    /// Push to Talk channels.
    case pushtotalk = 6
    /// File Provider domains.
    case fileprovider = 7
    /// Location queries.
    case location = 8
    /// Watch complications.
    case complication = 9
    /// Device management.
    case mdm = 10

    /// The name used in files, flags and messages.
    public var name: String {
        // Not `String(describing:)`: that takes a microsecond, and every registration reads the name.
        switch self {
        case .device: "device"
        case .voip: "voip"
        case .liveactivity: "liveactivity"
        case .widget: "widget"
        case .control: "control"
        case .pushtotalk: "pushtotalk"
        case .fileprovider: "fileprovider"
        case .location: "location"
        case .complication: "complication"
        case .mdm: "mdm"
        }
    }

    /// The kind of that name; nil if there is none.
    public init?(name: String) {
        guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = match
    }
}
