/// The payloads of one message: one for each language, and one for devices of other languages.
public struct LocalizedPayload: Hashable, Sendable {
    /// The payload for devices whose language is not among the bodies; nil if they get nothing.
    public var payload: [UInt8]?
    /// The payloads in particular languages, ascending by the language tag in lower case.
    public var bodies: [LanguageBody]

    /// Makes payloads: one for devices of any language, and others for devices of certain languages.
    public init(payload: [UInt8]?, bodies: [LanguageBody]) {
        self.payload = payload
        self.bodies = bodies
    }
}
