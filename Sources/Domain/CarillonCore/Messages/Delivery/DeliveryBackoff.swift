/// The growing delays between attempts at one device, for one reason to retry.
package struct DeliveryBackoff: Hashable, Sendable {
    /// The longest delay after the first attempt; it doubles with each further attempt.
    package var firstMilliseconds: UInt64
    /// The longest delay after any attempt.
    package var maximumMilliseconds: UInt64
    /// The most attempts at one device, the first included.
    package var maximumAttempts: UInt8

    /// Makes a backoff from the values of the provider's adapter, or of the retry policy of the server.
    package init(firstMilliseconds: UInt64, maximumMilliseconds: UInt64, maximumAttempts: UInt8) {
        self.firstMilliseconds = firstMilliseconds
        self.maximumMilliseconds = maximumMilliseconds
        self.maximumAttempts = maximumAttempts
    }
}
