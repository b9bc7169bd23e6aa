/// The marker of a push: when its request was due, and the operation, so that the arrival gives the latency. The number
/// 0 marks a request that is not measured.
struct PushMarker: Equatable {
    var operation: LoadOperation
    /// Microseconds from the start of the load.
    var due: UInt64

    init(operation: LoadOperation, due: UInt64) {
        self.operation = operation
        self.due = due
    }

    /// Parses the number of a push.
    init?(number: UInt64) {
        guard number > 0, let operation = LoadOperation(rawValue: UInt8(number & 7)) else { return nil }
        self.init(operation: operation, due: number >> 3 - 1)
    }

    /// A new payload key for markers. It is random, so that late pushes of an earlier run are not counted.
    static func newKey() -> String { "load\(UInt32.random(in: 0...UInt32.max))" }

    var number: UInt64 { (due + 1) << 3 | UInt64(operation.rawValue) }
}
