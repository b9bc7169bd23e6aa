/// Which APNs a token belongs to (Protocol 10.3).
public enum Environment: UInt8, Hashable, Sendable, CaseIterable {
    /// Apps from the App Store, TestFlight and enterprise distribution.
    case production = 1
    /// Apps signed for development.
    case sandbox = 2

    /// The name used in files, flags and messages.
    public var name: String {
        switch self {
        case .production: "production"
        case .sandbox: "sandbox"
        }
    }

    /// The environment of that name, or nothing.
    public init?(name: String) {
        guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = match
    }
}

/// What a token is good for; it fixes push type, topic suffix and limits (Protocol 10.3).
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
        // Written out: every registration asks for it, and `String(describing:)` takes a microsecond.
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

    /// The kind of that name, or nothing.
    public init?(name: String) {
        guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = match
    }
}

/// The server's number for a device of an app; it survives a change of token (Protocol 7). Less than 2⁵².
public struct DeviceID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number.
    public let rawValue: UInt64

    /// Makes an id of its number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Orders by number, which is the order of registration.
    public static func < (left: DeviceID, right: DeviceID) -> Bool { left.rawValue < right.rawValue }

    /// The number in decimal.
    public var description: String { String(rawValue) }
}

/// The address of one registration: environment, kind and token.
public struct DeviceAddress: Hashable, Sendable {
    /// Which APNs.
    public var environment: Environment
    /// What the token is good for.
    public var kind: TokenKind
    /// The token.
    public var token: DeviceToken

    /// Makes an address of its parts.
    public init(environment: Environment, kind: TokenKind, token: DeviceToken) {
        self.environment = environment
        self.kind = kind
        self.token = token
    }
}

/// How a caller names a device: by its address or by its id (type `device`, Protocol 4.1).
public enum DeviceReference: Hashable, Sendable {
    /// By environment, kind and token.
    case address(DeviceAddress)
    /// By the id that the server gave.
    case id(DeviceID)
}

/// What a caller says when an app reports its token (REGISTER, Protocol 7.1).
public struct Registration: Hashable, Sendable {
    /// The app.
    public var app: AppID
    /// Environment, kind and token.
    public var address: DeviceAddress
    /// When the app saw the token; zero stands for now. Of two reports the later wins.
    public var seenAt: Timestamp
    /// The token that this one takes the place of.
    public var replaces: DeviceToken?
    /// A language tag; empty forgets the stored one, absent leaves it.
    public var locale: String?
    /// An IANA time zone; empty forgets the stored one, absent leaves it.
    public var timeZone: String?
    /// Attributes to set or to forget, no key twice; absent keys are left.
    public var attributes: [AttributeChange]
    /// Topics that the device itself is subscribed to in the same step; at most `listLimit`.
    public var topics: [TopicName]
    /// Groups that it joins in the same step; at most `listLimit`.
    public var groups: [GroupName]

    /// Topics, and groups, of one registration at most.
    public static let listLimit = 64

    /// Makes a registration.
    public init(
        app: AppID,
        address: DeviceAddress,
        seenAt: Timestamp = .zero,
        replaces: DeviceToken? = nil,
        locale: String? = nil,
        timeZone: String? = nil,
        attributes: [AttributeChange] = [],
        topics: [TopicName] = [],
        groups: [GroupName] = []
    ) {
        self.app = app
        self.address = address
        self.seenAt = seenAt
        self.replaces = replaces
        self.locale = locale
        self.timeZone = timeZone
        self.attributes = attributes
        self.topics = topics
        self.groups = groups
    }
}

/// What changes of a device that stays registered (UPDATE_DEVICE, Protocol 7.5); what is absent is left as it is.
public struct DeviceUpdate: Hashable, Sendable {
    /// A language tag; empty forgets the stored one.
    public var locale: String?
    /// An IANA time zone; empty forgets the stored one.
    public var timeZone: String?
    /// Attributes to set or to forget, no key twice; absent keys are left.
    public var attributes: [AttributeChange]
    /// Whether the device gets nothing at all.
    public var isMuted: Bool?

    /// Makes an update.
    public init(
        locale: String? = nil,
        timeZone: String? = nil,
        attributes: [AttributeChange] = [],
        isMuted: Bool? = nil
    ) {
        self.locale = locale
        self.timeZone = timeZone
        self.attributes = attributes
        self.isMuted = isMuted
    }
}

/// What a registration did (Protocol 7.1). An open set: a later server may know more.
public struct RegistrationResult: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: UInt8

    /// Makes a result of its number.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A device was made.
    public static let created = RegistrationResult(rawValue: 1)
    /// The device was known; its times and fields are new.
    public static let refreshed = RegistrationResult(rawValue: 2)
    /// The device of the replaced token has this token now.
    public static let replaced = RegistrationResult(rawValue: 3)

    /// The name used in output.
    public var description: String {
        switch self {
        case .created: "created"
        case .refreshed: "refreshed"
        case .replaced: "replaced"
        default: "result-\(rawValue)"
        }
    }
}

/// Whether a device can be sent to.
public enum DeviceState: UInt8, Hashable, Sendable {
    /// In use.
    case active = 1
    /// APNs has declared the token dead; out of every audience until it registers again.
    case quarantined = 2
}

/// What the registry knows of a device (LOOKUP, Protocol 7.4).
public struct Device: Hashable, Sendable {
    /// The server's number for it.
    public var id: DeviceID
    /// Environment, kind and token.
    public var address: DeviceAddress
    /// Server's time of the last registration.
    public var registeredAt: Timestamp
    /// When the app saw the token.
    public var seenAt: Timestamp
    /// Whether it can be sent to.
    public var state: DeviceState
    /// Language tag, if known.
    public var locale: String?
    /// IANA time zone, if known.
    public var timeZone: String?
    /// Its own attributes, without those that follow from the fields above.
    public var attributes: Attributes
    /// Whether the device itself is muted; its groups may be as well.
    public var isMuted: Bool

    /// Makes a record.
    public init(
        id: DeviceID,
        address: DeviceAddress,
        registeredAt: Timestamp,
        seenAt: Timestamp,
        state: DeviceState,
        locale: String? = nil,
        timeZone: String? = nil,
        attributes: Attributes = Attributes(),
        isMuted: Bool = false
    ) {
        self.id = id
        self.address = address
        self.registeredAt = registeredAt
        self.seenAt = seenAt
        self.state = state
        self.locale = locale
        self.timeZone = timeZone
        self.attributes = attributes
        self.isMuted = isMuted
    }
}
