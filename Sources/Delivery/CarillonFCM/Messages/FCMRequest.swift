package import CarillonCore
import CarillonProvider

/// A request to FCM: path, headers and the part of the body that all devices of a message share.
///
/// A fan-out encodes its message once. The target is the last member of the message, so only the end of the body,
/// `"token":"…"}}`, differs from device to device. A body is `bodyStart` and this end, one after the other.
package struct FCMRequest: Hashable, Sendable {
    package let bodyStart: [UInt8]
    /// True if the body has the time to live (`ttl`) of a message with an expiration, so that it must be made again as
    /// time goes by.
    package let hasExpiration: Bool

    package static let host = "fcm.googleapis.com"
    package static let contentType = "application/json"
    /// The age at which a request with an expiration is made again: a `ttl` that is a few seconds too long does no
    /// harm.
    package static let maximumAgeMilliseconds: UInt64 = 5_000

    /// Encodes the request for a content that `FCMRules` has accepted.
    ///
    /// - Parameters:
    ///   - payloadIndex: 0 for `MessageContent.payload`, n for `bodies[n − 1]`.
    ///   - message: the id to put into the data, if the content has a key for it.
    ///   - now: `ttl` is the time from now to the expiration.
    /// - Throws: the first fault of the content.
    package init(
        _ content: MessageContent, payloadIndex: UInt8 = 0, message: MessageID = MessageID(rawValue: 0),
        at now: Timestamp
    ) throws(MessageError) {
        let members = try FCMMessage.members(of: content, payloadIndex: payloadIndex, message: message, at: now)
        let object = try JSONValue.encode(members, field: "message")
        bodyStart = Array(#"{"message":"#.utf8) + object.dropLast() + (members.isEmpty ? [] : [UInt8(ascii: ",")])
        if case .at = content.expiration { hasExpiration = true } else { hasExpiration = false }
    }

    /// Returns the path of every message of a project (REST reference, `projects.messages.send`).
    package static func path(project: String) -> String { "/v1/projects/\(project)/messages:send" }

    private static let tokenName = Array("\"token\":\"".utf8)
    private static let installationName = Array("\"fid\":\"".utf8)
    private static let closing = Array("\"}}".utf8)

    /// Writes the end of the body, which names the device, into room for `RequestParts.maximumBodyEndBytes` bytes.
    /// Returns the number of bytes; 0 if the token is not one of its kind, whose characters need no escape in JSON.
    package static func writeEnd(
        _ kind: TokenKind, token: UnsafeBufferPointer<UInt8>, into room: UnsafeMutableRawPointer
    ) -> Int {
        let name = kind == .fid ? installationName : tokenName
        let size = name.count + token.count + closing.count
        guard kind.provider == .fcm, !token.isEmpty, kind.accepts(token), size <= RequestParts.maximumBodyEndBytes
        else { return 0 }
        let end = UnsafeMutableRawBufferPointer(start: room, count: size)
        end.copyBytes(from: name)
        UnsafeMutableRawBufferPointer(rebasing: end[name.count...]).copyBytes(from: token)
        UnsafeMutableRawBufferPointer(rebasing: end[(name.count + token.count)...]).copyBytes(from: closing)
        return size
    }

    /// Returns the whole body for one device.
    package func body(for target: FCMTarget) -> [UInt8] {
        let kind: TokenKind = target.kind == .fid ? .fid : .fcm
        return bodyStart
            + [UInt8](unsafeUninitializedCapacity: RequestParts.maximumBodyEndBytes) { room, count in
                guard let start = room.baseAddress else { return }
                count = target.bytes.withUnsafeBufferPointer { Self.writeEnd(kind, token: $0, into: start) }
            }
    }
}

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
