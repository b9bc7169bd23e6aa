/// One message to one device, handed to a connection.
package struct Delivery: Sendable {
    /// The message: all of its deliveries share it.
    package let message: OutboundMessage.Shared
    /// The page that contains the recipient and its token.
    package let page: RecipientPage
    /// The recipient: an index of `page.recipients`.
    package let index: Int
    /// The device; `DeviceID.channel` for a broadcast push.
    package let device: DeviceID
    package let handedOutAt: Uptime

    package init(
        message: OutboundMessage.Shared, page: RecipientPage, index: Int, device: DeviceID, handedOutAt: Uptime
    ) {
        self.message = message
        self.page = page
        self.index = index
        self.device = device
        self.handedOutAt = handedOutAt
    }

    /// The part that is kept once the push is submitted.
    package var attempt: Attempt {
        Attempt(
            message: message, page: page.number, recipient: page.recipients[index], device: device,
            handedOutAt: handedOutAt)
    }
}
