import CarillonWire

/// The limits of one connection on the server's side (Protocol 17).
package struct SessionLimits: Hashable, Sendable {
    /// The largest payload of an open connection, in bytes.
    package var frameBytes: UInt32 = WireLimits.frameBytes
    /// The time from the end of the transport handshake to the phase *open*.
    package var handshakeMilliseconds: UInt64 = 5_000
    /// The time from the first byte of a frame to its last, beside one second for each 4,096 bytes of its payload.
    package var frameMilliseconds: UInt64 = 5_000
    /// The number of outstanding requests at which the server stops reading.
    package var maximumOutstandingRequests: UInt32 = 1_024
    /// The bytes of payload of outstanding requests at which the server stops reading.
    package var maximumOutstandingBytes: Int = 8 * 1_048_576
    /// The number of bytes of `output` that the caller has not taken, beyond which no event is added.
    package var eventBytesWaiting = 65_536
    /// The number of bytes of `output` at which the caller takes them before it reads on: with one more answer they
    /// still fit in a buffer of 256 KiB.
    package var outputPieceBytes = 253_952
    /// The silence after which the server pings.
    package var keepaliveMilliseconds: UInt32 = 30_000
    /// The time from the server's ping to the end of the connection, if nothing comes.
    package var pingMilliseconds: UInt64 = 10_000
    /// The least time between two pings of the client.
    package var minimumPingIntervalMilliseconds: UInt32 = 10_000
    /// The number of errors of scope request that a connection may get each second.
    package var errorsPerSecond: UInt32 = 100
    /// The number of errors of scope request that a connection may get at once.
    package var errorsAtOnce: UInt32 = 1_000
    /// The number of failed AUTHs after which the connection is closed.
    package var authenticationAttempts = 3
    /// The time from the first GOAWAY to the second.
    package var drainNoticeMilliseconds: UInt64 = 1_000
    /// The time from the first GOAWAY to the latest close.
    package var drainMilliseconds: UInt32 = 20_000

    package init() {}
}

extension HelloAnswer.AnnouncedLimits {
    /// Makes the limits that a server announces from the limits of its sessions.
    package init(_ limits: SessionLimits) {
        self.init()
        frameBytes = limits.frameBytes
        requestsInFlight = limits.maximumOutstandingRequests
        keepaliveMilliseconds = limits.keepaliveMilliseconds
        pingIntervalMilliseconds = limits.minimumPingIntervalMilliseconds
    }
}
