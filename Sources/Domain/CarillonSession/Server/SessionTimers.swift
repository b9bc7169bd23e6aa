import CarillonCore

/// The timers of a client: for its handshake, for its silence, and for a frame that comes slowly.
struct SessionTimers {
    private let limits: SessionLimits
    /// The time at which the transport was ready.
    private var startedAt: Uptime = 0
    /// The time at which the last bytes came.
    private var readAt: Uptime = 0
    /// The time at which the server sent a PING that nothing has followed yet; nil if no PING is open.
    private var pingedAt: Uptime?
    /// The incomplete frame at the front of the input, with the time at which its first bytes came, and the bytes of
    /// its payload.
    private var incompleteFrame: (startedAt: Uptime, bytes: UInt64)?

    /// The slowest rate at which the payload of a frame may come: each 4,096 bytes give it another second.
    private static let minimumPayloadBytesPerSecond: UInt64 = 4_096

    init(limits: SessionLimits) {
        self.limits = limits
    }

    // MARK: Events

    /// Starts the timer of the handshake.
    mutating func transportReady(at now: Uptime) {
        startedAt = now
        readAt = now
    }

    /// Ends the silence: bytes have come.
    mutating func bytesReceived(at now: Uptime) {
        readAt = now
        pingedAt = nil
    }

    /// Begins the wait for bytes after a PING of the server.
    mutating func pingSent(at now: Uptime) { pingedAt = now }

    /// Called when the frame at the front of the input is incomplete: starts its timer, unless it runs already.
    ///
    /// - Parameter bytes: the bytes of its payload; nil if its header is incomplete.
    mutating func frameIsIncomplete(bytes: UInt64?, at now: Uptime) {
        incompleteFrame = (incompleteFrame?.startedAt ?? now, bytes ?? incompleteFrame?.bytes ?? 0)
    }

    mutating func frameIsComplete() { incompleteFrame = nil }

    /// Restarts the times of the incomplete frame and of the silence: the caller had stopped the reading, which is no
    /// fault of the client.
    mutating func readingResumed(at now: Uptime) {
        if let incompleteFrame { self.incompleteFrame = (now, incompleteFrame.bytes) }
        bytesReceived(at: now)
    }

    // MARK: Bounds

    /// The number of bytes of the incomplete frame that the client has announced; 0 if no frame is incomplete.
    var incompleteFrameBytes: Int { incompleteFrame.map { Int(clamping: $0.bytes) } ?? 0 }

    /// True if the server has sent a PING that nothing has followed yet.
    var isPinging: Bool { pingedAt != nil }

    /// The time at which the handshake must be over.
    var handshakeDeadline: Uptime { startedAt + limits.handshakeTimeoutMilliseconds }

    /// The time at which the silence must end: by a PING of the server, or by anything that follows it.
    var silenceDeadline: Uptime {
        if let pingedAt { return pingedAt + limits.pingTimeoutMilliseconds }
        return readAt + UInt64(limits.keepaliveMilliseconds)
    }

    /// The time at which the incomplete frame must be complete; nil if no frame is incomplete.
    var frameDeadline: Uptime? {
        incompleteFrame.map { frame in
            let payloadSeconds = frame.bytes / Self.minimumPayloadBytesPerSecond
            return frame.startedAt + limits.frameTimeoutMilliseconds + payloadSeconds * 1_000
        }
    }
}
