/// Whether the request took effect (Protocol 9).
public enum Effect: UInt8, Hashable, Sendable {
    /// It certainly did not.
    case notExecuted = 0
    /// It may have.
    case unknown = 1
    /// It did.
    case executed = 2
}
