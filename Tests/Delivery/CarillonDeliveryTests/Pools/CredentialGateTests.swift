import CarillonCore
import Testing

@testable import CarillonDelivery

/// One refusal is asked about again at once; after the second an app waits, and is tried again by itself.
struct CredentialGateTests {
    private static let minute: UInt64 = 60_000
    private let first = AppID("com.example.first")!
    private let second = AppID("com.example.second")!
    private let third = AppID("com.example.third")!

    private func makeGate(_ apps: AppID...) -> CredentialGate { CredentialGate(serving: Set(apps)) }

    private func delivery(_ app: AppID, _ message: UInt64 = 1) -> CredentialGate.Trial {
        CredentialGate.Trial(app: app, message: MessageID(rawValue: message), page: 0, position: 0)
    }

    /// Refuses the next delivery of an app, which is a trial; returns the decision.
    private func refuseTrial(
        _ gate: inout CredentialGate, _ app: AppID, at now: Uptime
    ) -> CredentialGate.Decision? {
        #expect(gate.admission(of: app) == .trial)
        gate.trialHandedOut(delivery(app, now.milliseconds))
        return gate.trialRefused(delivery(app, now.milliseconds), at: now)
    }

    @Test func `only an answer about the push accepts the credential`() {
        let accepting: [Verdict] = [
            .delivered, .refused(.badToken, deadSince: nil), .tryLater(.throttled, afterMilliseconds: nil),
        ]
        #expect(accepting.allSatisfy { CredentialGate.Report($0) == .accepted })
        let silent: [Verdict] = [
            .tryLater(.serverBusy, afterMilliseconds: nil), .tryLater(.heldBack, afterMilliseconds: nil), .notProcessed,
            .unknown,
        ]
        #expect(silent.allSatisfy { CredentialGate.Report($0) == .undecided })
        #expect(CredentialGate.Report(.credentialRefused) == .refused)
    }

    @Test func `a credential that was refused once is tried again at once`() {
        var gate = makeGate(first, second)
        #expect(gate.admitsAll)
        #expect(gate.trialRefused(delivery(first), at: 1_000) == nil, "the refusal decides nothing yet")
        let admissions = [first, second].map { gate.admission(of: $0) }
        #expect(admissions == [.trial, .admitted], "one that shares the key goes on")
        #expect(gate.nextTrial == nil)
        #expect(!gate.isParked)
        #expect(!gate.admitsAll)
        #expect([first, second].map { gate.refusedSince(for: $0) } == [1_000, nil])
    }

    @Test func `a trial that is accepted ends the refusal`() {
        var gate = makeGate(first, second)
        _ = gate.trialRefused(delivery(first), at: 1_000)
        // Another that was on its way is refused too.
        #expect(gate.trialRefused(delivery(first, 2), at: 1_010) == nil)
        gate.trialHandedOut(delivery(first, 3))
        #expect(gate.trial == delivery(first, 3))
        #expect(gate.trialAccepted(delivery(first, 3), at: 1_100) == nil, "no operator needs to know")
        #expect(gate.admitsAll)
        #expect(gate.admission(of: first) == .admitted)
        #expect(gate.trial == nil)
    }

    @Test func `the waits of an app grow from one minute to an hour`() {
        var gate = makeGate(first, second)
        _ = gate.trialRefused(delivery(first), at: 0)
        var now: Uptime = 10
        for (index, minutes) in ([1, 5, 15, 60, 60, 60] as [UInt64]).enumerated() {
            let until = now + minutes * Self.minute
            #expect(refuseTrial(&gate, first, at: now) == .parked(first, until: until, isFirst: index == 0))
            #expect(gate.admission(of: first) == .parked)
            #expect(gate.admission(of: second) == .admitted)
            #expect(gate.nextTrial == until)
            let isDueBefore = gate.timerFired(at: until.earlier(byMilliseconds: 1))
            let isDue = gate.timerFired(at: until)
            #expect([isDueBefore, isDue] == [false, true])
            now = until
        }
        gate.trialHandedOut(delivery(first, 99))
        #expect(gate.trialAccepted(delivery(first, 99), at: now) == .accepted(first, wasParked: false))
        #expect(gate.admitsAll)
    }

    @Test func `the waits of an app begin again with a minute once a trial was accepted`() {
        var gate = makeGate(first, second)
        _ = gate.trialRefused(delivery(first), at: 0)
        var now: Uptime = 10
        for minutes in [1, 5] as [UInt64] {
            _ = refuseTrial(&gate, first, at: now)
            now = now + minutes * Self.minute
            _ = gate.timerFired(at: now)
        }
        gate.trialHandedOut(delivery(first, 99))
        _ = gate.trialAccepted(delivery(first, 99), at: now)

        _ = gate.trialRefused(delivery(first), at: now)
        #expect(refuseTrial(&gate, first, at: now) == .parked(first, until: now + Self.minute, isFirst: true))
    }

    @Test func `a trial whose answer is not about the credential is repeated`() {
        var gate = makeGate(first)
        _ = gate.trialRefused(delivery(first), at: 0)
        gate.trialHandedOut(delivery(first, 2))
        gate.trialUndecided(delivery(first, 7))
        #expect(gate.trial == delivery(first, 2), "only the trial itself counts")
        gate.trialUndecided(delivery(first, 2))
        #expect(gate.trial == nil)
        #expect(gate.admission(of: first) == .trial)
    }

