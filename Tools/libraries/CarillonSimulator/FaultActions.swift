package import NIOCore

/// The state of the faults on one connection.
package struct FaultActions<Answer> {
    /// Faults that happen when the channel is active.
    package var atAccept: [Fault.Action] = []
    /// Faults that happen when the burst of requests is judged.
    private var afterBurst: [Fault.Action] = []
    /// Bytes to send before HTTP/2's.
    package private(set) var bytes: [UInt8] = []
    /// Bytes to send instead of TLS; nil for TLS.
    package var hello: [UInt8]?
    package var isFrozen = false
    /// The newest stream that is processed: a GOAWAY has refused all streams above it.
    package var lastStream = Int32.max
    /// The newest stream that was processed and waits for its answer: no GOAWAY has a lower last stream.
    package var lastPromised: Int32 = 0
    /// Answers to be sent in reversed order.
    package var reversed: [Answer] = []
    /// Reads slowly; nil if bytes are read at once.
    package var reader: RepeatedTask?
    /// Received bytes that were not read yet.
    package var unread = ByteBuffer()

    private static var maximumBytes: Int { 1 << 20 }

    package init() {}

    package mutating func append(_ more: [UInt8]) {
        if bytes.count + more.count <= Self.maximumBytes { bytes += more }
    }

    package mutating func removeBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    package mutating func applyAfterBurst(_ action: Fault.Action) { afterBurst.append(action) }

    package mutating func removeAfterBurst() -> [Fault.Action] {
        if afterBurst.isEmpty { return [] }
        defer { afterBurst = [] }
        return afterBurst
    }
}
