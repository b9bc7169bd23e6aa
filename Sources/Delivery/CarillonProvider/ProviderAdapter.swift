package import CarillonCore

/// The parts of delivery that differ between providers: the form of requests, and the meaning of answers. Decisions
/// without I/O.
///
/// All else is shared: connections, pools, isolation, windows and throttles. `ConnectionMachine.Limits` says how the
/// connections of a provider live.
package protocol ProviderAdapter: Sendable {
    /// The backoffs that the provider asks for.
    static var backoffs: ProviderBackoffs { get }

    /// The provider's name in log lines, for example `APNs`.
    var name: String { get }

    /// Returns the parts of a message's requests that all devices share.
    ///
    /// - Parameter payloadIndex: 0 for `MessageContent.payload`, n for `bodies[n − 1]`.
    /// - Throws: the first fault of the message: no device can get it.
    func request(
        for message: OutboundMessage.Shared, payloadIndex: UInt8, at now: Timestamp
    ) throws(MessageError) -> SharedRequest

    /// Writes the parts of the request for one device. Returns false if the provider would refuse the device's token
    /// whatever is sent: then the parts must not be used.
    func write(_ delivery: Delivery, into parts: inout RequestParts) -> Bool

    /// Judges an answer that says that the push was not accepted: every answer but a success
    /// (`ProviderAnswer.isAccepted`).
    ///
    /// - Parameters:
    ///   - body: the received part of the body, at most a few kilobytes; any bytes.
    ///   - retryAfterMilliseconds: the header `retry-after` in milliseconds from now; nil if the answer has none.
    ///   - errorDescription: the header `x-wns-error-description`; nil if the answer has none.
    func judgeFailure(
        status: UInt16, body: UnsafeRawBufferPointer, retryAfterMilliseconds: UInt64?, errorDescription: String?,
        at now: Timestamp
    ) -> ProviderAnswer

    /// Returns the reason in the debug data of a GOAWAY, and whether it says that the credential is refused.
    func goAway(debugData: UnsafeRawBufferPointer) -> (reason: String?, refusesCredential: Bool)
}

extension ProviderAdapter {
    package static var backoffs: ProviderBackoffs { ProviderBackoffs() }

    /// Returns the printable characters of the debug data, for example `session_timed_out` of Google's front end. The
    /// credential is never at fault.
    package func goAway(debugData: UnsafeRawBufferPointer) -> (reason: String?, refusesCredential: Bool) {
        let text = debugData.prefix(AttemptEnd.maximumReasonBytes).filter { (0x20...0x7E).contains($0) }
        return (text.isEmpty ? nil : String(decoding: text, as: UTF8.self), false)
    }

    /// Returns the meaning of any answer: of a success, or of a failure as `judgeFailure` judges it.
    package func answer(
        status: UInt16, body: UnsafeRawBufferPointer, retryAfterMilliseconds: UInt64? = nil,
        errorDescription: String? = nil, at now: Timestamp
    ) -> ProviderAnswer {
        // Every success is final: a repetition would reach the device twice.
        guard !ProviderAnswer.isAccepted(status) else { return .accepted(status) }
        return judgeFailure(
            status: status, body: body, retryAfterMilliseconds: retryAfterMilliseconds,
            errorDescription: errorDescription, at: now)
    }
}
