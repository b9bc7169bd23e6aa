import CarillonAPNs
import CarillonCore
import CarillonProvider
import Testing

/// The life cycle of one connection, deadline by deadline.
struct ConnectionMachineTests {
    private typealias Machine = ConnectionMachine

    private func answer(_ status: UInt16, _ reason: String = "") -> ProviderAnswer {
        Array("{\"reason\":\"\(reason)\"}".utf8).withUnsafeBytes {
            APNsAdapter(epoch: .zero).answer(status: status, body: $0, at: .zero)
        }
    }

    private func withSettings(provesProviderToken: Bool = true, streams: Int = 1_000, at now: Uptime = 0) -> Machine {
        var limits = Machine.Limits()
        limits.provesProviderToken = provesProviderToken
        var machine = Machine(limits: limits, now: now)
        machine.tcpConnected(at: now)
        machine.handshakeCompleted(at: now)
        machine.settingsReceived(maxConcurrentStreams: streams, at: now)
        return machine
    }

    private func open(provesProviderToken: Bool = false, streams: Int = 1_000, at now: Uptime = 0) -> Machine {
        var machine = withSettings(provesProviderToken: provesProviderToken, streams: streams, at: now)
        machine.pushDelivered(at: now)
        return machine
    }

    @Test func `each step of a connection has its deadline`() {
        var machine = Machine(now: 100)
        func isDue(from time: Uptime, _ reason: Machine.CloseReason, isWaiting: Bool = false) {
            #expect(machine.timerFired(isWaiting: isWaiting, at: time.earlier(byMilliseconds: 1)) == .wait)
            #expect(machine.timerFired(isWaiting: isWaiting, at: time) == .close(reason))
        }
        var states = [machine.state]
        #expect(machine.deadline(isWaiting: false) == 10_100)
        isDue(from: 10_100, .connectTimeout)

        machine.tcpConnected(at: 200)
        states.append(machine.state)
        isDue(from: 10_200, .handshakeTimeout)

        machine.handshakeCompleted(at: 300)
        states.append(machine.state)
        isDue(from: 5_300, .settingsTimeout)

        machine.settingsReceived(maxConcurrentStreams: 1, at: 400)
        states.append(machine.state)
        machine.drain(at: 500)
        states.append(machine.state)
        isDue(from: 20_500, .drainTimeout, isWaiting: true)
        #expect(states == [.connecting, .handshaking, .awaitingSettings, .probing, .draining])

        machine.close()
        #expect(machine.deadline(isWaiting: true) == nil)
        #expect(machine.timerFired(isWaiting: true, at: .max) == .wait)
    }

    @Test func `a missed deadline is no fault of the pushes`() {
        var machine = open()
        machine.drain(at: 500)
        _ = machine.timerFired(isWaiting: true, at: 20_499)
        #expect(!machine.endsIndependentlyOfPushes)
        _ = machine.timerFired(isWaiting: true, at: 20_500)
        #expect(machine.endsIndependentlyOfPushes)
    }

    @Test(arguments: [true, false]) func `only an end with an error may be a fault of the pushes`(_ isError: Bool) {
        var machine = open()
        machine.goAwayReceived(isError: isError, at: 500)
        #expect(machine.state == .draining)
        #expect(machine.endsIndependentlyOfPushes == !isError)
    }

    @Test func `a connection that is closed is closing`() {
        var machine = open()
        #expect(machine.streamAllowance(openStreams: 0) > 0)
        machine.close()
        #expect(machine.state == .closing)
        #expect(machine.streamAllowance(openStreams: 0) == 0)
        machine.pushDelivered(at: 500)
        #expect(machine.state == .closing)
    }

    @Test func `events out of order change nothing`() {
        var machine = Machine(now: 0)
        machine.handshakeCompleted(at: 1)
        #expect(machine.state == .connecting)
        machine.tcpConnected(at: 2)
        machine.tcpConnected(at: 9)
        #expect(machine.deadline(isWaiting: false) == 10_002)
        machine.close()
        machine.settingsReceived(maxConcurrentStreams: 5, at: 3)
        machine.pushDelivered(at: 3)
        machine.drain(at: 3)
        #expect(machine.state == .closing)
        #expect(machine.pushAnswered(answer(403, "ExpiredProviderToken"), at: 3) == .proceed)
    }

