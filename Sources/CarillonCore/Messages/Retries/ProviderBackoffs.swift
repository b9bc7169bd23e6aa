/// The backoffs that a provider asks for after answers of `Verdict.tryLater`.
package struct ProviderBackoffs: Hashable, Sendable {
    /// The backoff after `serverBusy`. Such attempts have reached no device. So their number is so large that they end
    /// with the time for which the retry policy retries a push.
    package var busy = DeliveryBackoff(firstMilliseconds: 1_000, maximumMilliseconds: 900_000, maximumAttempts: 200)
    /// The backoff after `tokenThrottled` of a push to a device.
    package var tokenThrottled = DeliveryBackoff(
        firstMilliseconds: 30_000, maximumMilliseconds: 3_600_000, maximumAttempts: 40)
    /// The backoff after `tokenThrottled` of a broadcast push, which is about its channel; nil if it is the same as for
    /// a device.
    package var channelThrottled: DeliveryBackoff?

    /// Makes the backoffs of a provider that asks for nothing of its own.
    package init() {}
}
