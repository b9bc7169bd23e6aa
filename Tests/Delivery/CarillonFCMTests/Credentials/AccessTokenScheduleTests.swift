import CarillonCore
import CarillonFCM
import Testing

/// The times at which an access token is requested, and the token that is used.
struct AccessTokenScheduleTests {
    private static let minute: UInt64 = 60_000

    private func time(_ minutes: UInt64, _ seconds: UInt64 = 0) -> Uptime {
        Uptime(milliseconds: 7_000 + minutes * Self.minute + seconds * 1_000)
    }

    /// Makes a schedule whose first token came at minute 0 and lives for an hour.
    private func withToken(random: Double = 0) -> AccessTokenSchedule {
        var schedule = AccessTokenSchedule()
        #expect(schedule.decide(at: time(0)) == .request)
        schedule.tokenReceived(lifetimeSeconds: 3_600, at: time(0), random: random)
        return schedule
    }

    @Test func `there is one request at a time`() {
        var schedule = AccessTokenSchedule()
        #expect(schedule.decide(at: time(0)) == .request)
        #expect(schedule.decide(at: time(0)) == .wait(until: time(0, 20)))
        #expect(schedule.decide(at: time(0, 19)) == .wait(until: time(0, 20)))
        schedule.tokenReceived(lifetimeSeconds: 3_600, at: time(0, 19), random: 0)
        #expect(schedule.decide(at: time(0, 19)) == .use)
        #expect(schedule.generation == 1)
    }

    @Test(
        arguments: [
            (random: 0.0, minute: 56), (random: 1.0, minute: 50), (random: 0.5, minute: 53),
            (random: 7.0, minute: 50), (random: -1.0, minute: 56),
        ] as [(random: Double, minute: UInt64)])
    func `the next token is requested some minutes ahead`(_ random: Double, _ minute: UInt64) {
        var schedule = withToken(random: random)
        #expect(schedule.decide(at: time(minute - 1, 59)) == .use)
        #expect(schedule.decide(at: time(minute)) == .useAndRequest)
        #expect(schedule.decide(at: time(minute)) == .use, "one request at a time")
        schedule.tokenReceived(lifetimeSeconds: 3_600, at: time(minute, 1), random: 0)
        #expect(schedule.generation == 2)
        #expect(schedule.decide(at: time(minute, 1)) == .use)
    }

    @Test func `the life of a token counts from its request`() {
        var schedule = AccessTokenSchedule()
        #expect(schedule.decide(at: time(0)) == .request)
        schedule.tokenReceived(lifetimeSeconds: 60, at: time(0, 15), random: 0)
        #expect(schedule.remainingMilliseconds(at: time(0, 15)) == 45_000)
    }

    @Test func `a short token is renewed in its second half`() {
        var schedule = AccessTokenSchedule()
        #expect(schedule.decide(at: time(0)) == .request)
        schedule.tokenReceived(lifetimeSeconds: 60, at: time(0), random: 1)
        #expect(schedule.decide(at: time(0, 29)) == .use)
        #expect(schedule.decide(at: time(0, 30)) == .useAndRequest)
    }

    @Test func `an outage of the token endpoint ends nothing before the token does`() {
        var schedule = withToken()
        // The last five seconds of the hour of a token are not used.
        let decisions = (0..<3_595 as Range<UInt64>).map { second in
            let decision = schedule.decide(at: time(0, second))
            if decision == .useAndRequest { schedule.requestFailed(at: time(0, second), random: 1) }
            return decision
        }
        let requests = decisions.count { $0 == .useAndRequest }
        #expect(decisions.count { $0 == .use } == decisions.count - requests)
        #expect((5...12).contains(requests), "the delays double up to a minute: \(requests)")
        #expect(schedule.decide(at: time(59, 56)) != .use)
    }

    @Test func `a token is requested when the token endpoint is back`() {
        var schedule = withToken()
        #expect(schedule.decide(at: time(59)) == .useAndRequest)
        schedule.requestFailed(at: time(59), random: 1)
        #expect(schedule.decide(at: time(62)) == .request)
        schedule.tokenReceived(lifetimeSeconds: 3_600, at: time(62, 1), random: 0)
        #expect(schedule.decide(at: time(62, 1)) == .use)
    }

    @Test func `the backoff doubles up to a minute`() {
        var schedule = AccessTokenSchedule()
        var now = time(0)
        for delay in [1, 2, 4, 8, 16, 32, 60, 60] as [UInt64] {
            #expect(schedule.decide(at: now) == .request)
            schedule.requestFailed(at: now, random: 1)
            let next = now + delay * 1_000
            #expect(schedule.decide(at: now) == .wait(until: next))
            now = next
        }
    }

