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
