package import CarillonCore
package import CarillonProvider
import CarillonTLS

/// The headers of a message, the same for every subscription of one origin (RFC 8030, section 5).
///
/// `:path` is the endpoint's target, and the body is encrypted for each subscription (`MessageEncryption`).
package struct WebPushRequest: Hashable, Sendable {
    /// The time for which the push service stores a message, in seconds (RFC 8030, section 5.2).
    package let ttlSeconds: UInt64
    /// The urgency of the message (RFC 8030, section 5.3): the device decides by it when to wake.
    package let urgency: Urgency
    /// The topic: the message replaces the stored one that has the same (RFC 8030, section 5.4); nil if it replaces
    /// none.
    package let topic: String?
    /// True if `ttlSeconds` is the time until an expiration: then it becomes wrong with time.
    package let hasExpiration: Bool

    /// The words of the header `urgency`.
    package enum Urgency: String, Hashable, Sendable, CaseIterable {
        case veryLow = "very-low"
        case low
        case normal
        case high
    }

    /// The longest time that is asked for, in seconds: 28 days, which is what FCM stores; others store 30.
    package static let maximumTTLSeconds: UInt64 = 28 * 86_400
    /// The size of a topic in bytes. RFC 8030 allows 32; Apple decodes it as base64url and refuses some lengths
    /// (BadWebPushTopic).
    package static let topicBytes = 32
    /// The age at which a request with an expiration is made again, in milliseconds.
    package static let maximumAgeMilliseconds: UInt64 = 5_000

    /// Composes the request for a content that `BrowserMessage` has accepted.
    ///
    /// - Parameter now: the time to live is the time from now to the expiration.
    /// - Throws: the fault in the sender's fields for browsers.
    package init(_ content: MessageContent, at now: Timestamp) throws(MessageError) {
        let overrides = try WebOverrides(of: content)
        switch (overrides.ttlSeconds, content.expiration) {
        case (let seconds?, _): (ttlSeconds, hasExpiration) = (seconds, false)
        case (nil, .unspecified): (ttlSeconds, hasExpiration) = (Self.maximumTTLSeconds, false)
        case (nil, .once): (ttlSeconds, hasExpiration) = (0, false)
        case (nil, .at(let seconds)):
            let current = now.milliseconds / 1_000
            ttlSeconds = seconds > current ? min(seconds - current, Self.maximumTTLSeconds) : 0
            hasExpiration = true
        }
        let usualUrgency: Urgency =
            switch content.priority ?? content.pushType.usualPriority {
            case .immediate: .high
            case .powerAware: .normal
            case .never: .veryLow
            }
        urgency = overrides.urgency ?? usualUrgency
        topic = overrides.topic ?? content.collapseID.map(Self.topic)
    }

    /// Returns the topic of a collapse id: the first 192 bits of its digest, 32 characters that every service takes,
    /// and that say nothing about the message.
    package static func topic(of collapseID: String) -> String {
        let digest = SHA256.hash(Array(collapseID.utf8))
        return String(decoding: Base64URL.encode(Array(digest.prefix(topicBytes * 6 / 8))), as: UTF8.self)
    }

    /// The headers in the order of sending, without `authorization`.
    package var headers: [SharedRequest.Header] {
        var headers = [("ttl", String(ttlSeconds)), ("urgency", urgency.rawValue)]
        if let topic { headers.append(("topic", topic)) }
        headers += [("content-encoding", "aes128gcm"), ("content-type", "application/octet-stream")]
        return headers.map { SharedRequest.Header(name: $0, value: $1, isIndexed: true) }
    }
}
