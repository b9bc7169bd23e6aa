package import CarillonCore
import CarillonTLS

/// The check of a push subscription that a browser has made.
extension WebPushSubscription {
    /// True if the browser's key is a point of the curve: nothing can be encrypted for another.
    package var hasPointOfCurve: Bool { P256Point.isValid(publicKey) }

    /// The token of the device: the SHA-256 of the endpoint (Protocol 16.3).
    package var token: [UInt8] { SHA256.hash(Array(endpoint.utf8)) }
}
