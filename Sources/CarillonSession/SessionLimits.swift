import CarillonWire

/// Limits of one connection on the server's side (Protocol 11). Times are milliseconds of uptime.
package struct SessionLimits: Hashable, Sendable {
    /// Largest payload of an open connection, in bytes.
    package var frameBytes: UInt32 = WireLimits.frameBytes
    /// From connecting to *open*.
    package var handshakeMilliseconds: UInt64 = 5_000
    /// One frame from its first byte to its last, plus one second for each 4,096 bytes of it.
    package var frameMilliseconds: UInt64 = 5_000
    /// Requests outstanding before the server stops reading.
    package var requestsInFlight: UInt32 = 1_024
    /// Payload bytes of requests outstanding before the server stops reading.
    package var bytesInFlight: Int = 8 * 1_048_576
    /// Bytes of `output` that the shell has not taken, beyond which no event is added.
    package var eventBytesWaiting = 65_536
    /// Bytes of `output` at which the shell takes them before it reads on.
    package var outputPieceBytes = 262_144
    /// Silence after which the server pings.
    package var keepaliveMilliseconds: UInt32 = 30_000
    /// From the server's ping to giving up.
    package var pingMilliseconds: UInt64 = 10_000
    /// Least time between two pings of the client.
    package var pingIntervalMilliseconds: UInt32 = 10_000
    /// Errors of scope request: so many a second.
    package var errorsPerSecond: UInt32 = 100
    /// Errors of scope request: so many at once.
    package var errorsAtOnce: UInt32 = 1_000
    /// Failed AUTHs before the connection is closed.
    package var authenticationAttempts = 3
    /// From the first GOAWAY to the second.
    package var drainNoticeMilliseconds: UInt64 = 1_000
    /// From the first GOAWAY to closing at the latest.
    package var drainMilliseconds: UInt32 = 20_000

    /// Makes the defaults.
    package init() {}
}
