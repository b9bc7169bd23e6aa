import CarillonCore
import CarillonDelivery
import Testing

/// Credentials that a provider refuses: what is held back, what is tried, and when a device gives up waiting.
///
/// `1>7` is message 1 on its way to device 7; `page 1.0` is the first page of message 1.
struct DeliveryEngineCredentialsTests {
    private static let minute: UInt64 = 60_000
    /// The routes of two apps that share the credential of production.
    private static let shared = Routes([
        EngineHarness.app: [.apnsProduction: PoolKey.production, .apnsSandbox: PoolKey.sandbox],
        EngineHarness.otherApp: [.apnsProduction: PoolKey.production],
    ])
    private static let otherQueue = OutboxQueue(lane: .interactive, app: EngineHarness.otherApp)

    /// Serves an outbox with these messages, and these devices of each; records are on disk at once. Returns the first
    /// outcome that is written, if any is.
    @discardableResult
    private func serve(
        _ harness: inout EngineHarness, entries: [OutboundMessage], devices: ClosedRange<UInt64>
    ) -> String? {
        var outcome: String?
        for _ in 0..<5 {
            let actions = harness.takeActions()
            outcome = outcome ?? actions.records.transcript.first
            if actions.readsQueues { harness.engine.queuesRead(Set(entries.map(\.queue))) }
            for read in actions.messageReads {
                let found = entries.filter { $0.queue == read.queue }
                harness.engine.messagesRead(found, of: read.queue, isEnd: true, at: harness.now)
            }
            for read in actions.pageReads {
                let page = EngineHarness.page(devices, of: read.message.rawValue, isLast: true)
                harness.engine.pageRead(page, for: read, at: harness.now)
            }
        }
        return outcome
    }

    private func alarms(_ actions: DeliveryEngine.Actions) -> [String] {
        actions.alarmReports.map { alarm in
            switch alarm {
            case .badTokens: "bad tokens"
            case .credentialRefused(let pool, let app, let reason, let next, let isFirst):
                "\(pool) \(app?.name ?? "all") \(reason) \(next / Self.minute) \(isFirst ? "first" : "again")"
            case .credentialAccepted(let pool, let app): "\(pool) \(app?.name ?? "all") accepted"
            }
        }
    }

    // MARK: Refusals

    @Test func `one refused push of forty is tried once more`() {
        var harness = EngineHarness(routes: Self.shared)
        harness.send(.message(1), to: 1...40)
        let deliveries = harness.pull(20)
        harness.complete([deliveries[4]], .credentialRefused, reason: "InvalidProviderToken")
        #expect(harness.engine.takeActions().poolsToWake == [PoolKey.production])
        // The trial is handed out, and nothing else.
        let trial = harness.pull(20)
        #expect(trial.transcript == ["1>5"])
        #expect(harness.pull(20).isEmpty)
        harness.complete(deliveries.filter { $0.device.rawValue != 5 }, .delivered)
        #expect(harness.pull(20).isEmpty, "what was on its way shows nothing")
        harness.complete(trial, .delivered)
        #expect(alarms(harness.takeActions()).isEmpty)
        #expect(harness.pull(40).count == 20)
    }

    /// Two devices of the app are refused, and 50 of another app with the same credential get their push.
    private func refuseOneApp(_ harness: inout EngineHarness) {
        harness.send(.message(1), to: 1...2)
        harness.send(.message(2, app: EngineHarness.otherApp), to: 1...50)
        harness.complete(harness.pull(1), .credentialRefused, reason: "InvalidProviderToken")
        let others = harness.pull(100)
        #expect((others.count, others.transcript.filter { $0.hasPrefix("1>") }) == (51, ["1>1"]))
        harness.complete(others.filter { $0.message.id.rawValue == 2 }, .delivered)
        harness.complete(
            others.filter { $0.message.id.rawValue == 1 }, .credentialRefused, reason: "InvalidProviderToken")
    }

