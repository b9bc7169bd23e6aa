/// The end of the stream of a push, or of a request of channel management: a `StreamEnd` in plain numbers, and whether
/// this server cancelled the stream because its answer was late.
///
/// CarillonTransport makes it. So the decisions of this module and of the adapters need neither nghttp2 nor a clock.
package struct ClosedStream: Hashable, Sendable {
    /// The final `:status`; 0 if none came.
    package var status: UInt16
    /// True if the answer is whole: its last frame came.
    package var isComplete: Bool
    /// True if the answer broke the rules of HTTP (RFC 9113, section 8.1.1).
    package var isMalformed: Bool
    /// True if the request may have been written.
    package var wasSent: Bool
    /// True if the stream was cancelled here, because its answer did not come in time.
    package var wasOverdue: Bool
    /// The error code of RST_STREAM (RFC 9113, section 7); 0 if the stream was not reset.
    package var errorCode: UInt32
    /// The `retry-after` in milliseconds from now; nil if the answer has none.
    package var retryAfterMilliseconds: UInt64?
    /// The header `x-wns-error-description` of the push service of Windows; nil if the answer has none.
    package var errorDescription: String?

    package init(
        status: UInt16 = 0, isComplete: Bool = false, isMalformed: Bool = false, wasSent: Bool = true,
        wasOverdue: Bool = false, errorCode: UInt32 = 0, retryAfterMilliseconds: UInt64? = nil,
        errorDescription: String? = nil
    ) {
        self.status = status
        self.isComplete = isComplete
        self.isMalformed = isMalformed
        self.wasSent = wasSent
        self.wasOverdue = wasOverdue
        self.errorCode = errorCode
        self.retryAfterMilliseconds = retryAfterMilliseconds
        self.errorDescription = errorDescription
    }
}
