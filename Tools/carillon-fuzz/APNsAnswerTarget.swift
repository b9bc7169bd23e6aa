import CarillonAPNs
import CarillonCore
import CarillonProvider

/// The adapter of APNs and the connection machine, which get the answer to a push from APNs or a program in its place.
///
/// Bytes 0 and 1: the status. Byte 2: how the stream ended; bytes 3 to 6: the `retry-after`. Then the body.
enum APNsAnswerTarget {
    static func run(_ input: inout FuzzInput) {
        let status = UInt16(input.byte()) << 8 | UInt16(input.byte())
        let flags = input.byte()
        let seconds = UInt64(input.number())
        let body = input.rest()
        let stream = ClosedStream(
            status: status, isComplete: flags & 2 == 0, isMalformed: flags & 4 != 0, wasSent: flags & 8 == 0,
            wasOverdue: flags & 16 != 0, errorCode: UInt32(flags >> 5),
            retryAfterMilliseconds: flags & 1 == 1 ? seconds * 1_000 : nil)
        body.withUnsafeBytes { body in
            let end = AttemptEnd(stream, body: body, of: APNsAdapter(epoch: .zero), at: .zero)
            check(end, of: stream)
            if case .answered(let answer) = end { passOn(answer) }
        }
    }

    static func check(_ end: AttemptEnd, of stream: ClosedStream) {
        let isAccepted = (200...299).contains(stream.status) && !stream.isMalformed
        demand((end.verdict == .delivered) == isAccepted, "delivered with status \(stream.status)")
        demand((0...64).contains(end.reason?.utf8.count ?? 0), "a reason of \(end.reason?.utf8.count ?? 0) bytes")
        if case .refused(let outcome, let deadSince) = end.verdict {
            demand(stream.isComplete && !stream.isMalformed, "refused by an answer that is not whole")
            demand(outcome != .delivered && outcome != .pending, "refused and yet \(outcome)")
            let isDeath = outcome == .tokenUnregistered || outcome == .tokenExpired
            demand((deadSince != nil) == isDeath, "a token's death without a time, or a time without a death")
        }
    }

    /// Passes the answer to a connection machine.
    private static func passOn(_ answer: ProviderAnswer) {
        var machine = ConnectionMachine(now: 0)
        machine.tcpConnected(at: 1)
        machine.handshakeCompleted(at: 2)
        machine.settingsReceived(maxConcurrentStreams: Int(answer.status), at: 3)
        for now in 4..<UInt64(30) { _ = machine.pushAnswered(answer, at: Uptime(milliseconds: now)) }
        demand(machine.streamAllowance(openStreams: 1) >= 0, "fewer than no streams")
        _ = machine.timerFired(isWaiting: true, at: 1_000_000)
    }
}
