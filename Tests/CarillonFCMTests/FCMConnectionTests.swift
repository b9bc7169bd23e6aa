import CarillonCore
import CarillonFCM
import Testing

/// What is different on a connection to Google's front end.
@Suite struct FCMConnectionRulesTests {
    @Test func aHundredStreamsAreTheMostBeforeAndAfterSettings() {
        var rules = FCMConnectionRules(now: 0)
        #expect(rules.streamAllowance == 100)
        rules.streamsChanged(open: 100, at: 1)
        #expect(rules.streamAllowance == 0)
        rules.settingsReceived(maxConcurrentStreams: 250)
        #expect(rules.maximumStreams == 100)
        rules.settingsReceived(maxConcurrentStreams: 3)
        #expect(rules.maximumStreams == 3)
        #expect(rules.streamAllowance == 0)
        rules.streamsChanged(open: 2, at: 2)
        #expect(rules.streamAllowance == 1)
        rules.settingsReceived(maxConcurrentStreams: -1)
        #expect(rules.maximumStreams == 0)
    }

    @Test func anIdleConnectionIsClosedBeforeTheFrontEndDoesIt() {
        var rules = FCMConnectionRules(now: 1_000)
        #expect(rules.deadline == 151_000)
        rules.streamsChanged(open: 1, at: 140_000)
        rules.bytesReceived(at: 141_000)
        rules.streamsChanged(open: 0, at: 141_000)
        #expect(rules.timerFired(at: 290_999) == .wait)
        #expect(rules.timerFired(at: 291_000) == .closeIdle)
        #expect(FCMConnectionRules.Limits().idleMilliseconds < 180_000)
    }

    @Test func silenceWhileAnswersAreAwaitedEndsAConnectionWithoutAnyPing() {
        var rules = FCMConnectionRules(now: 0)
        rules.streamsChanged(open: 5, at: 100_000)
        #expect(rules.deadline == 125_000, "silence counts from the first request, not from the last byte before it")
        rules.bytesReceived(at: 110_000)
        rules.streamsChanged(open: 4, at: 110_000)
        #expect(rules.timerFired(at: 134_999) == .wait)
        #expect(rules.timerFired(at: 135_000) == .drain)
    }

    @Test(
        arguments: [
            (0, "session_timed_out", .reconnectOnDemand), (0, "", .reconnectOnDemand),
            (11, "too_many_pings", .ownFault),
            (11, "", .backOff), (1, "exceeded_max_concurrent_streams", .ownFault), (2, "", .backOff),
        ] as [(UInt32, String, FCMConnectionRules.OnGoAway)])
    func aGoAwayIsJudgedByItsCode(_ code: UInt32, _ text: String, _ meaning: FCMConnectionRules.OnGoAway) {
        #expect(FCMConnectionRules.goAway(errorCode: code, debugData: text) == meaning)
    }
}

/// The quota of a project.
@Suite struct FCMQuotaTests {
    /// Takes all there is, every millisecond, and returns how many that were.
    private func drain(_ quota: inout FCMQuota, from: UInt64, milliseconds: UInt64) -> Int {
        (from..<from + milliseconds).reduce(0) { $0 + quota.take(upTo: .max, at: Uptime(milliseconds: $1)) }
    }

    @Test func newTrafficGrowsOverAMinute() {
        var quota = FCMQuota(now: 0)
        let seconds = (0..<70).map { drain(&quota, from: UInt64($0) * 1_000, milliseconds: 1_000) }
        #expect((100...400).contains(seconds[0]), "the first second: \(seconds[0])")
        #expect((4_500...5_500).contains(seconds[30]), "half a minute later: \(seconds[30])")
        #expect((9_400...9_600).contains(seconds[65]), "95 of 100 of 10,000: \(seconds[65])")
        for (one, next) in zip(seconds, seconds.dropFirst()) { #expect(next >= one - 1) }
    }

    @Test func noMinuteHasMoreThanTheQuota() {
        var quota = FCMQuota(now: 0)
        _ = drain(&quota, from: 0, milliseconds: 65_000)
        #expect(drain(&quota, from: 65_000, milliseconds: 60_000) <= 600_000)
    }

    @Test func unusedMessagesAreNotSavedForABurst() {
        var quota = FCMQuota(now: 0)
        _ = drain(&quota, from: 0, milliseconds: 65_000)
        #expect(quota.take(upTo: .max, at: 300_000) <= 2_500)
    }

    @Test func aPauseDoesNotRaiseTheRate() {
        var quota = FCMQuota(now: 0)
        #expect(quota.take(upTo: 1, at: 0) == 1)
        _ = quota.take(upTo: .max, at: 120_000)
        #expect(quota.messagesPerMinute < 30_000)
    }

    @Test func aRefusalPausesTheProjectAndHalvesItsRate() {
        var quota = FCMQuota(now: 0)
        _ = drain(&quota, from: 0, milliseconds: 65_000)
        let full = quota.messagesPerMinute
        quota.exceeded(retryAfter: nil, sentAt: 64_990, at: 65_000)
        // The messages that were in flight are refused too.
        quota.exceeded(retryAfter: nil, sentAt: 64_995, at: 65_050)
        #expect(drain(&quota, from: 65_000, milliseconds: 60_000) == 0)
        #expect(quota.nextTime(after: 70_000) == 125_000)
        #expect((full / 2 - 100...full / 2 + 100).contains(quota.messagesPerMinute))
        #expect((3_500...6_000).contains(drain(&quota, from: 125_000, milliseconds: 1_000)))
        // One that was sent after the pause halves it again.
        quota.exceeded(retryAfter: 2_000, sentAt: 125_500, at: 126_000)
        #expect(quota.nextTime(after: 126_000) == 128_000)
    }

    @Test func retryAfterIsObeyedWithinABound() {
        var quota = FCMQuota(now: 0)
        quota.exceeded(retryAfter: .max, sentAt: 0, at: 1_000)
        #expect(quota.nextTime(after: 1_000) == 601_000)
        var other = FCMQuota(now: 0)
        other.exceeded(retryAfter: 7_000, sentAt: 0, at: 1_000)
        other.exceeded(retryAfter: 9_000, sentAt: 0, at: 2_000)
        #expect(other.nextTime(after: 2_000) == 11_000, "the longer of two pauses")
    }

    @Test func trafficAfterALongPauseIsNew() {
        var quota = FCMQuota(now: 0)
        _ = drain(&quota, from: 0, milliseconds: 65_000)
        #expect((0...400).contains(drain(&quota, from: 665_000, milliseconds: 1_000)))
    }

    @Test func messagesThatWereNotWrittenAreGivenBack() {
        var quota = FCMQuota(now: 0)
        #expect(quota.take(upTo: 5, at: 0) == 1)
        #expect(quota.take(upTo: 5, at: 0) == 0)
        #expect(quota.nextTime(after: 0) > 0)
        quota.giveBack(1)
        #expect(quota.take(upTo: 5, at: 0) == 1)
        quota.giveBack(-4)
        #expect(quota.take(upTo: 5, at: 0) == 0)
    }

    @Test func extremeLimitsDoNotTrap() {
        var limits = FCMQuota.Limits()
        (limits.messagesPerMinute, limits.share, limits.rampMilliseconds) = (0, -1, 0)
        var quota = FCMQuota(limits: limits, now: 0)
        _ = quota.take(upTo: 1, at: .max)
        _ = quota.nextTime(after: .max)
        quota.exceeded(retryAfter: .max, sentAt: .max, at: .max)
    }
}
