import CarillonWire

package struct ClientSessionOptions: Hashable, Sendable {
    /// The name and version for the server's log, 1 to 64 bytes.
    package var software: String
    /// The API key, 1 to 256 bytes; nil if the client has a certificate, or no credential.
    package var key: [UInt8]?
    /// The largest payload that the client takes from the server, in bytes; at least 4,096.
    package var receiveLimit: UInt32 = WireLimits.frameBytes
    /// The most outstanding requests, even if the server allows more.
    package var inFlightLimit = 65_536
    /// The time from connecting to the phase *open*.
    package var handshakeTimeoutMilliseconds: UInt64 = 5_000
    /// The time from a ping of the client to the end of the session, if nothing comes; also the time for which
    /// abandoned requests may occupy all room.
    package var pingTimeoutMilliseconds: UInt64 = 5_000
    /// The time from the last byte of the server to a ping, while a request waits for its answer.
    package var probeAfterMilliseconds: UInt64 = 3_000

    package init(software: String, key: [UInt8]? = nil) {
        self.software = software
        self.key = key
    }
}
