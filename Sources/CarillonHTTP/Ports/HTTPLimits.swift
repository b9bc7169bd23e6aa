import NIOCore

/// The bounds of a port of HTTP.
struct HTTPLimits: Sendable {
    /// Connections at a time. Beyond it an idle one gives way, else the new one is closed.
    var connections = 128
    /// Bytes of a body.
    var bodyBytes = 3 << 20
    /// Bytes of the bodies of all requests that have not ended.
    var allBodyBytes = 32 << 20
    /// Fields of a head, and their bytes with the path.
    var headerFields = 64
    var headerBytes = 16_384
    /// The time from the connection, or from an answer, to the first byte of a request.
    var idle = TimeAmount.seconds(75)
    /// From the first byte of a request to its last. Also from the connection to the end of the TLS handshake.
    var request = TimeAmount.seconds(15)
    /// The time from a whole request to its answer.
    var answer = TimeAmount.seconds(60)
    /// The time from a write to the moment at which the peer has taken it.
    var write = TimeAmount.seconds(30)
}
