/// The 16 bytes before each payload (Protocol 3).
package struct FrameHeader: Hashable, Sendable {
    package static let byteCount = 16
    private static let kindOffset = 4
    private static let flagsOffset = 5
    private static let opcodeOffset = 6
    static let idOffset = 8
    /// The flag ACK of PING.
    package static let acknowledgementFlag: UInt8 = 0x1

    /// The number of bytes of payload after the header.
    package var length: UInt32
    /// The kind as on the wire; the session refuses an unknown one.
    package var kind: UInt8
    /// The low four bits are the flags of the kind. The high four bits are the number of the payload's layout, minus 1:
    /// 0 is the first layout.
    package var flags: UInt8
    /// The operation, or the kind of control frame.
    package var opcode: Opcode
    /// The id of the request; 0 if the frame belongs to none.
    package var id: UInt64

    package init(length: UInt32, kind: FrameKind, flags: UInt8 = 0, opcode: Opcode, id: UInt64) {
        self.length = length
        self.kind = kind.rawValue
        self.flags = flags
        self.opcode = opcode
        self.id = id
    }

    /// Reads a header; returns nil if there are fewer than 16 bytes.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.byteCount else { return nil }
        length = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt32.self))
        kind = bytes[Self.kindOffset]
        flags = bytes[Self.flagsOffset]
        let opcode = bytes.loadUnaligned(fromByteOffset: Self.opcodeOffset, as: UInt16.self)
        self.opcode = Opcode(rawValue: UInt16(bigEndian: opcode))
        id = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: Self.idOffset, as: UInt64.self))
    }
}
