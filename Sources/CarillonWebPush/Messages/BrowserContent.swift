/// What a sender gives for browsers alone, beside the payload that all devices share.
package enum BrowserContent: Hashable, Sendable {
    /// Members of `notification` (declarative Web Push), as JSON: they override what is made of the payload; null
    /// removes one. `navigate` is one of them.
    case overrides([UInt8])
    /// The whole plaintext, any bytes: nothing is made of the payload. The service worker of the app reads it.
    case raw([UInt8])
}
