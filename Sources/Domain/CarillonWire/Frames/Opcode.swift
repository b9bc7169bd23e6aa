/// The number of an operation or of a control frame (Protocol 16.1). Each operation declares its own.
package struct Opcode: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The opcode of an error that belongs to no request.
    package static let none = Opcode(rawValue: 0)
    /// The opcode of PING, a control frame (Protocol 6.3).
    package static let ping = Opcode(rawValue: 0x0003)
    /// The opcode of GOAWAY, a control frame (Protocol 6.4).
    package static let goAway = Opcode(rawValue: 0x0004)
    /// The opcode of POSITION, a control frame (Protocol 6.5).
    package static let position = Opcode(rawValue: 0x0005)

    /// The requests of this version, ascending.
    package static var served: [Opcode] { OperationTable.rows.map(\.opcode) }

    /// The name of the opcode in metrics and output: `register-batch`.
    package var name: String { OperationTable.row(of: self)?.name ?? "opcode-\(rawValue)" }

    package static func < (left: Opcode, right: Opcode) -> Bool { left.rawValue < right.rawValue }
}
