package import CarillonCore
package import CarillonProvider

/// The headers and body of a push, the same for every device of a message.
///
/// Only the path (`/3/device/<token>`) and the `apns-id` differ from device to device.
package struct PushRequest: Hashable, Sendable {
    /// The fields in the order of sending, without `authorization`.
    package var headers: [SharedRequest.Header]
    package var payload: [UInt8]

    /// Composes the request for a content that `MessageRules` has accepted.
    ///
    /// - Parameters:
    ///   - payloadIndex: 0 for `MessageContent.payload`, n for `bodies[n − 1]`.
    ///   - message: the id to put into the payload, if the payload has one.
    ///   - managementTopic: the APNs topic of `mdm` pushes: the UID of the MDM certificate's subject.
    package init(
        _ content: MessageContent, payloadIndex: UInt8 = 0, message: MessageID = MessageID(rawValue: 0),
        managementTopic: String? = nil
    ) {
        payload = content.payload(at: payloadIndex, message: message)
        headers = [
            SharedRequest.Header(
                name: "apns-topic",
                value: Self.topic(of: content, managementTopic: managementTopic),
                isIndexed: true
            ),
            SharedRequest.Header(name: "apns-push-type", value: content.pushType.name, isIndexed: true),
            SharedRequest.Header(
                name: "apns-priority",
                value: String((content.priority ?? content.pushType.usualPriority).rawValue),
                isIndexed: true
            ),
        ]
        if let expiration = Self.expiration(of: content) {
            headers.append(SharedRequest.Header(name: "apns-expiration", value: expiration, isIndexed: true))
        }
        if let collapseID = content.collapseID {
            headers.append(SharedRequest.Header(name: "apns-collapse-id", value: collapseID, isIndexed: true))
        }
    }

    /// The part of a push's path before the token.
    package static let pathPrefix: [UInt8] = Array("/3/device/".utf8)

    /// Returns the header `apns-topic`: the bundle id with the suffix of the push type.
    package static func topic(of content: MessageContent, managementTopic: String?) -> String {
        let bundle = content.app.name
        return switch content.pushType {
        case .alert, .background: bundle
        case .location: bundle + ".location-query"
        case .voip: bundle + ".voip"
        case .complication: bundle + ".complication"
        case .fileprovider: bundle + ".pushkit.fileprovider"
        case .mdm: managementTopic ?? bundle
        case .liveactivity: bundle + ".push-type.liveactivity"
        case .pushtotalk: bundle + ".voip-ptt"
        case .widgets: bundle + ".push-type.widgets"
        case .controls: bundle + ".push-type.controls"
        }
    }

    /// Returns the header `apns-expiration`. A call, or speech on a Push to Talk channel, is of no use later. So APNs
    /// must not store it.
    private static func expiration(of content: MessageContent) -> String? {
        switch content.expiration {
        case .once: "0"
        case .at(let seconds): String(seconds)
        case .unspecified: content.pushType == .voip || content.pushType == .pushtotalk ? "0" : nil
        }
    }
}

/// The headers and path of a broadcast push. It goes to the same host as other pushes, over the same connections.
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
