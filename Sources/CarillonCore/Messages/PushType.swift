/// The kind of push, as APNs names it in `apns-push-type` (Protocol 10.4).
public enum PushType: UInt8, Hashable, Sendable, CaseIterable {
    /// Something the user sees or hears.
    case alert = 1
    /// Wakes the app silently.
    case background = 2
    /// Asks for the location of the user.
    case location = 3
    /// An incoming call.
    case voip = 4
    /// New data for a watch complication.
    case complication = 5
    /// Changes in a File Provider domain.
    case fileprovider = 6
    /// Asks a managed device to call its server.
    case mdm = 7
    /// Starts, updates or ends a Live Activity.
    case liveactivity = 8
    /// Speech or news in a Push to Talk channel.
    case pushtotalk = 9
    /// Reloads widgets.
    case widgets = 10
    /// Reloads controls.
    case controls = 11

    /// The value of the header `apns-push-type`, also used in files and flags.
    public var name: String { String(describing: self) }

    /// The push type of that name, or nothing.
    public init?(name: String) {
        guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = match
    }

    /// The token kind that takes this push type (Protocol 10.3).
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

    /// The priority used when the caller names none.
    public var usualPriority: Priority {
        self == .background ? .powerAware : .immediate
    }

    /// The priorities that APNs takes for this type.
    public var priorities: [Priority] {
        switch self {
        case .alert, .complication, .fileprovider, .mdm, .widgets, .controls: [.immediate, .powerAware, .never]
        case .background: [.powerAware, .never]
        case .location, .liveactivity: [.immediate, .powerAware]
        case .voip, .pushtotalk: [.immediate]
        }
    }

    /// Whether APNs takes it only with a provider token, never on a connection with a certificate.
    public var needsProviderToken: Bool {
        switch self {
        case .location, .fileprovider, .liveactivity, .widgets, .controls: true
        case .alert, .background, .voip, .complication, .mdm, .pushtotalk: false
        }
    }

    /// The largest payload, in bytes.
    public var payloadByteLimit: Int {
        self == .voip ? 5120 : 4096
    }
}

/// The value of the header `apns-priority`.
public enum Priority: UInt8, Hashable, Sendable {
    /// At once.
    case immediate = 10
    /// When it suits the power of the device.
    case powerAware = 5
    /// Never wakes the device.
    case never = 1
}

/// How long APNs keeps a push that it cannot deliver at once (header `apns-expiration`): three different things.
public enum Expiration: Hashable, Sendable {
    /// The header is absent: APNs decides, up to 30 days.
    case unspecified
    /// One attempt, not stored.
    case once
    /// Stored until that second of UNIX time.
    case at(seconds: UInt64)
}

/// Which queue a message waits in.
public enum Lane: UInt8, Hashable, Sendable, CaseIterable {
    /// One person waits for it.
    case interactive = 1
    /// A fan-out.
    case bulk = 2
}
