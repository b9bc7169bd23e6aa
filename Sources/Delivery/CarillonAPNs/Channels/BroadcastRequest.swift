package import CarillonCore
package import CarillonProvider

/// The headers and path of a broadcast push. It goes to the host of the pushes, over the same connections.
package struct BroadcastRequest: Hashable, Sendable {
    /// The fields in the order of sending, without `authorization`.
    package let headers: [SharedRequest.Header]

    /// Composes the headers for a content that `MessageRules` has accepted for a channel.
    ///
    /// - Parameter requestID: the `apns-request-id`, which every attempt has.
    package init(_ content: MessageContent, to channel: ChannelID, requestID: UUIDBytes) {
        let expiration =
            switch content.expiration {
            case .at(let seconds): String(seconds)
            // A message to a channel has an expiration.
            case .once, .unspecified: "0"
            }
        let priority = (content.priority ?? content.pushType.usualPriority).rawValue
        headers = [
            SharedRequest.Header(name: "apns-channel-id", value: channel.text, isIndexed: true),
            SharedRequest.Header(name: "apns-push-type", value: content.pushType.name, isIndexed: true),
            SharedRequest.Header(name: "apns-priority", value: String(priority), isIndexed: true),
            SharedRequest.Header(name: "apns-expiration", value: expiration, isIndexed: true),
            SharedRequest.Header(name: "apns-request-id", value: "\(requestID)", isIndexed: false),
        ]
    }

    /// Writes `/4/broadcasts/apps/<bundle id>` and returns its length; `room` has `RequestParts.maximumPathBytes`
    /// bytes, which is more than any bundle id needs.
    static func writePath(for app: AppID, into room: UnsafeMutableRawPointer) -> Int {
        let path = Array("/4/broadcasts/apps/\(app.name)".utf8)
        // Safety: the prefix and the longest bundle id have less than 200 bytes.
        path.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: room, count: path.count).copyMemory(from: $0) }
        return path.count
    }
}
