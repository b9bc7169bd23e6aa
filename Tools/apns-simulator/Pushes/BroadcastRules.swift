import Foundation

/// Apple's rules for a broadcast push, without the rules that depend on the channel.
enum BroadcastRules {
    private static let prefix: StaticString = "/4/broadcasts/apps/"
    private static let maximumPayloadBytes = 5_120

    static func isBroadcast(_ push: ReceivedPush) -> Bool { push.path.starts(with: prefix) }

    /// Returns the bundle id in the path; empty if the path is not that of a broadcast push.
    static func app(of push: ReceivedPush) -> [UInt8] { push.path.removing(prefix: prefix).map(Array.init) ?? [] }

    /// Returns the fault of headers or payload; nil if they are valid for a channel of that policy.
    static func fault(in push: ReceivedPush, policy: ChannelStore.Policy) -> Reason? {
        guard let type = push.pushType else { return .missingPushType }
        guard type.equals("liveactivity") else { return .invalidPushType }
        guard let expiration = push.expiration?.decimal, policy == .latest || expiration == 0 else {
            return .badExpirationDate
        }
        guard let priority = push.priority, priority.equals("10") || priority.equals("5") || priority.equals("1")
        else { return .badPriority }
        if push.requestID != nil, push.canonicalRequestID == nil { return .badMessageID }
        if push.payloadLength == 0 { return .payloadEmpty }
        if push.payloadLength > maximumPayloadBytes { return .payloadTooLarge }
        return hasEvent(push.payload) ? nil : .badRequestPayload
    }

    /// Returns true if the payload updates or ends a Live Activity.
    private static func hasEvent(_ payload: UnsafeRawBufferPointer) -> Bool {
        // Why try?: what is not JSON has no event.
        guard let value = try? JSONSerialization.jsonObject(with: Data(payload)),
            let aps = (value as? [String: Any])?["aps"] as? [String: Any], aps["timestamp"] is NSNumber
        else { return false }
        return ["update", "end"].contains(aps["event"] as? String)
    }
}
