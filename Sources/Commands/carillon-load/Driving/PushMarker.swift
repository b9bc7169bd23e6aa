/// The marker of a push: the time at which its request was due, and the operation. So the arrival gives the latency.
/// The number 0 marks a request that is not measured.
struct PushMarker: Equatable {
    var operation: LoadOperation
    /// The microseconds from the start of the load until the request was due.
    var dueMicroseconds: UInt64

    init(operation: LoadOperation, dueMicroseconds: UInt64) {
        self.operation = operation
        self.dueMicroseconds = dueMicroseconds
    }

    /// Parses the number of a push; nil if the push is not measured.
    init?(number: UInt64) {
        guard number > 0, let operation = LoadOperation(rawValue: UInt8(number & 7)) else { return nil }
        self.init(operation: operation, dueMicroseconds: number >> 3 - 1)
    }

    /// Returns a new payload key for markers. It is random, so that late pushes of an earlier run are not counted.
    static func newKey() -> String { "load\(UInt32.random(in: 0...UInt32.max))" }

    var number: UInt64 { (dueMicroseconds + 1) << 3 | UInt64(operation.rawValue) }
}