    @Test func `a pool with one app is parked with that app`() {
        var gate = makeGate(first)
        _ = gate.trialRefused(delivery(first), at: 0)
        #expect(!gate.isParked)
        _ = refuseTrial(&gate, first, at: 10)
        #expect(gate.isParked)
        #expect(gate.parkedCount == 1)
        _ = gate.timerFired(at: 10 + Self.minute)
        #expect(gate.isParked, "until a push is accepted")
        gate.trialHandedOut(delivery(first, 2))
        _ = gate.trialAccepted(delivery(first, 2), at: 10 + Self.minute)
        #expect(!gate.isParked)
        #expect(gate.parkedCount == 0)
    }

    @Test func `a second app stops the pool if none was accepted since`() {
        var gate = makeGate(first, second, third)
        for app in [first, second] {
            _ = gate.trialRefused(delivery(app), at: 100)
            _ = refuseTrial(&gate, app, at: 110)
        }
        #expect(gate.isParked)
        #expect(gate.parkedCount == 2)
        // The third app was not refused. It gets one push, whose answer shows that the key is good.
        #expect(gate.admission(of: third) == .trial)
        #expect(gate.refusedSince(for: third) == 100)
        gate.trialHandedOut(delivery(third))
        #expect(gate.trialAccepted(delivery(third), at: 200) == nil)
        #expect(!gate.isParked)
        #expect([third, first, second].map { gate.admission(of: $0) } == [.admitted, .parked, .parked])
    }

    @Test func `a pool is not parked if an app of it is accepted in between`() {
        var gate = makeGate(first, second, third)
        _ = gate.trialRefused(delivery(first), at: 100)
        _ = refuseTrial(&gate, first, at: 110)
        _ = gate.trialAccepted(delivery(third), at: 150)
        _ = gate.trialRefused(delivery(second), at: 160)
        _ = refuseTrial(&gate, second, at: 170)
        #expect(!gate.isParked)
        #expect(gate.admission(of: third) == .admitted)
    }

    @Test func `an app that is refused while the pool is stopped waits too`() {
        var gate = makeGate(first, second, third)
        for app in [first, second] {
            _ = gate.trialRefused(delivery(app), at: 0)
            _ = refuseTrial(&gate, app, at: 0)
        }
        #expect(refuseTrial(&gate, third, at: 50) == .parked(third, until: 50 + Self.minute, isFirst: true))
        #expect(gate.nextTrial == Uptime(milliseconds: Self.minute))
    }

    // MARK: Connections that APNs ends

    @Test func `a single connection that APNs ends does not stop the pool`() {
        var gate = makeGate(first, second)
        #expect(gate.connectionRefused(at: 0) == nil)
        #expect(gate.admission(of: first) == .trial)
        #expect(gate.admission(of: second) == .trial)
        #expect(!gate.isParked)
        gate.trialHandedOut(delivery(second))
        #expect(gate.trialAccepted(delivery(second), at: 10) == nil)
        #expect(gate.admitsAll)
    }

    @Test func `every app is parked when APNs ends a second connection in a row`() {
        var gate = makeGate(first, second)
        _ = gate.connectionRefused(at: 0)
        #expect(gate.connectionRefused(at: 10) == .parked(nil, until: 10 + Self.minute, isFirst: true))
        #expect(gate.connectionRefused(at: 11) == nil, "its other connections")
        #expect(gate.isParked)
        #expect(gate.parkedCount == 2)
        #expect([first, second].map { gate.admission(of: $0) } == [.parked, .parked])
    }

    @Test func `a parked pool is tried again and is admitted when a trial is accepted`() {
        var gate = makeGate(first, second)
        for time in [0, 10] as [Uptime] { _ = gate.connectionRefused(at: time) }
        let later: Uptime = 10 + Self.minute
        _ = gate.timerFired(at: later)
        #expect(gate.admission(of: first) == .trial)
        #expect(gate.connectionRefused(at: later) == .parked(nil, until: later + 5 * Self.minute, isFirst: false))
        _ = gate.timerFired(at: later + 5 * Self.minute)
        gate.trialHandedOut(delivery(first))
        let decision = gate.trialAccepted(delivery(first), at: later + 5 * Self.minute)
        #expect(decision == .accepted(nil, wasParked: false))
        #expect(gate.admitsAll)
        #expect(!gate.isParked)
    }

    @Test func `a trial that is accepted admits a pool that was parked meanwhile`() {
        var gate = makeGate(first, second)
        _ = gate.connectionRefused(at: 0)
        gate.trialHandedOut(delivery(first))
        _ = gate.connectionRefused(at: 10)
        #expect(gate.admission(of: first) == .parked)
        #expect(gate.trialAccepted(delivery(first), at: 20) == .accepted(nil, wasParked: true))
        #expect(gate.admitsAll)
    }

    @Test func `a refused trial of a whole pool counts for all its apps`() {
        var gate = makeGate(first, second)
        _ = gate.connectionRefused(at: 0)
        #expect(refuseTrial(&gate, first, at: 10) == .parked(nil, until: 10 + Self.minute, isFirst: true))
        #expect(gate.admission(of: second) == .parked)
    }

    @Test func `an app that leaves the pool is forgotten`() {
        var gate = makeGate(first, second)
        _ = gate.trialRefused(delivery(first), at: 0)
        _ = refuseTrial(&gate, first, at: 0)
        gate.servedAppsChanged(to: [second])
        #expect(gate.admitsAll)
        #expect(gate.nextTrial == nil)
    }
}
