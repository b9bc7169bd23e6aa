package import CarillonCore

/// The apps of tests.
package enum TestApps {
    /// The app that most tests are about.
    package static let game = AppID("com.example.game")!
}

extension Delivery {
    /// A delivery to a device that is alone on its page. The message has the id of the device; without `content` it is
    /// an alert that shows nothing.
    package static func sample(
        device: UInt64 = 7, kind: TokenKind, token: [UInt8] = Array(repeating: 1, count: 32),
        subscription: [UInt8] = [], content: MessageContent? = nil, lane: Lane = .bulk, handedOutAt: Uptime = 0
    ) -> Delivery {
        let content = content ?? MessageContent(app: TestApps.game, pushType: .alert, payload: Array("{}".utf8))
        let message = OutboundMessage.Shared(
            OutboundMessage(
                id: MessageID(rawValue: device), content: content, sendableSince: .zero, notAfter: nil, lane: lane))
        let id = DeviceID(rawValue: device)
        let recipient = RecipientPage.Recipient(position: 0, device: id, kind: kind, environment: .production)
        var builder = RecipientPage.Builder()
        if subscription.isEmpty {
            builder.append(recipient, token: token)
        } else {
            token.withUnsafeBufferPointer { token in
                subscription.withUnsafeBufferPointer { builder.append(recipient, token: token, subscription: $0) }
            }
        }
        return Delivery(
            message: message, page: builder.page(0, of: message.id), index: 0, device: id, handedOutAt: handedOutAt)
    }
}
