import CCarillonNghttp2

/// An error code of RST_STREAM and GOAWAY frames (RFC 9113, section 7); unknown codes are kept as they are.
package struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable {
    /// The 32-bit code of the frame.
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The end is graceful, and no error.
    package static let noError = HTTP2ErrorCode(rawValue: 0x0)
    package static let protocolError = HTTP2ErrorCode(rawValue: 0x1)
    /// The endpoint failed by itself.
    package static let internalError = HTTP2ErrorCode(rawValue: 0x2)
    /// A frame came for a stream that was already closed.
    package static let streamClosed = HTTP2ErrorCode(rawValue: 0x5)
    /// The stream was never processed: the request may be sent again freely.
    package static let refusedStream = HTTP2ErrorCode(rawValue: 0x7)
    /// The stream is no longer wanted.
    package static let cancel = HTTP2ErrorCode(rawValue: 0x8)
    /// The peer generates too much load.
    package static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 0xb)
}

extension HTTP2ErrorCode: CustomStringConvertible {
    /// The name of the code in the RFC, or its number.
    package var description: String { String(cString: nghttp2_http2_strerror(rawValue)) }
}
