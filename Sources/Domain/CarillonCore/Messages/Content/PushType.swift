/// The push type: the value of APNs' header `apns-push-type` (Protocol 16.4).
public enum PushType: UInt8, Hashable, Sendable, CaseIterable {
    /// A notification that the user sees or hears.
    case alert = 1
    /// A push that wakes the app silently.
    case background = 2
    /// A question for the location of the user.
    case location = 3
    /// An incoming call.
    case voip = 4
    /// New data for a watch complication.
    case complication = 5
    /// Changes in a File Provider domain.
    case fileprovider = 6
    /// A push that asks a managed device to call its server.
    case mdm = 7
    /// A push that starts, updates or ends a Live Activity.
    case liveactivity = 8
    /// Audio or a change in a Push to Talk channel.
    case pushtotalk = 9
    /// A push that reloads widgets.
    case widgets = 10
    /// A push that reloads controls.
    case controls = 11

    /// The value of the header `apns-push-type`, also used in files and flags.
    public var name: String { String(describing: self) }

    /// Finds the push type of that name; returns nil if no push type has it.
    public init?(name: String) {
        guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = match
    }

    /// Returns true if this push type is sent to tokens of that kind (Protocol 16.3). Apple has a token kind for each
    /// type. FCM has only notifications and data, for each of its kinds. A browser must show every push.
    public func reaches(_ kind: TokenKind) -> Bool {
        switch kind.provider {
        case .apns: kind == tokenKind
        case .fcm: self == .alert || self == .background
        case .web: self == .alert
        }
    }

    /// The kind of APNs' tokens that this push type is sent to (Protocol 16.3).
    public var tokenKind: TokenKind {
        switch self {
        case .alert, .background: .device
        case .location: .location
        case .voip: .voip
        case .complication: .complication
        case .fileprovider: .fileprovider
        case .mdm: .mdm
        case .liveactivity: .liveactivity
        case .pushtotalk: .pushtotalk
        case .widgets: .widget
        case .controls: .control
        }
    }

    /// The priority that is used if the caller gives none.
    public var usualPriority: Priority {
        self == .background ? .powerAware : .immediate
    }

    /// The priorities that APNs accepts for this push type; a message to any provider has one of them.
    public var priorities: [Priority] {
        switch self {
        case .alert, .complication, .fileprovider, .mdm, .widgets, .controls: [.immediate, .powerAware, .never]
        case .background: [.powerAware, .never]
        case .location, .liveactivity: [.immediate, .powerAware]
        case .voip, .pushtotalk: [.immediate]
        }
    }

    /// True if APNs accepts the push type only with a provider token, never on a connection with a client certificate.
    public var needsProviderToken: Bool {
        switch self {
        case .location, .fileprovider, .liveactivity, .widgets, .controls: true
        case .alert, .background, .voip, .complication, .mdm, .pushtotalk: false
        }
    }

    /// The largest payload, in bytes.
    public var maximumPayloadBytes: Int {
        self == .voip ? 5120 : 4096
    }
}
