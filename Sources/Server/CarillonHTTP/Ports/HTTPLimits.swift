import NIOCore

/// The bounds of a port of HTTP.
struct HTTPLimits: Sendable {
    /// The most connections at a time. Beyond them an idle one gives way, else the new one is closed.
    var connections = 128
    /// The most bytes of the body of one request.
    var bodyBytes = 3 << 20
    /// The most bytes of the bodies of all requests that have not ended.
    var totalBodyBytes = 32 << 20
    var headerFields = 64
    /// The most bytes of the path and all fields.
    var headerBytes = 16_384
    /// The time from an answer to the head of the next request.
    var idleTimeout = TimeAmount.seconds(75)
    /// The time from the connection to the end of the TLS handshake, from the connection to the head of the first
    /// request, and from the head of a request to the end of its body.
    var requestTimeout = TimeAmount.seconds(15)
    /// The time from a whole request to its answer.
    var answerTimeout = TimeAmount.seconds(60)
    /// How long the peer may take to receive what was written.
    var writeTimeout = TimeAmount.seconds(30)
}
