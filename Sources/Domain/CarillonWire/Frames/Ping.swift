/// A PING (Protocol 6.3).
package struct Ping: Hashable, Sendable {
    /// True if the frame answers a ping.
    package var isAcknowledgement: Bool
    /// The eight bytes that come back unchanged.
    package var payload: UInt64

    package init(isAcknowledgement: Bool, payload: UInt64) {
        self.isAcknowledgement = isAcknowledgement
        self.payload = payload
    }
}
