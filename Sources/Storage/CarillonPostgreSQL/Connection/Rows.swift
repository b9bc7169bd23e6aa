import CarillonCluster
import CarillonCore

/// The rows that a call has answered, in the binary format of the protocol. The bytes come from outside, so reading
/// them never traps.
struct Rows: Sendable {
    private let fields: [[[UInt8]?]]

    init(_ fields: [[[UInt8]?]] = []) { self.fields = fields }

    var count: Int { fields.count }
    var isEmpty: Bool { fields.isEmpty }

    func row(_ index: Int) -> Row { Row(fields: fields.indices.contains(index) ? fields[index] : []) }

    /// Returns all rows, each as `body` reads it.
    func map<T>(_ body: (Row) throws(LogError) -> T) throws(LogError) -> [T] {
        var result: [T] = []
        for index in fields.indices { result.append(try body(row(index))) }
        return result
    }

    /// A row, which is read column by column.
    struct Row {
        fileprivate let fields: [[UInt8]?]

        func has(_ column: Int) -> Bool { fields.indices.contains(column) && fields[column] != nil }

        func bytes(_ column: Int) throws(LogError) -> [UInt8] {
            guard fields.indices.contains(column), let bytes = fields[column] else {
                throw .corrupted("a value is missing")
            }
            return bytes
        }

        /// Reads a number of 1, 2, 4 or 8 bytes.
        func int(_ column: Int) throws(LogError) -> Int64 {
            let bytes = try bytes(column)
            switch bytes.count {
            case 1: return Int64(bytes[0])
            case 2: return Int64(Int16(truncatingIfNeeded: Self.number(bytes)))
            case 4: return Int64(Int32(truncatingIfNeeded: Self.number(bytes)))
            case 8: return Int64(bitPattern: Self.number(bytes))
            default: throw .corrupted("a number of \(bytes.count) bytes")
            }
        }

        private static func number(_ bytes: [UInt8]) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

        func unsigned(_ column: Int) throws(LogError) -> UInt64 {
            guard let number = UInt64(exactly: try int(column)) else { throw .corrupted("a number is negative") }
            return number
        }

        /// Reads a number that a smaller type must hold.
        func narrow<N: FixedWidthInteger>(_ column: Int, as type: N.Type = N.self) throws(LogError) -> N {
            guard let number = N(exactly: try int(column)) else { throw .corrupted("a number is out of range") }
            return number
        }

        func bool(_ column: Int) throws(LogError) -> Bool { try int(column) != 0 }

        func position(_ column: Int) throws(LogError) -> LogPosition { LogPosition(try unsigned(column)) }

        func text(_ column: Int) throws(LogError) -> String {
            guard let text = String(validating: try bytes(column), as: UTF8.self) else {
                throw .corrupted("a text is not UTF-8")
            }
            return text
        }

        func uuid(_ column: Int) throws(LogError) -> UUIDBytes {
            let bytes = try bytes(column)
            guard bytes.count == 16 else { throw .corrupted("a value of 16 bytes has \(bytes.count)") }
            return UUIDBytes(high: Self.number(Array(bytes[..<8])), low: Self.number(Array(bytes[8...])))
        }

        /// Reads a node's name, and the number of its incarnation from the next column.
        func member(_ column: Int) throws(LogError) -> Member {
            guard let node = NodeName(try text(column)) else { throw .corrupted("a node has no name") }
            return Member(node: node, incarnation: try unsigned(column + 1))
        }
    }
}
