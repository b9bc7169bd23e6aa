/// The effect of a request, if it is known (Protocol 15).
public enum Effect: UInt8, Hashable, Sendable {
    /// The request certainly took no effect.
    case notExecuted = 0
    /// The request may have taken effect.
    case unknown = 1
    /// The request took effect.
    case executed = 2
}
