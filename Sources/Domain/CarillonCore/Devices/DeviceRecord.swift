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

    /// Returns true if the provider has probably forgotten the token. FCM forgets it after 270 days without contact
    /// with the device; APNs and browsers document no such time. The server knows only `seenAt`, the time at which the
    /// app last saw the token.
    public func isStale(at now: Timestamp) -> Bool {
        address.kind.provider == .fcm && now.milliseconds(since: seenAt) >= Self.maximumSilenceMilliseconds
    }

    /// How long FCM keeps the token of a silent device, in milliseconds.
    private static let maximumSilenceMilliseconds: UInt64 = 270 * Milliseconds.perDay
}
