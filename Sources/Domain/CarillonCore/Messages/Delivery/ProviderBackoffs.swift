/// The backoffs that a provider asks for after answers of `Verdict.tryLater`.
package struct ProviderBackoffs: Hashable, Sendable {
    /// The backoff after `serverBusy`. Such attempts have reached no device, so the number of attempts is not to end
    /// them: it is so large that the horizon of the retry policy comes first.
    package var busy = DeliveryBackoff(firstMilliseconds: 1_000, maximumMilliseconds: 900_000, maximumAttempts: 200)
    /// The backoff after `throttled` of a push to a device.
    package var throttled = DeliveryBackoff(
        firstMilliseconds: 30_000, maximumMilliseconds: Milliseconds.perHour, maximumAttempts: 40)
    /// The backoff after `throttled` of a broadcast push, which is about its channel; nil if it is the backoff for a
    /// device.
    package var channelThrottled: DeliveryBackoff?

    /// Makes the backoffs of a provider that asks for nothing of its own.
    package init() {}
}
