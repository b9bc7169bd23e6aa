/// A parameter of a statement, or a value that a parameter has.
enum Value: Hashable, Sendable {
    case int(Int64)
    case bytes([UInt8])
    case text(String)

    /// The number of a type in `pg_type`, which is the same in every log database that speaks the protocol.
    enum Kind: UInt32 {
        case bytes = 17
        case int = 20
        case text = 25
    }

    /// The bytes in the binary format of the protocol.
    var encoded: [UInt8] {
        switch self {
        case .int(let number): withUnsafeBytes(of: number.bigEndian) { Array($0) }
        case .bytes(let bytes): bytes
        case .text(let text): Array(text.utf8)
        }
    }
}
