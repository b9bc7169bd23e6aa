/// The reason why a subscription cannot be used. No case holds a part of the subscription.
public enum WebPushSubscriptionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is not a JSON object, or is too large.
    case notJSON
    /// `endpoint` is missing, too long, or no `https` URL with a DNS name.
    case badEndpoint
    /// `keys.p256dh` is missing, not base64url, or no uncompressed point.
    case badKey
    /// `keys.auth` is missing, not base64url, or not 16 bytes.
    case badSecret
    /// The bytes are no stored subscription.
    case badBytes

    /// A sentence without its subject.
    public var description: String {
        switch self {
        case .notJSON: "is not a JSON object of at most \(WebPushSubscription.maximumJSONBytes) bytes"
        case .badEndpoint:
            "has no endpoint that is an https URL with a DNS name, of at most "
                + "\(WebPushSubscription.maximumEndpointBytes) bytes"
        case .badKey: "has no keys.p256dh of \(WebPushSubscription.publicKeyBytes) bytes in base64url"
        case .badSecret: "has no keys.auth of \(WebPushSubscription.secretBytes) bytes in base64url"
        case .badBytes: "is stored in a form that is not known"
        }
    }
}
