import CarillonAPNs
import CarillonCore
import CarillonDelivery
import Testing

/// A message to a broadcast channel: one recipient, which is not a device.
///
/// `1>7` is message 1 on its way to device 7; `page 1.0` is the first page of message 1.
struct DeliveryEngineBroadcastTests {
    private static let throttled = Verdict.tryLater(.throttled, afterMilliseconds: nil)

    private static func message(
        _ id: UInt64, expiration: Expiration = .once, notAfter: UInt64? = nil,
        environment: APNsEnvironment = .production, lane: Lane = .interactive
    ) -> OutboundMessage {
        var outbound = OutboundMessage.message(
            id, .liveactivity, lane: lane, expiration: expiration, notAfter: notAfter)
        outbound.channel = ChannelAddress(environment: environment, id: ChannelID("dHN0LXNyY2gtY2hubA==")!)
        return outbound
    }

    private static func recipient(environment: APNsEnvironment = .production) -> [EngineHarness.Recipient] {
        [EngineHarness.Recipient(device: nil, environment: environment)]
    }

    private func sent(_ outbound: OutboundMessage) -> EngineHarness {
        var harness = EngineHarness(policy: RetryPolicy(providers: [.apns: APNsAdapter.backoffs]))
        harness.send(outbound, to: Self.recipient(environment: outbound.channel?.environment ?? .production))
        return harness
    }

    @Test func `a broadcast push is one delivery in the environment of its channel`() {
        var harness = sent(Self.message(1, environment: .sandbox))
        #expect(harness.pull(9).isEmpty)
        let deliveries = harness.pull(9, for: .sandbox)
        #expect(deliveries.transcript == ["1>0"])
        #expect(deliveries.first?.message.channel?.environment == .sandbox)
        harness.complete(deliveries, .delivered, status: 200, for: .sandbox)
        #expect(harness.records() == ["page 1.0, recipient 0: delivered"])
    }

    /// A first attempt of the bulk lane that succeeds is not recorded for a device.
    @Test(arguments: Lane.allCases) func `the attempt of a broadcast push is always recorded`(_ lane: Lane) {
        var harness = sent(Self.message(1, lane: lane))
        harness.complete(harness.pull(1), .delivered, status: 200, uniqueID: "0e9a64d6")
        #expect(harness.takeActions().records.flatMap(\.attempts).map(\.attempt.uniqueID) == ["0e9a64d6"])
    }

    /// Its channel is made for pushes that APNs does not store, and a late update does no harm.
    @Test func `a broadcast push is tried again also if APNs is not to store it`() {
        var harness = sent(Self.message(1))
        for attempt in 1...5 {
            harness.complete(harness.pull(1), Self.throttled, status: 429, reason: "TooManyRequests")
            #expect(harness.records() == ["page 1.0, recipient 0: waits after attempt \(attempt)"])
            harness.advance(60_000)
        }
        harness.complete(harness.pull(1), .delivered, status: 200)
        #expect(harness.records() == ["page 1.0, recipient 0: delivered"])
    }

    /// APNs takes about one update a second of a channel: half a minute, as for a device, would be long.
    @Test func `a throttled channel waits a few seconds`() throws {
        var harness = sent(Self.message(1))
        harness.complete(harness.pull(1), Self.throttled, status: 429)
        let delay = try #require(harness.engine.deadline) - harness.now.uptime
        #expect((1_000...2_000).contains(delay))
    }

    @Test func `a broadcast push ends at the time after which no attempt starts`() {
        var harness = sent(Self.message(1, notAfter: 1_790_000_003_000))
        harness.complete(harness.pull(1), Self.throttled, status: 429)
        _ = harness.records()
        harness.advance(4_000)
        #expect(harness.pull(1).isEmpty)
        #expect(harness.records() == ["page 1.0, recipient 0: expired"])
    }

    /// Not one of these answers is about a token: no device is quarantined, none is tried in the other environment, and
    /// the breaker of bad tokens does not count it.
    @Test(arguments: [
        Outcome.noChannel, .badToken, .tokenUnregistered, .tokenExpired, .tokenNotForTopic, .topicDisallowed,
    ])
    func `no refusal of a broadcast push changes a device`(_ outcome: Outcome) {
        var harness = EngineHarness()
        for id in 1...3_000 as ClosedRange<UInt64> {
            harness.send(Self.message(id), to: Self.recipient())
            harness.complete(harness.pull(1), .refused(outcome, deadSince: harness.now.wall), status: 400)
            let actions = harness.takeActions()
            #expect(actions.records.flatMap(\.endedRecipients) == [.init(position: 0, outcome: outcome)])
            #expect(actions.alarmReports.isEmpty)
        }
        #expect(harness.pull(1, for: .sandbox).isEmpty)
    }

    @Test func `a broadcast push is cancelled and not sent without a credential`() {
        var harness = sent(Self.message(1))
        harness.engine.cancel(MessageID(rawValue: 1), at: harness.now)
        #expect(harness.records() == ["page 1.0, recipient 0: cancelled"])

        harness = EngineHarness(routes: Routes([EngineHarness.app: [.apnsProduction: PoolKey.production]]))
        harness.send(Self.message(2, environment: .sandbox), to: Self.recipient(environment: .sandbox))
        #expect(harness.records() == ["page 2.0, recipient 0: no-credential"])
    }
}
