public import CarillonCore

/// The result of reporting receipts.
public struct ReceiptResult: Hashable, Sendable {
    /// The number of receipts that are new.
    public var counted: Int
    /// The indices of the receipts that name no message, or no device of it.
    public var unknown: [Int]

    /// Makes a result as a server answers it, for tests of a program.
    public init(counted: Int, unknown: [Int] = []) {
        self.counted = counted
        self.unknown = unknown
    }
}
