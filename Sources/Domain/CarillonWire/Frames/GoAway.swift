package import CarillonCore

/// A GOAWAY (Protocol 6.4).
package struct GoAway: Hashable, Sendable {
    /// The greatest id of the requests that may be executed. Requests with a greater id were not and will not be
    /// executed.
    package var lastID: UInt64
    /// The reason as a code.
    package var code: ErrorCode
    /// The time after which the server closes at the latest, in milliseconds.
    package var graceMilliseconds: UInt32
    /// The delay before the client connects again, in milliseconds.
    package var reconnectAfterMilliseconds: UInt32
    /// A text for operators.
    package var reason: String

    package init(
        lastID: UInt64,
        code: ErrorCode,
        graceMilliseconds: UInt32,
        reconnectAfterMilliseconds: UInt32,
        reason: String
    ) {
        self.lastID = lastID
        self.code = code
        self.graceMilliseconds = graceMilliseconds
        self.reconnectAfterMilliseconds = reconnectAfterMilliseconds
        self.reason = reason
    }

    init(from reader: inout PayloadReader) throws(WireError) {
        lastID = try reader.u64("last_id")
        code = ErrorCode(rawValue: try reader.u16("code"))
        graceMilliseconds = try reader.u32("grace_ms")
        reconnectAfterMilliseconds = try reader.u32("reconnect_after_ms")
        reason = try reader.string("reason", limits: 0...512)
        try reader.finish(ignoringUnknown: true) { _, _, _ in false }
    }

    func write(to writer: inout FrameWriter) {
        writer.u64(lastID)
        writer.u16(code.rawValue)
        writer.u32(graceMilliseconds)
        writer.u32(reconnectAfterMilliseconds)
        writer.string(reason)
    }
}
