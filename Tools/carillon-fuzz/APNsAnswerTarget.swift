import CarillonAPNs
import CarillonCore

/// The answer to a push, from APNs or from a program in its place.
///
/// Bytes 0 and 1: the status. Byte 2: whether there is a `retry-after`; bytes 3 to 6: its value. Then the body.
enum APNsAnswerTarget {
    static func run(_ choices: inout Choices) {
        let status = UInt16(choices.byte()) << 8 | UInt16(choices.byte())
        let hasRetryAfter = choices.byte() & 1 == 1
        let seconds = choices.number()
        let body = choices.rest()
        body.withUnsafeBytes { body in
            let answer = Answer(status: status, body: body, retryAfter: hasRetryAfter ? seconds : nil, now: .zero)
            check(answer)
            passOn(answer)
        }
    }

    /// Checks what holds for every answer.
    static func check(_ answer: Answer) {
        demand((answer.verdict == .delivered) == (answer.status == 200), "delivered with status \(answer.status)")
        demand(
            (0...128).contains(answer.reason?.utf8.count ?? 0), "a reason of \(answer.reason?.utf8.count ?? 0) bytes")
        if case .refused(let outcome, let deadSince) = answer.verdict {
            demand(outcome != .delivered && outcome != .pending, "refused and yet \(outcome)")
            let isDeath = outcome == .tokenUnregistered || outcome == .tokenExpired
            demand((deadSince != nil) == isDeath, "a token's death without a time, or a time without a death")
        }
    }

    /// Passes the answer to a connection machine.
    private static func passOn(_ answer: Answer) {
        var machine = ConnectionMachine(usesToken: true, now: 0)
        machine.connected(at: 1)
        machine.secured(at: 2)
        machine.settingsReceived(maxConcurrentStreams: Int(answer.status), at: 3)
        for now in 4..<UInt64(30) { _ = machine.answered(answer, at: now) }
        demand(machine.streamAllowance(open: 1) >= 0, "fewer than no streams")
        _ = machine.timerFired(isWaiting: true, at: 1_000_000)
    }
}