    @Test func `one stream is used until an answer shows that the token is good`() {
        var machine = Machine(now: 0)
        #expect(machine.streamAllowance(openStreams: 0) == 0)
        machine.tcpConnected(at: 0)
        machine.handshakeCompleted(at: 0)
        #expect(machine.streamAllowance(openStreams: 0) == 0)
        machine.settingsReceived(maxConcurrentStreams: 1_000, at: 0)
        #expect(machine.streamAllowance(openStreams: 0) == 1)
        #expect(machine.streamAllowance(openStreams: 1) == 0)
        machine.pushDelivered(at: 1)
        #expect(machine.state == .open)
        #expect(machine.streamAllowance(openStreams: 0) == 1_000)
    }

    /// The first answer on a connection, and the state of the connection after it.
    struct FirstAnswer: CustomTestStringConvertible {
        let status: UInt16
        let reason: String
        let state: ConnectionMachine.State

        var testDescription: String { "\(status) \(reason)" }
    }

    @Test(
        arguments: [
            FirstAnswer(status: 400, reason: "BadDeviceToken", state: .open),
            FirstAnswer(status: 410, reason: "Unregistered", state: .open),
            FirstAnswer(status: 429, reason: "TooManyRequests", state: .open),
            FirstAnswer(status: 400, reason: "TopicDisallowed", state: .open),
            FirstAnswer(status: 400, reason: "SomethingNew", state: .open),
            // This answer says nothing about the token.
            FirstAnswer(status: 503, reason: "ServiceUnavailable", state: .probing),
            FirstAnswer(status: 403, reason: "InvalidProviderToken", state: .draining),
            FirstAnswer(status: 403, reason: "ExpiredProviderToken", state: .draining),
            FirstAnswer(status: 429, reason: "TooManyProviderTokenUpdates", state: .draining),
            FirstAnswer(status: 400, reason: "IdleTimeout", state: .draining),
            FirstAnswer(status: 503, reason: "Shutdown", state: .draining),
        ])
    func `the first answer opens or drains the connection`(_ first: FirstAnswer) {
        var machine = Machine(now: 0)
        machine.tcpConnected(at: 0)
        machine.handshakeCompleted(at: 0)
        machine.settingsReceived(maxConcurrentStreams: 1, at: 0)
        let decision = machine.pushAnswered(answer(first.status, first.reason), at: 1)
        #expect(decision == (first.state == .draining ? .drain : .proceed))
        #expect(machine.state == first.state)
    }

    @Test func `a connection with a certificate is open without a probe`() {
        let machine = withSettings(provesProviderToken: false)
        #expect(machine.state == .open)
        #expect(machine.streamAllowance(openStreams: 0) == 1_000)
        #expect(!machine.isProven)
    }

    @Test func `the streams allowed follow the peer`() {
        var machine = open(streams: 1_000)
        #expect(machine.streamAllowance(openStreams: 400) == 600)
        machine.settingsReceived(maxConcurrentStreams: 1, at: 1)
        #expect(machine.streamAllowance(openStreams: 400) == 0)
        #expect(machine.streamAllowance(openStreams: 0) == 1)
        machine.settingsReceived(maxConcurrentStreams: 0, at: 2)
        #expect(machine.streamAllowance(openStreams: 0) == 0)
        machine.settingsReceived(maxConcurrentStreams: -1, at: 2)
        #expect(machine.streamAllowance(openStreams: 0) == 0)
        machine.settingsReceived(maxConcurrentStreams: 500, at: 3)
        #expect(machine.streamAllowance(openStreams: 100) == 400)
        machine.settingsReceived(maxConcurrentStreams: .max, at: 4)
        #expect(machine.streamAllowance(openStreams: 1) == 999)
        #expect(machine.state == .open)
    }

    @Test func `an idle peer is pinged`() {
        var machine = open()
        #expect(machine.deadline(isWaiting: false) == 60_000)
        machine.bytesReceived(at: 1_000)
        #expect(machine.timerFired(isWaiting: false, at: 60_999) == .wait)
        #expect(machine.timerFired(isWaiting: false, at: 61_000) == .ping(1))
        #expect(machine.deadline(isWaiting: false) == 66_000)
        machine.pingAcknowledged(at: 61_100)
        #expect(machine.timerFired(isWaiting: false, at: 66_000) == .wait)
        #expect(machine.timerFired(isWaiting: false, at: 121_100) == .ping(2))
        #expect(machine.timerFired(isWaiting: false, at: 126_099) == .wait)
        #expect(machine.timerFired(isWaiting: false, at: 126_100) == .close(.pingTimeout))
    }

    @Test func `a peer that is silent while answers are awaited is pinged sooner`() {
        var machine = open()
        #expect(machine.timerFired(isWaiting: true, at: 9_999) == .wait)
        #expect(machine.timerFired(isWaiting: true, at: 10_000) == .ping(1))
        #expect(machine.timerFired(isWaiting: true, at: 15_000) == .close(.pingTimeout))
    }

