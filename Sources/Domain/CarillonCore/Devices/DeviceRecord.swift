/// A device as it is stored (LOOKUP, Protocol 7.4).
public struct DeviceRecord: Hashable, Sendable {
    /// The server's number for the device.
    public var id: DeviceID
    /// The environment, the kind and the token.
    public var address: DeviceAddress
    /// The server's time of the last registration.
    public var registeredAt: Timestamp
    /// The time at which the app received the token.
    public var seenAt: Timestamp
    /// The state of the device, which decides whether it can be sent to.
    public var state: DeviceState
    /// The language tag; nil if it is not known.
    public var locale: String?
    /// The IANA time zone; nil if it is not known.
    public var timeZone: String?
    /// The attributes of the device itself, without those that are derived from the fields above.
    public var attributes: Attributes
    /// True if the device itself is muted; its groups may be as well.
    public var isMuted: Bool

    /// Makes a device that has no language, time zone or attributes and is not muted, unless they are given.
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

extension DeviceRecord {
    /// The platform of the device: its attribute `platform` if it has one, otherwise the platform of its provider
    /// (Conditions 1).
    public var platform: String { attributes[.platform]?.text ?? address.kind.provider.platform }

    /// Returns true if the provider is likely to have forgotten the token: FCM does so after 270 days without contact
    /// with the device. The server knows only `seenAt`, when the app has seen the token last. APNs and browsers name no
    /// time.
    public func isStale(at now: Timestamp) -> Bool {
        address.kind.provider == .fcm && now.milliseconds(since: seenAt) >= Self.maximumSilenceMilliseconds
    }

    /// The time for which FCM keeps the token of a silent device, in milliseconds.
    private static let maximumSilenceMilliseconds: UInt64 = 270 * 86_400_000
}

/// The state of a device, which decides whether it can be sent to.
public enum DeviceState: UInt8, Hashable, Sendable {
    /// The device can be sent to.
    case active = 1
    /// The provider has declared the token dead. The device is in no audience until it registers again.
    case quarantined = 2
}

/// A change of a device that stays registered (UPDATE_DEVICE, Protocol 7.5). A field that is nil stays as it is.
public struct DeviceUpdate: Hashable, Sendable {
    /// A language tag; empty removes the stored one.
    public var locale: String?
    /// An IANA time zone; empty removes the stored one.
    public var timeZone: String?
    /// Attributes to set or to remove, no key twice; other keys stay as they are.
    public var attributes: [AttributeChange]
    /// True if the device is muted: a muted device gets no pushes.
    public var isMuted: Bool?

    /// Makes an update; a field that is left out stays as it is.
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

/// The syntax of language tags and time zones. The lists of languages and zones change, so nothing but the syntax is
/// checked.
package enum DeviceFieldSyntax {
    /// Returns true if `tag` can be a language tag (RFC 5646): 2 to 35 letters, digits and `-`.
    package static func isLanguageTag(_ tag: String) -> Bool {
        (2...35).contains(tag.utf8.count)
            && tag.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
    }

    /// Returns true if `name` can be the name of a time zone in the IANA database: 1 to 64 bytes.
    package static func isTimeZone(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "/_+-".utf8.contains($0) }
    }
}
