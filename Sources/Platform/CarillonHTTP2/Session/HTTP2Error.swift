import CCarillonNghttp2

/// The reason why an HTTP/2 session cannot go on, or did not take a request.
package enum HTTP2Error: Error, Equatable, Sendable {
    /// The session was closed by its owner.
    case closed
    case outOfMemory
    /// The peer broke the protocol; the bytes still to be written tell it (GOAWAY).
    case protocolViolation
    /// The first bytes from the client were not HTTP/2's preface.
    case notHTTP2
    /// The peer sent more control frames than the limits of the session allow.
    case flooded
    /// No new stream may be opened: GOAWAY came, or the stream ids are used up.
    case streamsNotAllowed
    /// The client opened more streams than it was allowed and had acknowledged.
    case tooManyStreams
    /// The stream is not open, or answered already.
    case unknownStream
    /// A part of a message is too long: the path and the id, the headers, or the end of the body that is its own. The
    /// value is the length of that part in bytes.
    case requestTooLong(Int)
    /// A message has more headers than this module supports; the value is their number.
    case tooManyHeaders(Int)
    /// A header's name or value holds characters that HTTP forbids; the value is the name.
    case invalidHeader(String)
    /// Any other answer of nghttp2, as its code.
    case library(Int32)

    /// Reads a result of nghttp2 that is below 0.
    package init(code: Int32) {
        switch nghttp2_error(rawValue: nghttp2_error.RawValue(code)) {
        case NGHTTP2_ERR_NOMEM: self = .outOfMemory
        case NGHTTP2_ERR_BAD_CLIENT_MAGIC: self = .notHTTP2
        case NGHTTP2_ERR_FLOODED: self = .flooded
        case NGHTTP2_ERR_PROTO: self = .protocolViolation
        case NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE: self = .streamsNotAllowed
        default: self = .library(code)
        }
    }
}

extension HTTP2Error: CustomStringConvertible {
    /// The error in one sentence, safe to log.
    package var description: String {
        switch self {
        case .closed: "the HTTP/2 session is closed"
        case .outOfMemory: "out of memory in the HTTP/2 session"
        case .protocolViolation: "the peer broke the HTTP/2 protocol"
        case .notHTTP2: "the peer does not speak HTTP/2"
        case .flooded: "the peer sent more control frames than the session allows"
        case .streamsNotAllowed: "no new stream may be opened on this connection"
        case .tooManyStreams: "the client opened more streams than allowed"
        case .unknownStream: "the stream is not open"
        case .requestTooLong(let length): "a part of the request is too long: \(length) bytes"
        case .tooManyHeaders(let count): "the message has \(count) headers, which is too many"
        case .invalidHeader(let name): "the header \(name) holds characters that HTTP forbids"
        case .library(let code): "nghttp2: " + String(cString: nghttp2_strerror(code))
        }
    }
}
