import CarillonCore
import CarillonFCM
import Testing

@testable import CarillonDelivery

/// One message for devices of two providers.
///
/// `1>7` is message 1 on its way to device 7.
struct DeliveryEngineFCMTests {
    private static let fcm = PoolKey(destination: .fcm, credential: "firebase")
    private static let routes = Routes([
        EngineHarness.app: [.apnsProduction: PoolKey.production, .fcm: fcm]
    ])
    private static let policy = RetryPolicy(providers: [.fcm: FCMAdapter.backoffs])
    private static let unregistered = Verdict.refused(.tokenUnregistered, deadSince: nil)

    private static func android(_ devices: ClosedRange<UInt64>) -> [EngineHarness.Recipient] {
        devices.map { EngineHarness.Recipient(device: $0, kind: .fcm) }
    }

    @Test func `each provider's pool gets its devices`() {
        var harness = EngineHarness(routes: Self.routes)
        harness.send(
            .message(1),
            to: [.init(device: 1), .init(device: 2, kind: .fcm), .init(device: 3, kind: .fid)])
        let phones = harness.pull(9)
        let androids = harness.pull(9, for: Self.fcm)
        #expect(phones.transcript == ["1>1"])
        #expect(androids.transcript == ["1>2", "1>3"])
        #expect(androids.map { $0.page.recipients[$0.index].kind } == [.fcm, .fid])
        harness.complete(phones, .delivered)
        harness.complete(androids, .delivered, for: Self.fcm)
        #expect(harness.records().count == 3)
    }

    @Test func `without a pool an Android device has no credential`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: [.init(device: 1, kind: .fcm), .init(device: 2, kind: .web)])
        let ended = harness.takeActions().records.flatMap(\.endedRecipients)
        #expect(ended.map(\.outcome) == [.noCredential, .noCredential])
    }

    @Test func `an unreachable provider does not delay the others`() {
        var harness = EngineHarness(routes: Self.routes)
        harness.engine.poolBecameUnreachable(Self.fcm, at: harness.now)
        harness.send(.message(1), to: [.init(device: 1), .init(device: 2, kind: .fcm)])
        #expect(harness.pull(9).transcript == ["1>1"])
        #expect(harness.pull(9, for: Self.fcm).isEmpty)
    }

    @Test func `the delays after an error of FCM differ`() {
        var harness = EngineHarness(routes: Self.routes, policy: Self.policy)
        harness.send(.message(1), to: Self.android(1...100))
        let busy = Verdict.tryLater(.serverBusy, afterMilliseconds: 10_000)
        harness.complete(harness.pull(100, for: Self.fcm), busy, for: Self.fcm)
        let first = harness.takeActions().records.flatMap(\.delays).map {
            $0.dueAt.milliseconds(since: harness.now.wall)
        }
        #expect(first.count == 100)
        #expect(first.allSatisfy { (10_000...20_000).contains($0) })
        #expect(Set(first).count > 50)
    }

    @Test func `the delay after an error of FCM doubles`() throws {
        var harness = EngineHarness(routes: Self.routes, policy: Self.policy)
        harness.send(.message(1), to: Self.android(1...1))
        var delays: [UInt64] = []
        for _ in 0..<2 {
            let busy = Verdict.tryLater(.serverBusy, afterMilliseconds: 10_000)
            harness.complete(harness.pull(1, for: Self.fcm), busy, for: Self.fcm)
            let delay = try #require(harness.engine.deadline) - harness.now.uptime
            delays.append(delay)
            harness.advance(delay)
        }
        #expect((10_000...20_000).contains(delays[0]))
        #expect((20_000...40_000).contains(delays[1]))
    }

    @Test func `an unregistered device is quarantined without a time`() {
        var harness = EngineHarness(routes: Self.routes)
        harness.send(.message(1), to: Self.android(1...1))
        harness.complete(harness.pull(9, for: Self.fcm), Self.unregistered, for: Self.fcm)
        let ended = harness.takeActions().records.flatMap(\.endedRecipients)
        #expect(ended.map(\.outcome) == [.tokenUnregistered])
        #expect(ended.first?.deadToken?.since == harness.now.wall)
    }

    @Test func `a bad token is tried nowhere else`() {
        var harness = EngineHarness(routes: Self.routes)
        harness.send(.message(1), to: Self.android(1...1))
        harness.complete(
            harness.pull(9, for: Self.fcm), .refused(.badToken, deadSince: nil), for: Self.fcm)
        let ended = harness.takeActions().records.flatMap(\.endedRecipients)
        #expect(ended.map(\.outcome) == [.badToken])
        #expect(ended.first?.deadToken != nil)
        #expect(harness.pull(9).isEmpty)
    }

    @Test func `unregistered devices are quarantined if they are a third of all`() {
        var harness = EngineHarness(routes: Self.routes)
        harness.send(.message(1), to: Self.android(1...600))
        var deaths = 0
        while case let deliveries = harness.pull(30, for: Self.fcm), !deliveries.isEmpty {
            harness.complete(Array(deliveries[..<(deliveries.count / 3)]), Self.unregistered, for: Self.fcm)
            harness.complete(Array(deliveries[(deliveries.count / 3)...]), .delivered, for: Self.fcm)
            let effects = harness.takeActions()
            #expect(effects.alarmReports.isEmpty)
            deaths += effects.records.flatMap(\.endedRecipients).count { $0.deadToken != nil }
        }
        #expect(deaths == 200)
    }

    @Test func `if most devices are unregistered, none is quarantined until the alarm ends`() {
        var harness = EngineHarness(routes: Self.routes)
        harness.send(.message(1), to: Self.android(1...4_000))
        let tooFewForAnAlarm = TokenBreaker.Limits.unregistered.minimumBadAnswers - 1
        harness.complete(harness.pull(tooFewForAnAlarm, for: Self.fcm), Self.unregistered, for: Self.fcm)
        #expect(harness.takeActions().alarmReports.isEmpty)
        harness.complete(harness.pull(100, for: Self.fcm), Self.unregistered, for: Self.fcm)
        let effects = harness.takeActions()
        #expect(effects.alarmReports == [.badTokens(EngineHarness.app, .fcm, isOver: false)])
        #expect(effects.records.flatMap(\.endedRecipients).allSatisfy { $0.outcome == .tokenUnregistered })
        #expect(effects.records.flatMap(\.endedRecipients).allSatisfy { $0.deadToken == nil })
        var alarms: [DeliveryEngine.AlarmReport] = []
        while alarms.isEmpty, case let good = harness.pull(100, for: Self.fcm), !good.isEmpty {
            harness.complete(good, .delivered, for: Self.fcm)
            alarms = harness.takeActions().alarmReports
        }
        #expect(alarms == [.badTokens(EngineHarness.app, .fcm, isOver: true)])
    }
}
