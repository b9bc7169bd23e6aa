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

/// A submitted delivery. It has no reference to the page: an attempt that the provider never answers must not keep
/// thousands of recipients in memory until its timeout.
package struct Attempt: Sendable {
    package let message: OutboundMessage.Shared
    /// The number of the recipient's page.
    package let page: UInt32
    /// The recipient as it was read.
    package let recipient: RecipientPage.Recipient
    package let device: DeviceID
    package let handedOutAt: Uptime
}

/// The result of one attempt, with which a connection gives a delivery back.
package struct AttemptResult: Sendable {
    package let attempt: Attempt
    package let verdict: Verdict
    /// The HTTP status of the provider; 0 if there was no answer.
    package let status: UInt16
    /// The number of the connection that carried the attempt; 0 if it was not written.
    package let connection: UInt32
    private let texts: Texts?

    /// The texts of an answer. Nearly all answers have none, so that a result has one reference for both.
    private final class Texts: Sendable {
        let reason: String?
        let uniqueID: String?

        init(reason: String?, uniqueID: String?) {
            self.reason = reason
            self.uniqueID = uniqueID
        }
    }

    /// The provider's reason, or the connection's own word for an end without an answer; nil for a success.
    package var reason: String? { texts?.reason }
    /// The `apns-unique-id` of the push; nil if the answer had none.
    package var uniqueID: String? { texts?.uniqueID }

    /// Makes a result; by default, of an attempt that was not written and has no answer.
    package init(
        _ attempt: Attempt, verdict: Verdict, status: UInt16 = 0, reason: String? = nil, connection: UInt32 = 0,
        uniqueID: String? = nil
    ) {
        self.attempt = attempt
        self.verdict = verdict
        self.status = status
        self.connection = connection
        texts = reason == nil && uniqueID == nil ? nil : Texts(reason: reason, uniqueID: uniqueID)
    }
}