    @Test func `after idle time the first push brings a ping`() {
        var machine = open()
        #expect(machine.timerFired(isWaiting: false, at: 50_000) == .wait)
        #expect(machine.timerFired(isWaiting: true, at: 50_000) == .ping(1))
    }

    @Test func `a push after an idle time is checked at once`() {
        var machine = open()
        machine.pushDelivered(at: 0)
        machine.pushesSubmitted(afterIdle: true, at: 30_000)
        #expect(machine.timerFired(isWaiting: true, at: 30_250) == .ping(1))
    }

    @Test func `many server errors in a row end the connection`() {
        var machine = open()
        let error = answer(500, "InternalServerError")
        for _ in 1..<20 { #expect(machine.pushAnswered(error, at: 1) == .proceed) }
        machine.pushDelivered(at: 2)
        for _ in 1..<20 { #expect(machine.pushAnswered(error, at: 3) == .proceed) }
        #expect(machine.pushAnswered(error, at: 4) == .drain)
        #expect(machine.state == .draining)
        // The end is reported once.
        #expect(machine.pushAnswered(error, at: 5) == .proceed)
    }

    @Test func `many streams in a row without an answer end the connection`() {
        var machine = open(streams: 1_000)
        for _ in 0..<19 { #expect(machine.streamEndedUnanswered(among: 9, at: 1) == .proceed) }
        machine.pushDelivered(at: 1)
        // A third of a hundred waiting pushes is reset at once.
        for _ in 0..<33 { #expect(machine.streamEndedUnanswered(among: 100, at: 1) == .proceed) }
        machine.pushDelivered(at: 1)
        for _ in 0..<19 { #expect(machine.streamEndedUnanswered(among: 9, at: 1) == .proceed) }
        #expect(machine.streamEndedUnanswered(among: 9, at: 1) == .drain)
        #expect(machine.state == .draining)
    }

    @Test func `refused streams above a lowered limit are no fault of the peer`() {
        var machine = open(streams: 1_000)
        machine.settingsReceived(maxConcurrentStreams: 1, at: 1)
        for open in (2...1_000).reversed() { #expect(machine.streamEndedUnanswered(among: open, at: 1) == .proceed) }
        #expect(machine.state == .open)
        for _ in 0..<19 { #expect(machine.streamEndedUnanswered(among: 1, at: 1) == .proceed) }
        #expect(machine.streamEndedUnanswered(among: 1, at: 1) == .drain)
    }

    @Test func `a draining connection opens nothing`() {
        var machine = open()
        machine.drain(at: 1)
        #expect(machine.streamAllowance(openStreams: 0) == 0)
        machine.settingsReceived(maxConcurrentStreams: 100, at: 2)
        machine.pushDelivered(at: 3)
        #expect(machine.state == .draining)
        #expect(machine.streamAllowance(openStreams: 0) == 0)
    }

    @Test func `only an old connection is replaced for a topic it does not know`() {
        var machine = open(provesProviderToken: true)
        let disallowed = answer(400, "TopicDisallowed")
        #expect(machine.pushAnswered(disallowed, at: 1) == .proceed)
        #expect(machine.pushAnswered(disallowed, at: 599_999) == .proceed)
        #expect(machine.state == .open)
        #expect(machine.pushAnswered(disallowed, at: 600_000) == .drain)
    }

    // MARK: A peer that takes nothing

    /// The number of open streams and the window decide whether a connection is blocked.
    @Test func `a connection is blocked only if the peer takes no push`() {
        let probing = withSettings(streams: 1_000)
        let areBlocked = [0, 1].map { probing.isBlocked(openStreams: $0, windowBytes: 65_535) }
        #expect(areBlocked == [false, true], "the first push has no answer yet")
        #expect(withSettings(streams: 0).isBlocked(openStreams: 0, windowBytes: 65_535))
        var machine = open(streams: 10)
        #expect(!machine.isBlocked(openStreams: 10, windowBytes: 1), "all streams wait for answers")
        #expect(machine.isBlocked(openStreams: 0, windowBytes: 0))
        #expect(machine.isBlocked(openStreams: 3, windowBytes: -5))
        machine.settingsReceived(maxConcurrentStreams: 0, at: 1)
        #expect(machine.isBlocked(openStreams: 3, windowBytes: 65_535))
        machine.drain(at: 2)
        #expect(!machine.isBlocked(openStreams: 0, windowBytes: 0))
        #expect(!Machine(now: 0).isBlocked(openStreams: 0, windowBytes: 0))
    }

    @Test func `blocked work opens another connection and then ends this one`() {
        var machine = withSettings(streams: 0)
        #expect(machine.peerBlocked(at: 1_000) == .wait)
        #expect(machine.peerBlocked(at: 5_999) == .wait)
        #expect(machine.peerBlocked(at: 6_000) == .needAnother)
        #expect(machine.peerBlocked(at: 6_250) == .wait, "it asks once")
        #expect(machine.peerBlocked(at: 20_999) == .wait)
        #expect(machine.peerBlocked(at: 21_000) == .drain)
        #expect(machine.state == .draining)
        #expect(machine.peerBlocked(at: 99_000) == .wait)
    }

    @Test func `the wait for a blocked peer begins again after a taken push or idle time`() {
        var machine = open(streams: 10)
        #expect(machine.peerBlocked(at: 0) == .wait)
        #expect(machine.peerBlocked(at: 5_000) == .needAnother)
        machine.pushesSubmitted(afterIdle: true, at: 0)
        #expect(machine.peerBlocked(at: 19_000) == .wait)
        machine.peerUnblocked()
        #expect(machine.peerBlocked(at: 24_000) == .wait)
        #expect(machine.peerBlocked(at: 29_000) == .needAnother)
        #expect(machine.peerBlocked(at: 44_000) == .drain)
    }

    @Test func `the time for blocked work is at most the time for answers`() {
        var limits = ConnectionMachine.Limits()
        limits.answerTimeoutMilliseconds = 1_000
        var machine = Machine(limits: limits, now: 0)
        machine.tcpConnected(at: 0)
        machine.handshakeCompleted(at: 0)
        machine.settingsReceived(maxConcurrentStreams: 0, at: 0)
        #expect(machine.peerBlocked(at: 0) == .wait)
        #expect(machine.peerBlocked(at: 1_000) == .drain)
    }

    @Test(arguments: [true, false]) func `a connection that does not show that it works is given up`(
        _ provesProviderToken: Bool
    ) {
        var machine = withSettings(provesProviderToken: provesProviderToken, at: 500)
        // The peer answers PINGs, and answers pushes with 503.
        machine.pingAcknowledged(at: 40_000)
        #expect(machine.pushAnswered(answer(503, "ServiceUnavailable"), at: 41_000) == .proceed)
        #expect(machine.deadline(isWaiting: false) == 60_500)
        let decisions = ([60_499, 60_500] as [Uptime]).map { machine.timerFired(isWaiting: false, at: $0) }
        #expect(decisions == [.wait, .drain])
        #expect(machine.state == .draining)
    }

    @Test(arguments: [true, false]) func `a connection that refuses a token shows that it works`(
        _ provesProviderToken: Bool
    ) {
        var machine = withSettings(provesProviderToken: provesProviderToken, at: 500)
        #expect(machine.pushAnswered(answer(400, "BadDeviceToken"), at: 501) == .proceed)
        #expect(machine.isProven)
        #expect(machine.timerFired(isWaiting: false, at: 60_501) == .ping(1))
        #expect(machine.state == .open)
    }

    // MARK: Without PINGs

    private func openWithoutPings() -> Machine {
        var machine = Machine(limits: .withoutPings, now: 0)
        machine.tcpConnected(at: 0)
        machine.handshakeCompleted(at: 0)
        machine.settingsReceived(maxConcurrentStreams: 1_000, at: 0)
        machine.pushDelivered(at: 0)
        return machine
    }

    @Test func `without pings an idle connection is closed`() {
        var machine = openWithoutPings()
        #expect(machine.streamAllowance(openStreams: 0) == 100)
        machine.bytesReceived(at: 10_000)
        #expect(machine.timerFired(isWaiting: false, at: 159_999) == .wait)
        #expect(machine.timerFired(isWaiting: false, at: 160_000) == .closeIdle)
    }

    @Test func `without pings a connection whose peer is silent is replaced`() {
        var machine = openWithoutPings()
        machine.pushesSubmitted(afterIdle: true, at: 100_000)
        machine.pushesSubmitted(afterIdle: false, at: 110_000)
        #expect(machine.timerFired(isWaiting: true, at: 124_999) == .wait)
        #expect(machine.timerFired(isWaiting: true, at: 125_000) == .drain)
        #expect(machine.state == .draining)
        // The answers may still come; then it ends as every other.
        #expect(machine.timerFired(isWaiting: true, at: 145_000) == .close(.drainTimeout))
    }
}
