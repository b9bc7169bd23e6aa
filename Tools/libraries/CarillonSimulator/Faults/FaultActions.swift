import NIOCore

/// The state of the faults on one connection.
struct FaultActions {
    typealias DelayedResponse = (stream: Int32, send: () throws -> Void)

    /// The faults that happen when the channel is active.
    var atAccept: [Fault.Action]
    /// The faults that happen when the burst of requests is judged.
    private var afterBurst: [Fault.Action] = []
    /// The bytes to send before HTTP/2's.
    private(set) var bytes: [UInt8] = []
    /// The bytes to send instead of TLS; nil for TLS.
    var hello: [UInt8]?
    var isFrozen = false
    /// The newest stream that is processed. A GOAWAY has refused all streams above it.
    var lastStream = Int32.max
    /// The newest stream that was processed and waits for its response. No GOAWAY has a lower last stream.
    var lastPromised: Int32 = 0
    var reversed: [DelayedResponse] = []
    /// The task that reads slowly; nil if bytes are read at once.
    var reader: RepeatedTask?
    /// The received bytes that were not read yet.
    var unread = ByteBuffer()

    private static var maximumBytes: Int { 1 << 20 }

    init(atAccept: [Fault.Action]) { self.atAccept = atAccept }

    mutating func append(_ more: [UInt8]) {
        if bytes.count + more.count <= Self.maximumBytes { bytes += more }
    }

    mutating func removeBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    mutating func applyAfterBurst(_ action: Fault.Action) { afterBurst.append(action) }

    mutating func removeAfterBurst() -> [Fault.Action] {
        if afterBurst.isEmpty { return [] }
        defer { afterBurst = [] }
        return afterBurst
    }
}
