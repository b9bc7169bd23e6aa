/// A recipient of a message and its outcome (Protocol 10.3).
public struct RecipientOutcome: Hashable, Sendable {
    /// The device; nil if the caller named a token that was not registered.
    public var device: DeviceID?
    /// The outcome; `pending` before the end.
    public var outcome: Outcome

    /// Makes the outcome of a recipient. A nil device is a token that was not registered.
    public init(device: DeviceID?, outcome: Outcome) {
        self.device = device
        self.outcome = outcome
    }
}
