import CarillonCore
import CarillonWebPush
import Testing

/// The gate of one push service, which must not hold up the others that are sent to with the same key.
struct PushServiceGateTests {
    private var gate = PushServiceGate()

    private mutating func judge(
        _ verdict: Verdict, status: UInt16 = 0, isKeyProvenElsewhere: Bool = false, handedOutAt: Uptime? = nil,
        at now: Uptime = 0
    ) -> Verdict {
        gate.judge(
            verdict, status: status, isKeyProvenElsewhere: isKeyProvenElsewhere, handedOutAt: handedOutAt ?? now,
            at: now)
    }

    private mutating func failures(_ count: Int, handedOutAt: Uptime, at now: Uptime) {
        for _ in 0..<count {
            _ = judge(.tryLater(.serverBusy, afterMilliseconds: nil), status: 503, handedOutAt: handedOutAt, at: now)
        }
    }

    @Test mutating func `an accepted message proves the key`() {
        #expect(!gate.isKeyProven)
        let verdict = judge(.delivered, status: 201)
        #expect(verdict == .delivered)
        #expect(gate.isKeyProven)
        #expect(gate.remainingDelayMilliseconds(at: 0) == nil)
    }

    /// An answer that asks for fewer pushes, and the delay of the service, in milliseconds.
    struct Answer: CustomTestStringConvertible {
        let status: UInt16
        /// The header `retry-after`; nil if the answer has none.
        var retryAfter: UInt64?
        let delay: UInt64

        var testDescription: String { "\(status), \(delay) ms" }
    }

    @Test(arguments: [
        Answer(status: 429, delay: 60_000),
        Answer(status: 429, retryAfter: 9_000, delay: 9_000),
        Answer(status: 406, retryAfter: 3_600_000, delay: 3_600_000),
    ])
    mutating func `a service that asks for less is delayed`(_ answer: Answer) {
        let verdict = judge(
            .tryLater(.serverBusy, afterMilliseconds: answer.retryAfter), status: answer.status, at: 1_000)
        #expect(verdict == .tryLater(.throttled, afterMilliseconds: answer.delay))
        #expect(gate.remainingDelayMilliseconds(at: 1_000) == answer.delay)
        #expect(gate.remainingDelayMilliseconds(at: Uptime(milliseconds: 1_000 + answer.delay)) == nil)
    }

    @Test mutating func `a service that fails again and again is delayed for longer each time`() {
        var now: Uptime = 0
        for delay in [UInt64(10_000), 20_000, 40_000] {
            for _ in 1..<PushServiceGate.maximumFailures {
                let verdict = judge(.tryLater(.serverBusy, afterMilliseconds: nil), status: 503, at: now)
                #expect(verdict == .tryLater(.throttled, afterMilliseconds: nil))
            }
            let verdict = judge(.tryLater(.serverBusy, afterMilliseconds: nil), status: 503, at: now)
            #expect(verdict == .tryLater(.throttled, afterMilliseconds: delay))
            now += delay
        }
    }

    /// Two hundred answers of one outage, in a second: the service was once delayed for 15 minutes.
    @Test mutating func `failures of messages sent before the delay do not count`() {
        for millisecond in 0..<200 {
            let now = Uptime(milliseconds: UInt64(5 * millisecond))
            _ = judge(.tryLater(.serverBusy, afterMilliseconds: nil), status: 503, at: now)
        }
        // The twentieth came after 95 ms.
        #expect(gate.remainingDelayMilliseconds(at: 1_000) == 9_095)
        let late = judge(.tryLater(.serverBusy, afterMilliseconds: 30_000), status: 503, at: 1_000)
        #expect(late == .tryLater(.throttled, afterMilliseconds: 30_000))
        #expect(gate.remainingDelayMilliseconds(at: 1_000) == 30_000)
    }

    @Test mutating func `failures of messages sent before the delay do not count after it either`() {
        failures(20, handedOutAt: 0, at: 100)
        #expect(gate.remainingDelayMilliseconds(at: 100) == 10_000)

        failures(30, handedOutAt: 90, at: 10_200)
        #expect(gate.remainingDelayMilliseconds(at: 10_200) == nil)

        failures(19, handedOutAt: 10_150, at: 10_200)
        #expect(gate.remainingDelayMilliseconds(at: 10_200) == nil)
        failures(1, handedOutAt: 10_150, at: 10_200)
        #expect(gate.remainingDelayMilliseconds(at: 10_200) == 20_000)
    }

    @Test mutating func `a key that no service accepts is refused`() {
        let verdict = judge(.credentialRefused, status: 403)
        #expect(verdict == .credentialRefused)
        #expect(gate.remainingDelayMilliseconds(at: 0) == nil)
    }

    @Test mutating func `a service is delayed if it refuses a key that others accept`() {
        let first = judge(.credentialRefused, status: 403, isKeyProvenElsewhere: true)
        #expect(first == .tryLater(.throttled, afterMilliseconds: PushServiceGate.firstRefusalDelayMilliseconds))
        #expect(gate.remainingDelayMilliseconds(at: 0) == PushServiceGate.firstRefusalDelayMilliseconds)
        let later = Uptime(milliseconds: PushServiceGate.firstRefusalDelayMilliseconds)
        let second = judge(.credentialRefused, status: 403, isKeyProvenElsewhere: true, at: later)
        #expect(
            second == .tryLater(.throttled, afterMilliseconds: 2 * PushServiceGate.firstRefusalDelayMilliseconds))
    }

    @Test mutating func `an answer about one subscription delays no service`() {
        for verdict in [
            Verdict.refused(.tokenUnregistered, deadSince: nil), .tryLater(.throttled, afterMilliseconds: 7),
            .unknown, .notProcessed,
        ] {
            let judged = judge(verdict, status: 410)
            #expect(judged == verdict)
            #expect(gate.remainingDelayMilliseconds(at: 0) == nil)
        }
    }
}
