/// Says what happens to a silent push that would exceed the budget of its device.
public enum OverBudget: UInt8, Hashable, Sendable {
    /// The delivery ends as `over-budget`.
    case drop = 1
    /// The delivery waits until the budget allows it. It expires if that would be after the message's `notAfter`.
    case wait = 2
}
