import CarillonCore

/// A control frame, which concerns the connection and no request.
package enum Control: Hashable, Sendable {
    case ping(Ping)
    case goAway(GoAway)
    /// A POSITION (Protocol 6.5): a position in the log of the server's cluster.
    case position(UInt64)
    /// A frame with an opcode that this version does not know. It is ignored.
    case unknown

    /// Reads the payload of a control frame.
    package static func decode(
        _ payload: UnsafeRawBufferPointer,
        of header: FrameHeader
    ) throws(WireError) -> Control {
        guard header.flags >> 4 == 0 else { return .unknown }
        switch header.opcode {
        case .ping:
            return .ping(
                Ping(
                    isAcknowledgement: header.flags & FrameHeader.acknowledgementFlag != 0,
                    payload: try number(payload, named: "a ping")
                )
            )
        case .goAway:
            var reader = PayloadReader(payload)
            return .goAway(try GoAway(from: &reader))
        case .position:
            return .position(try number(payload, named: "a position"))
        default:
            return .unknown
        }
    }

    /// Reads a payload that is one number.
    private static func number(_ payload: UnsafeRawBufferPointer, named name: String) throws(WireError) -> UInt64 {
        guard payload.count == 8 else {
            throw WireError(.malformed, text: "\(name) has 8 bytes, not \(payload.count)")
        }
        return UInt64(bigEndian: payload.loadUnaligned(as: UInt64.self))
    }
}

extension FrameWriter {
    package mutating func ping(_ ping: Ping) {
        let flags = ping.isAcknowledgement ? FrameHeader.acknowledgementFlag : 0
        frame(.control, flags: flags, opcode: .ping, id: 0) { $0.u64(ping.payload) }
    }

    package mutating func position(_ position: UInt64) {
        frame(.control, opcode: .position, id: 0) { $0.u64(position) }
    }

    package mutating func goAway(_ goAway: GoAway) {
        frame(.control, opcode: .goAway, id: 0) { goAway.write(to: &$0) }
    }
}
