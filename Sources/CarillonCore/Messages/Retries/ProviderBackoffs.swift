/// The backoffs that a provider asks for after answers of `Verdict.tryLater`.
package struct ProviderBackoffs: Hashable, Sendable {
    /// The delays after `serverBusy`. Such attempts have reached no device. So their number is large: a message expires
    /// before it is used up.
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