    @Test func `the Retry-After of the token endpoint is obeyed for at most ten minutes`() {
        var schedule = AccessTokenSchedule()
        let now = time(0)
        #expect(schedule.decide(at: now) == .request)
        schedule.requestFailed(retryAfterMilliseconds: 90_000, at: now, random: 0)
        #expect(schedule.decide(at: now) == .wait(until: now + 90_000))
        #expect(schedule.decide(at: now + 90_000) == .request)
        schedule.requestFailed(retryAfterMilliseconds: .max, at: now + 90_000, random: 0)
        #expect(schedule.decide(at: now + 90_000) == .wait(until: now + 690_000))
    }

    @Test func `a request without an answer is made again`() {
        var schedule = AccessTokenSchedule()
        #expect(schedule.decide(at: time(0)) == .request)
        #expect(schedule.decide(at: time(0, 20)) == .wait(until: time(0, 21)))
        #expect(schedule.decide(at: time(0, 21)) == .request)
    }

    @Test func `a refused service account is asked every few minutes`() {
        var schedule = AccessTokenSchedule()
        #expect(schedule.decide(at: time(0)) == .request)
        schedule.requestFailed(isRefused: true, at: time(0), random: 1)
        #expect(schedule.decide(at: time(0)) == .refused(until: time(5)))
        #expect(schedule.decide(at: time(4, 59)) == .refused(until: time(5)))
        #expect(schedule.decide(at: time(5)) == .request)
        schedule.tokenReceived(lifetimeSeconds: 3_600, at: time(5), random: 0)
        #expect(schedule.decide(at: time(5)) == .use)
    }

    @Test func `a refused service account keeps its token until it ends`() {
        var schedule = withToken()
        #expect(schedule.decide(at: time(56)) == .useAndRequest)
        schedule.requestFailed(isRefused: true, at: time(56), random: 0)
        #expect(schedule.decide(at: time(57)) == .use)
        #expect(schedule.decide(at: time(60)) == .request)
    }

    @Test func `the second token that FCM refuses refuses the credential`() {
        var schedule = withToken()
        #expect(schedule.tokenRefused(generation: 1, at: time(1)) == .renew)
        #expect(
            schedule.tokenRefused(generation: 1, at: time(1)) == .renew, "the refusals of other requests say the same")
        #expect(schedule.decide(at: time(1)) == .request)
        schedule.tokenReceived(lifetimeSeconds: 3_600, at: time(1), random: 0)
        #expect(schedule.tokenRefused(generation: 1, at: time(1)) == .renew, "late answers are about the old token")
        #expect(schedule.decide(at: time(1)) == .use)
        #expect(schedule.tokenRefused(generation: 2, at: time(1)) == .refuseCredential)
    }

    @Test func `a token that worked may be replaced again`() {
        var schedule = withToken()
        #expect(schedule.tokenRefused(generation: 1, at: time(1)) == .renew)
        #expect(schedule.decide(at: time(1)) == .request)
        schedule.tokenReceived(lifetimeSeconds: 3_600, at: time(1), random: 0)
        schedule.tokenAccepted()
        #expect(schedule.tokenRefused(generation: 2, at: time(1)) == .renew)
    }

    @Test func `tokens that FCM refuses now and then are replaced every ten seconds`() {
        var schedule = withToken()
        #expect(schedule.tokenRefused(generation: 1, at: time(1)) == .renew)
        #expect(schedule.decide(at: time(1)) == .request)
        schedule.tokenReceived(lifetimeSeconds: 3_600, at: time(1), random: 0)
        schedule.tokenAccepted()
        #expect(schedule.tokenRefused(generation: 2, at: time(1, 1)) == .renew)
        #expect(schedule.decide(at: time(1, 1)) == .wait(until: time(1, 10)))
        #expect(schedule.decide(at: time(1, 10)) == .request)
        schedule.tokenReceived(lifetimeSeconds: 3_600, at: time(1, 11), random: 0)
        schedule.tokenAccepted()
        #expect(schedule.tokenRefused(generation: 3, at: time(1, 12)) == .renew)
        #expect(schedule.decide(at: time(1, 12)) == .wait(until: time(1, 20)))
    }

    @Test func `extreme numbers do not trap`() {
        var schedule = AccessTokenSchedule()
        #expect(schedule.decide(at: .max) == .request)
        schedule.tokenReceived(lifetimeSeconds: .max, at: .max, random: .infinity)
        _ = schedule.decide(at: .max)
        for _ in 0..<100 { schedule.requestFailed(retryAfterMilliseconds: .max, at: .max, random: 0) }
        #expect(schedule.remainingMilliseconds(at: 0) == .max)
    }
}
