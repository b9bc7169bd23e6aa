/// The payloads of one message: one for each language, and one for devices of other languages.
public struct LocalizedPayload: Hashable, Sendable {
    /// The payload for devices whose language is not among the bodies; nil if they get nothing.
    public var payload: [UInt8]?
    /// Ascending by the language tag in lower case.
    public var bodies: [LanguageBody]

    /// Makes the payload of all devices, and those of devices with certain languages.
    public init(payload: [UInt8]?, bodies: [LanguageBody]) {
        self.payload = payload
        self.bodies = bodies
    }
}
