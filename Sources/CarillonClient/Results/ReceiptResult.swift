public import CarillonCore

/// The result of reporting receipts.
public struct ReceiptResult: Hashable, Sendable {
    /// Receipts that are new.
    public var counted: Int
    /// Indices of those that name no message, or no device of it.
    public var unknown: [Int]

    /// A result as a server answers it, for tests of a program.
    public init(counted: Int, unknown: [Int] = []) {
        self.counted = counted
        self.unknown = unknown
    }
}
