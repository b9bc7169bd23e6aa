/// The content for Android devices alone, beside the payload that all devices share (Protocol 10.1).
public enum AndroidContent: Hashable, Sendable {
    /// The members of `message.android` (`AndroidConfig` of FCM's REST reference), as JSON. They override the message
    /// that is made of the payload, member by member; null removes one.
    case overrides([UInt8])
    /// The whole `message` but its target, as JSON: nothing is made of the payload.
    case raw([UInt8])

    /// The largest JSON of either, in bytes.
    public static let maximumBytes = 8_192

    package var byteCount: Int {
        switch self {
        case .overrides(let bytes), .raw(let bytes): bytes.count
        }
    }
}
