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

    @Test func eachStepOfAConnectionHasItsDeadline() {
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
        machine.drainingBegan(at: 500)
        states.append(machine.state)
        isDue(from: 20_500, .drainTimeout, isWaiting: true)
        #expect(states == [.connecting, .handshaking, .awaitingSettings, .probing, .draining])

        machine.connectionClosed()
        #expect(machine.deadline(isWaiting: true) == nil)
        #expect(machine.timerFired(isWaiting: true, at: .max) == .wait)
    }

    @Test func aMissedDeadlineIsNoFaultOfThePushes() {
        var machine = open()
        machine.drainingBegan(at: 500)
        _ = machine.timerFired(isWaiting: true, at: 20_499)
        #expect(!machine.endsRegardlessOfPushes)
        _ = machine.timerFired(isWaiting: true, at: 20_500)
        #expect(machine.endsRegardlessOfPushes)
    }

    @Test(arguments: [true, false]) func onlyAnEndWithAnErrorMayBeAFaultOfThePushes(_ isError: Bool) {
        var machine = open()
        machine.goAwayReceived(isError: isError, at: 500)
        #expect(machine.state == .draining)
        #expect(machine.endsRegardlessOfPushes == !isError)
    }

    @Test func aConnectionThatIsClosedIsClosing() {
        var machine = open()
        #expect(!machine.isClosing)
        machine.closingBegan()
        #expect(machine.isClosing)
        #expect(machine.state == .open, "the answers that were received still count")
        var closed = open()
        closed.connectionClosed()
        #expect(closed.isClosing)
    }

    @Test func eventsOutOfOrderChangeNothing() {
        var machine = Machine(now: 0)
        machine.handshakeCompleted(at: 1)
        #expect(machine.state == .connecting)
        machine.tcpConnected(at: 2)
        machine.tcpConnected(at: 9)
        #expect(machine.deadline(isWaiting: false) == 10_002)
        machine.connectionClosed()
        machine.settingsReceived(maxConcurrentStreams: 5, at: 3)
        machine.pushDelivered(at: 3)
        machine.drainingBegan(at: 3)
        #expect(machine.state == .closed)
        #expect(machine.pushAnswered(answer(403, "ExpiredProviderToken"), at: 3) == .proceed)
    }

    @Test func oneStreamIsUsedUntilAnAnswerShowsThatTheTokenIsGood() {
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
            // This says nothing about the token.
            FirstAnswer(status: 503, reason: "ServiceUnavailable", state: .probing),
            FirstAnswer(status: 403, reason: "InvalidProviderToken", state: .draining),
            FirstAnswer(status: 403, reason: "ExpiredProviderToken", state: .draining),
            FirstAnswer(status: 429, reason: "TooManyProviderTokenUpdates", state: .draining),
            FirstAnswer(status: 400, reason: "IdleTimeout", state: .draining),
            FirstAnswer(status: 503, reason: "Shutdown", state: .draining),
        ])
    func theFirstAnswerOpensOrDrainsTheConnection(_ first: FirstAnswer) {
        var machine = Machine(now: 0)
        machine.tcpConnected(at: 0)
        machine.handshakeCompleted(at: 0)
        machine.settingsReceived(maxConcurrentStreams: 1, at: 0)
        let decision = machine.pushAnswered(answer(first.status, first.reason), at: 1)
        #expect(decision == (first.state == .draining ? .drain : .proceed))
        #expect(machine.state == first.state)
    }

    @Test func aConnectionWithACertificateIsOpenWithoutAProbe() {
        let machine = withSettings(provesProviderToken: false)
        #expect(machine.state == .open)
        #expect(machine.streamAllowance(openStreams: 0) == 1_000)
        #expect(!machine.isProven)
    }

    @Test func theStreamsAllowedFollowThePeer() {
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

    @Test func anIdlePeerIsPinged() {
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

    @Test func aPeerThatIsSilentWhileAnswersAreAwaitedIsPingedSooner() {
        var machine = open()
        #expect(machine.timerFired(isWaiting: true, at: 9_999) == .wait)
        #expect(machine.timerFired(isWaiting: true, at: 10_000) == .ping(1))
        #expect(machine.timerFired(isWaiting: true, at: 15_000) == .close(.pingTimeout))
    }

    @Test func afterIdleTimeTheFirstPushBringsAPing() {
        var machine = open()
        #expect(machine.timerFired(isWaiting: false, at: 50_000) == .wait)
        #expect(machine.timerFired(isWaiting: true, at: 50_000) == .ping(1))
    }

    @Test func aPushAfterAnIdleTimeIsCheckedAtOnce() {
        var machine = open()
        machine.pushDelivered(at: 0)
        machine.pushesSubmitted(afterIdle: true, at: 30_000)
        #expect(machine.timerFired(isWaiting: true, at: 30_250) == .ping(1))
    }

    @Test func manyServerErrorsInARowEndTheConnection() {
        var machine = open()
        let error = answer(500, "InternalServerError")
        for _ in 1..<20 { #expect(machine.pushAnswered(error, at: 1) == .proceed) }
        machine.pushDelivered(at: 2)
        for _ in 1..<20 { #expect(machine.pushAnswered(error, at: 3) == .proceed) }
        #expect(machine.pushAnswered(error, at: 4) == .drain)
        #expect(machine.state == .draining)
        // It is reported once.
        #expect(machine.pushAnswered(error, at: 5) == .proceed)
    }

    @Test func manyStreamsInARowWithoutAnAnswerEndTheConnection() {
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

    @Test func refusedStreamsAboveALoweredLimitAreNoFaultOfThePeer() {
        var machine = open(streams: 1_000)
        machine.settingsReceived(maxConcurrentStreams: 1, at: 1)
        for open in (2...1_000).reversed() { #expect(machine.streamEndedUnanswered(among: open, at: 1) == .proceed) }
        #expect(machine.state == .open)
        for _ in 0..<19 { #expect(machine.streamEndedUnanswered(among: 1, at: 1) == .proceed) }
        #expect(machine.streamEndedUnanswered(among: 1, at: 1) == .drain)
    }

    @Test func aDrainingConnectionOpensNothing() {
        var machine = open()
        machine.drainingBegan(at: 1)
        #expect(machine.streamAllowance(openStreams: 0) == 0)
        machine.settingsReceived(maxConcurrentStreams: 100, at: 2)
        machine.pushDelivered(at: 3)
        #expect(machine.state == .draining)
        #expect(machine.streamAllowance(openStreams: 0) == 0)
    }

    @Test func onlyAnOldConnectionIsReplacedForATopicItDoesNotKnow() {
        var machine = open(provesProviderToken: true)
        let disallowed = answer(400, "TopicDisallowed")
        #expect(machine.pushAnswered(disallowed, at: 1) == .proceed)
        #expect(machine.pushAnswered(disallowed, at: 599_999) == .proceed)
        #expect(machine.state == .open)
        #expect(machine.pushAnswered(disallowed, at: 600_000) == .drain)
    }

    // MARK: A peer that takes nothing

    /// The number of open streams and the window decide whether a connection is blocked.
    @Test func aConnectionIsBlockedOnlyIfThePeerTakesNoPush() {
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
        machine.drainingBegan(at: 2)
        #expect(!machine.isBlocked(openStreams: 0, windowBytes: 0))
        #expect(!Machine(now: 0).isBlocked(openStreams: 0, windowBytes: 0))
    }

    @Test func blockedWorkOpensAnotherConnectionAndThenEndsThisOne() {
        var machine = withSettings(streams: 0)
        #expect(machine.decideAboutBlocked(at: 1_000) == .wait)
        #expect(machine.decideAboutBlocked(at: 5_999) == .wait)
        #expect(machine.decideAboutBlocked(at: 6_000) == .needAnother)
        #expect(machine.decideAboutBlocked(at: 6_250) == .wait, "it asks once")
        #expect(machine.decideAboutBlocked(at: 20_999) == .wait)
        #expect(machine.decideAboutBlocked(at: 21_000) == .drain)
        #expect(machine.state == .draining)
        #expect(machine.decideAboutBlocked(at: 99_000) == .wait)
    }

    @Test func aPushThatIsTakenOrIdleTimeRestartsTheWaitForABlockedPeer() {
        var machine = open(streams: 10)
        #expect(machine.decideAboutBlocked(at: 0) == .wait)
        #expect(machine.decideAboutBlocked(at: 5_000) == .needAnother)
        machine.pushesSubmitted(afterIdle: true, at: 0)
        #expect(machine.decideAboutBlocked(at: 19_000) == .wait)
        machine.peerUnblocked()
        #expect(machine.decideAboutBlocked(at: 24_000) == .wait)
        #expect(machine.decideAboutBlocked(at: 29_000) == .needAnother)
        #expect(machine.decideAboutBlocked(at: 44_000) == .drain)
    }

    @Test func theTimeForBlockedWorkIsAtMostTheTimeForAnswers() {
        var limits = ConnectionMachine.Limits()
        limits.answerMilliseconds = 1_000
        var machine = Machine(limits: limits, now: 0)
        machine.tcpConnected(at: 0)
        machine.handshakeCompleted(at: 0)
        machine.settingsReceived(maxConcurrentStreams: 0, at: 0)
        #expect(machine.decideAboutBlocked(at: 0) == .wait)
        #expect(machine.decideAboutBlocked(at: 1_000) == .drain)
    }

    @Test(arguments: [true, false]) func aConnectionThatDoesNotShowThatItWorksIsGivenUp(_ provesProviderToken: Bool) {
        var machine = withSettings(provesProviderToken: provesProviderToken, at: 500)
        // It answers PINGs, and pushes with 503.
        machine.pingAcknowledged(at: 40_000)
        #expect(machine.pushAnswered(answer(503, "ServiceUnavailable"), at: 41_000) == .proceed)
        #expect(machine.deadline(isWaiting: false) == 60_500)
        let decisions = ([60_499, 60_500] as [Uptime]).map { machine.timerFired(isWaiting: false, at: $0) }
        #expect(decisions == [.wait, .drain])
        #expect(machine.state == .draining)
    }

    @Test(arguments: [true, false]) func aConnectionThatRefusesATokenShowsThatItWorks(_ provesProviderToken: Bool) {
        var machine = withSettings(provesProviderToken: provesProviderToken, at: 500)
        #expect(machine.pushAnswered(answer(400, "BadDeviceToken"), at: 501) == .proceed)
        #expect(machine.isProven)
        #expect(machine.timerFired(isWaiting: false, at: 60_501) == .ping(1))
        #expect(machine.state == .open)
    }

    // MARK: Without PINGs

    private func openWithoutPings() -> Machine {
        var limits = Machine.Limits()
        (limits.usesPings, limits.provesProviderToken, limits.streams) = (false, false, 100)
        (limits.idleMilliseconds, limits.silenceMilliseconds) = (150_000, 25_000)
        var machine = Machine(limits: limits, now: 0)
        machine.tcpConnected(at: 0)
        machine.handshakeCompleted(at: 0)
        machine.settingsReceived(maxConcurrentStreams: 1_000, at: 0)
        machine.pushDelivered(at: 0)
        return machine
    }

    @Test func withoutPingsAnIdleConnectionIsClosed() {
        var machine = openWithoutPings()
        #expect(machine.streamAllowance(openStreams: 0) == 100)
        machine.bytesReceived(at: 10_000)
        #expect(machine.timerFired(isWaiting: false, at: 159_999) == .wait)
        #expect(machine.timerFired(isWaiting: false, at: 160_000) == .closeIdle)
    }

    @Test func withoutPingsAConnectionWhosePeerIsSilentIsReplaced() {
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