    @Test func `an app that is refused does not stop another`() {
        var harness = EngineHarness(routes: Self.shared)
        refuseOneApp(&harness)
        let actions = harness.takeActions()
        #expect(alarms(actions) == ["key/production com.example.game InvalidProviderToken 1 first"])
        #expect(actions.parkedPools.isEmpty)
        #expect(harness.engine.refusedCredentials[PoolKey.production]?.parkedApps == 1)
        #expect(harness.engine.load.messages == 0, "the others of the app wait on disk")
        harness.send(.message(3, app: EngineHarness.otherApp), to: 1...1)
        #expect(harness.pull(9).transcript == ["3>1"])
    }

    @Test func `one push of a refused app is tried from time to time`() {
        var harness = EngineHarness(routes: Self.shared)
        refuseOneApp(&harness)
        _ = harness.takeActions()

        harness.advance(Self.minute)
        serve(&harness, entries: [.message(1)], devices: 1...2)
        var trial = harness.pull(9)
        #expect(trial.transcript == ["1>1"])
        harness.complete(trial, .credentialRefused, reason: "InvalidProviderToken")
        #expect(alarms(harness.takeActions()) == ["key/production com.example.game InvalidProviderToken 5 again"])

        harness.advance(5 * Self.minute)
        serve(&harness, entries: [.message(1)], devices: 1...2)
        trial = harness.pull(9)
        harness.complete(trial, .delivered)
        #expect(alarms(harness.takeActions()) == ["key/production com.example.game accepted"])
        #expect(harness.pull(9).transcript == ["1>2"])
        #expect(harness.engine.refusedCredentials.isEmpty)
    }

