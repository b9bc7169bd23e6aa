/// What a sender gives for Android devices alone, beside the payload that all devices share.
package enum AndroidContent: Hashable, Sendable {
    /// Members of `message.android` (`AndroidConfig`), as JSON: they override what is made of the payload, member by
    /// member; null removes one.
    case overrides([UInt8])
    /// The whole `message` but its target, as JSON: nothing is made of the payload.
    case raw([UInt8])

    /// The largest JSON of either, in bytes.
    package static let maximumBytes = 8_192
}
