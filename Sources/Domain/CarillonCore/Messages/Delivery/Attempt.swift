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