    @Test func `a credential that is refused for every app ends its connections`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...3)
        harness.complete(harness.pull(1), .credentialRefused)
        #expect(harness.takeActions().parkedPools.isEmpty)
        harness.complete(harness.pull(9), .credentialRefused, reason: "InvalidProviderToken")
        let actions = harness.takeActions()
        #expect(actions.parkedPools == [PoolKey.production])
        #expect(alarms(actions) == ["key/production all InvalidProviderToken 1 first"])
        #expect(harness.engine.refusedCredentials[PoolKey.production]?.isParked == true)
        #expect(!harness.engine.hasWork(for: PoolKey.production))
        #expect(harness.engine.deadline == harness.now.uptime + Self.minute)
    }

    @Test func `another credential is used at once`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...3)
        for _ in 0..<2 { harness.complete(harness.pull(1), .credentialRefused) }
        _ = harness.takeActions()
        harness.engine.poolRestarted(.production, at: harness.now)
        serve(&harness, entries: [.message(1)], devices: 1...3)
        #expect(harness.pull(9).count == 3)

        // The same, while a trial is on its way and the other recipients wait in memory.
        harness.send(.message(2), to: 4...6)
        harness.complete(harness.pull(1), .credentialRefused)
        #expect(harness.pull(9).count == 1)
        harness.engine.poolRestarted(.production, at: harness.now)
        #expect(harness.pull(9).count == 2)
    }

    @Test(arguments: [Verdict.unknown, .notProcessed, .tryLater(.serverBusy, afterMilliseconds: nil)])
    func `a trial without an answer is followed by another`(_ verdict: Verdict) {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...3)
        harness.complete(harness.pull(1), .credentialRefused)
        let trial = harness.pull(9)
        #expect(trial.count == 1)
        harness.complete(trial, verdict)
        #expect(harness.pull(9).count == 1)
    }

    @Test func `recipients left on disk are read when a trial of the pool is accepted`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...3)
        harness.engine.credentialRefused(of: .production, reason: "BadCertificate", at: harness.now)
        let trial = harness.pull(9)
        #expect(trial.count == 1)
        harness.engine.credentialRefused(of: .production, reason: "BadCertificate", at: harness.now)
        harness.complete(trial, .delivered)
        serve(&harness, entries: [.message(1)], devices: 2...3)
        #expect(harness.pull(9).count == 2)
    }

    @Test func `no device is quarantined while the other environment is parked`() {
        var harness = EngineHarness()
        harness.refuseCredential(of: .sandbox)
        harness.send(.message(1), to: 1...1)
        harness.complete(harness.pull(1), .refused(.badToken, deadSince: nil))
        #expect(harness.takeActions().records.flatMap(\.endedRecipients) == [.init(position: 0, outcome: .badToken)])
    }

    // MARK: Time limits while a pool cannot be used

    /// The outage that makes a pool unusable.
    enum Outage: CaseIterable {
        case refused, unreachable
    }

    private func begin(_ outage: Outage, _ harness: inout EngineHarness) {
        switch outage {
        case .refused: harness.refuseCredential()
        case .unreachable: harness.engine.poolBecameUnreachable(.production, at: harness.now)
        }
    }

    /// Returns the seconds after which the device of a message ends, and its outcome.
    private func end(of outbound: OutboundMessage, _ outage: Outage, beginsBefore: Bool) -> (UInt64, String)? {
        var harness = EngineHarness()
        if beginsBefore { begin(outage, &harness) }
        harness.send(outbound, to: 1...1)
        if !beginsBefore { begin(outage, &harness) }
        for second in 0...120 as ClosedRange<UInt64> {
            if let outcome = serve(&harness, entries: [outbound], devices: 1...1) { return (second, outcome) }
            harness.advance(1_000)
            harness.engine.expirePassed(at: harness.now)
        }
        return nil
    }

    /// A message that may wait only for a time, and its end.
    struct Limit: CustomTestStringConvertible {
        var type = PushType.alert
        var expiration = Expiration.unspecified
        /// The milliseconds after which no attempt begins.
        var notAfter: UInt64?
        /// The seconds after which the device ends.
        let seconds: UInt64
        var outcome = "expired"

        var testDescription: String { "\(type.name), \(expiration): \(outcome) after \(seconds) s" }
    }

    @Test(
        arguments: [
            Limit(notAfter: 3_000, seconds: 3),
            Limit(type: .voip, seconds: 30),
            Limit(type: .pushtotalk, seconds: 30),
            Limit(expiration: .once, seconds: 30, outcome: "gave-up"),
            Limit(expiration: .at(seconds: 1_790_000_005), seconds: 5),
            Limit(expiration: .at(seconds: 1), seconds: 0),
            Limit(expiration: .once, notAfter: 5_000, seconds: 5),
        ], Outage.allCases)
    func `a device that waits for a credential ends at its limit`(_ limit: Limit, _ outage: Outage) throws {
        let notAfter = limit.notAfter.map { 1_790_000_000_000 + $0 }
        let outbound = OutboundMessage.message(1, limit.type, expiration: limit.expiration, notAfter: notAfter)
        for beginsBefore in [true, false] {
            let end = try #require(self.end(of: outbound, outage, beginsBefore: beginsBefore))
            #expect(end.1 == "page 1.0, recipient 0: \(limit.outcome)")
            // The device ends at the end of its time, or within the second that follows.
            #expect((limit.seconds...limit.seconds + 1).contains(end.0))
        }
    }

    @Test func `devices of a refused credential end without a pull of their pool`() {
        var harness = EngineHarness()
        harness.send(.message(1, expiration: .once), to: 1...2)
        harness.send(.message(2), to: 1...1)
        for _ in 0..<29 {
            harness.advance(1_000)
            harness.engine.expirePassed(at: harness.now)
        }
        #expect(harness.records().isEmpty)
        // The 30 s are counted from the moment at which the pool was first seen not to ask for work.
        harness.advance(3_000)
        harness.engine.expirePassed(at: harness.now)
        #expect(harness.records() == ["page 1.0, recipient 0: gave-up", "page 1.0, recipient 1: gave-up"])
        #expect(harness.pull(9).transcript == ["2>1"])
    }

    @Test func `a slow fan-out with expiration zero goes on`() {
        var harness = EngineHarness()
        harness.send(.message(1, expiration: .once, pace: 1), to: 1...50)
        var sent = 0
        for _ in 0..<100 {
            let deliveries = harness.pull(9)
            harness.complete(deliveries, .delivered)
            sent += deliveries.count
            _ = harness.takeActions()
            harness.advance(1_000)
            harness.engine.expirePassed(at: harness.now)
        }
        #expect(sent == 50)
    }

    @Test func `recipients that end while they wait are not unrecorded pushes`() {
        var harness = EngineHarness()
        harness.send(.message(1, expiration: .once), to: 1...5)
        harness.advance(31_000)
        harness.engine.expirePassed(at: harness.now)
        harness.advance(31_000)
        harness.engine.expirePassed(at: harness.now)
        #expect(harness.engine.load.unrecorded == 0)
        #expect(harness.takeActions().records.flatMap(\.endedRecipients).count == 5)
        #expect(harness.engine.load.unrecorded == 0)
        #expect(harness.engine.load.messages == 0)
    }

    @Test func `a refused credential does not hold the memory of others`() {
        let other = PoolKey(destination: .apnsProduction, credential: "other")
        let routes = Routes([
            EngineHarness.app: [.apnsProduction: PoolKey.production],
            EngineHarness.otherApp: [.apnsProduction: other],
        ])
        var limits = DeliveryEngine.Limits()
        limits.messages = 4
        var harness = EngineHarness(routes: routes, limits: limits)
        for id in 1...3 as ClosedRange<UInt64> { harness.send(.message(id), to: 1...2) }
        let tried = harness.pull(1)
        harness.refuseCredential()
        harness.complete(tried, .credentialRefused)
        #expect(harness.pull(10).isEmpty)
        let record = harness.takeActions().records.first
        #expect(record.map { [$0].transcript } == [], "they stay pending in the outbox")
        #expect(harness.engine.load.messages == 0)

        // Six more messages for the refused credential take no room, and a message of the other app is sent.
        for id in 4...9 as ClosedRange<UInt64> { harness.send(.message(id), to: 1...2) }
        #expect(harness.engine.load.messages == 0)
        harness.send(.message(10, app: EngineHarness.otherApp), to: 1...1)
        #expect(harness.pull(10, for: other).transcript == ["10>1"])
    }

    // MARK: Other credentials

    @Test func `a restarted pool sends everything that was kept on disk`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: [.init(device: 1), .init(device: 2, environment: .sandbox)])
        harness.send(.message(2), to: 1...1)
        let deliveries = harness.pull(1)
        harness.refuseCredential()
        harness.complete(deliveries, .credentialRefused)
        #expect(harness.pull(9).isEmpty)
        _ = harness.takeActions()
        #expect(harness.engine.load.messages == 1, "one waits for the other pool")

        harness.engine.poolRestarted(.production, at: harness.now)
        let actions = harness.engine.takeActions()
        #expect(actions.readsQueues)
        #expect(actions.messageReads.map(\.after) == [nil])
        let entries = [OutboundMessage.message(1), OutboundMessage.message(2)]
        harness.engine.messagesRead(entries, of: EngineHarness.queue, isEnd: true, at: harness.now)
        for read in actions.pageReads + harness.engine.takeActions().pageReads {
            let recipients =
                [EngineHarness.Recipient(device: 1)]
                + (read.message.rawValue == 1 ? [.init(device: 2, environment: .sandbox)] : [])
            harness.engine.pageRead(
                EngineHarness.page(recipients, of: read.message.rawValue, isLast: true), for: read, at: harness.now)
        }
        #expect(harness.pull(9).transcript == ["1>1", "2>1"])
        #expect(harness.pull(9, for: .sandbox).transcript == ["1>2"])
    }

    @Test func `pending recipients are read again for another credential`() {
        var harness = EngineHarness()
        let renewed = PoolKey(destination: .apnsProduction, credential: "renewed")
        harness.refuseCredential()
        harness.send(.message(1), to: 1...1)
        #expect(harness.engine.load.messages == 0)
        harness.engine.routesChanged(Routes([EngineHarness.app: [.apnsProduction: renewed]]), at: harness.now)
        #expect(harness.engine.takeActions().readsQueues)
        harness.rereadOutbox([.message(1)])
        harness.pageRead([.init(device: 1)], of: 1)
        #expect(harness.pull(9, for: renewed).transcript == ["1>1"])
    }
}
