package import CarillonCore

/// A request to FCM: path, headers and the part of the body that all devices of a message share.
///
/// A fan-out encodes its message once. Only the end of the body, `"token":"…"}}`, differs from device to device: the
/// target is the last member of the message, so that a body is `common` and `tail(for:)`, one after the other.
package struct FCMRequest: Hashable, Sendable {
    /// The body up to the target.
    package let common: [UInt8]
    /// When the request was made: `ttl` counts from then.
    package let madeAt: Timestamp
    /// True if the body says how long FCM stores the message, so that it must be made again as time goes by.
    private let hasEnd: Bool

    /// The host of the service.
    package static let host = "fcm.googleapis.com"
    /// The header `content-type`.
    package static let contentType = "application/json"
    /// The age from which on a request with an end is made again: FCM counts `ttl` in whole seconds, and a second more
    /// or less does not matter.
    package static let maximumAgeMilliseconds: UInt64 = 5_000

    /// Makes the request for a content that `FCMRules` has accepted.
    ///
    /// - Parameters:
    ///   - body: which payload, as `RecipientPage.Recipient.body` says.
    ///   - message: the id to put into the data, if the content has a key for it.
    ///   - now: `ttl` is the time from now to the expiration.
    /// - Throws: The first fault of the content.
    package init(
        _ content: MessageContent, body: UInt8 = 0, message: MessageID = MessageID(rawValue: 0),
        at now: Timestamp
    ) throws(MessageFault) {
        let members = try FCMMessage.members(of: content, body: body, message: message, at: now)
        let object = try JSONValue.encode(members, field: "message")
        common = Array(#"{"message":"#.utf8) + object.dropLast() + (members.isEmpty ? [] : [UInt8(ascii: ",")])
        madeAt = now
        if case .at = content.expiration { hasEnd = true } else { hasEnd = false }
    }

    /// Returns true if the request must be made again: its `ttl` is too old.
    package func isStale(at now: Timestamp) -> Bool {
        hasEnd && now.milliseconds(since: madeAt) >= Self.maximumAgeMilliseconds
    }

    /// Returns the path of every message of a project (REST reference, `projects.messages.send`).
    package static func path(project: String) -> String { "/v1/projects/\(project)/messages:send" }

    /// Returns the end of the body, which names the device.
    package static func tail(for target: FCMTarget) -> [UInt8] {
        Array("\"\(target.kind.rawValue)\":\"".utf8) + target.bytes + Array("\"}}".utf8)
    }

    /// Returns the whole body for one device.
    package func body(for target: FCMTarget) -> [UInt8] { common + Self.tail(for: target) }
}
