/// The content for browsers alone, beside the payload that all devices share (Protocol 10.1).
public enum WebContent: Hashable, Sendable {
    /// A JSON object. The members of `notification` override the members of the declarative push message that is made
    /// of the payload. `mutable`, `ttl`, `urgency` and `topic` override the values of the other fields. Null removes a
    /// value.
    case overrides([UInt8])
    /// The whole plaintext, a JSON object: nothing is made of the payload. The service worker of the app reads it.
    case raw([UInt8])

    /// The largest JSON of either, in bytes. Encrypted, a push service takes at most 3,993 of them.
    public static let maximumBytes = 4_096

    package var byteCount: Int {
        switch self {
        case .overrides(let bytes), .raw(let bytes): bytes.count
        }
    }
}
