/// The end of a stream as the session reports it: the request that it carried, and the answer without its body.
///
/// For pushes, CarillonTransport turns it into a `ClosedStream`, which CarillonProvider judges without HTTP/2.
package struct StreamEnd: Sendable {
    /// The caller's tag of the request.
    package var tag: UInt64
    /// The code with which the stream was closed; `refusedStream` means that the peer never processed the request.
    package var errorCode: HTTP2ErrorCode
    /// The final `:status`; 0 if no answer came.
    package var status: UInt16
    /// True if the answer is whole: its last frame arrived.
    package var isComplete: Bool
    /// True if the answer broke the rules of HTTP, so that this end has reset the stream (RFC 9113, section 8.1.1).
    package var isMalformed: Bool
    /// True if the request's HEADERS may have been sent; false means that it was never written.
    package var wasSent: Bool
    /// True if the body of the answer was longer than the session keeps and was cut.
    package var isBodyCut: Bool
    /// The field `retry-after`; nil if the answer has none that can be read.
    package var retryAfter: RetryAfter?
    var body: ByteRange
}
