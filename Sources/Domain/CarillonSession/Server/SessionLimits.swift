import CarillonWire

/// The limits of one connection on the server's side (Protocol 17).
package struct SessionLimits: Hashable, Sendable {
    /// The largest payload of an open connection, in bytes.
    package var frameBytes: UInt32 = WireLimits.frameBytes
    /// The longest time from the end of the transport handshake to the phase *open*.
    package var handshakeTimeoutMilliseconds: UInt64 = 5_000
    /// The longest time from the first byte of a frame to its last, plus one second per 4,096 bytes of its payload.
    package var frameTimeoutMilliseconds: UInt64 = 5_000
    /// The number of outstanding requests at which the server stops reading.
    package var outstandingRequests: UInt32 = 1_024
    /// The bytes of payload of outstanding requests at which the server stops reading.
    package var outstandingBytes: Int = 8 * 1_048_576
    /// The bytes of `output` that the caller has not taken, at which the session adds no more events.
    package var eventBytesWaiting = 65_536
    /// The size at which the caller must take `output` before it reads on. With one more answer, the bytes still fit in
    /// a buffer of 256 KiB.
    package var outputPieceBytes = 253_952
    /// How long the client may be silent before the server pings it.
    package var keepaliveMilliseconds: UInt32 = 30_000
    /// The time that the client has, after a ping of the server, to send anything before the connection is ended.
    package var pingTimeoutMilliseconds: UInt64 = 10_000
    /// The shortest time that a client must leave between two pings.
    package var minimumPingIntervalMilliseconds: UInt32 = 10_000
    /// The number of errors of scope request that a connection may get each second.
    package var errorsPerSecond: UInt32 = 100
    /// The number of errors of scope request that a connection may get at once.
    package var errorsAtOnce: UInt32 = 1_000
    /// The number of failed AUTHs after which the connection is closed.
    package var authenticationAttempts = 3
    /// The time from the first GOAWAY to the second.
    package var drainNoticeMilliseconds: UInt64 = 1_000
    /// The longest time from the first GOAWAY to the close.
    package var drainTimeoutMilliseconds: UInt32 = 20_000

    package init() {}
}

extension HelloAnswer.AnnouncedLimits {
    /// Makes the limits that a server announces from the limits of its sessions.
    package init(_ limits: SessionLimits) {
        self.init()
        frameBytes = limits.frameBytes
        requestsInFlight = limits.outstandingRequests
        keepaliveMilliseconds = limits.keepaliveMilliseconds
        pingIntervalMilliseconds = limits.minimumPingIntervalMilliseconds
    }
}
