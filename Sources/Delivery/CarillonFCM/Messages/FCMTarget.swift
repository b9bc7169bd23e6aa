import CarillonCore

/// The target of a message: the part of a request that differs from device to device.
///
/// FCM's topics and conditions are not used: Carillon has its own, and an outcome for each device.
package struct FCMTarget: Hashable, Sendable {
    /// The member of `message` that names the device.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case token
        /// A Firebase installation id, which takes the place of registration tokens since 2026.
        case fid
    }

    package let kind: Kind
    /// The token or id in ASCII: characters that need no escape in JSON.
    package let bytes: [UInt8]

    /// Checks the bytes; nil if they cannot be a token or an id, so that FCM would refuse the request.
    package init?(_ kind: Kind, _ bytes: [UInt8]) {
        let tokenKind: TokenKind =
            switch kind {
            case .token: .fcm
            case .fid: .fid
            }
        guard let token = DeviceToken(bytes), tokenKind.accepts(token) else { return nil }
        self.kind = kind
        self.bytes = bytes
    }
}
