/// The delays between attempts at one device, for one reason, in milliseconds.
package struct DeliveryBackoff: Hashable, Sendable {
    /// The longest delay after the first attempt; it doubles with each further attempt.
    package var firstMilliseconds: UInt64
    /// The longest delay after any attempt.
    package var maximumMilliseconds: UInt64
    /// The most attempts at one device, the first included.
    package var attempts: UInt8

    /// Makes a backoff from the values of the provider's adapter, or of the retry policy of the server.
    package init(firstMilliseconds: UInt64, maximumMilliseconds: UInt64, attempts: UInt8) {
        self.firstMilliseconds = firstMilliseconds
        self.maximumMilliseconds = maximumMilliseconds
        self.attempts = attempts
    }
}

/// The backoffs that a provider asks for after answers of `Verdict.tryLater`.
package struct ProviderBackoffs: Hashable, Sendable {
    /// The delays after `serverBusy`. Such attempts have reached no device, so the horizon ends them and not their
    /// number.
    package var busy = DeliveryBackoff(firstMilliseconds: 1_000, maximumMilliseconds: 900_000, attempts: 200)
    /// The delays after `tokenThrottled` of a push to a device.
    package var tokenThrottled = DeliveryBackoff(
        firstMilliseconds: 30_000, maximumMilliseconds: 3_600_000, attempts: 40)
    /// The delays after `tokenThrottled` of a broadcast push, which is about its channel; nil for the delays of a
    /// device.
    package var channelThrottled: DeliveryBackoff?

    /// Makes the backoffs of a provider that asks for nothing of its own.
    package init() {}
}
