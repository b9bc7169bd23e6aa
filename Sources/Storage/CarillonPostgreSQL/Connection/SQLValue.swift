/// A value of a parameter of a statement.
enum SQLValue: Hashable, Sendable {
    case int(Int64)
    case bytes([UInt8])
    case text(String)

    /// The type of a parameter, as its number in `pg_type`, which is the same in every log database that speaks the
    /// protocol.
    enum ParameterType: UInt32 {
        case bytes = 17
        case int = 20
        case text = 25
    }

    /// The value in the binary format of the protocol.
    var encoded: [UInt8] {
        switch self {
        case .int(let number): withUnsafeBytes(of: number.bigEndian) { Array($0) }
        case .bytes(let bytes): bytes
        case .text(let text): Array(text.utf8)
        }
    }
}
