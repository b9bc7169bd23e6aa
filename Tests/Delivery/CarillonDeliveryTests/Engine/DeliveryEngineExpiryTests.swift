import CarillonCore
import CarillonDelivery
import Testing

/// Times after which no attempt starts, and the outcomes of the recipients then.
///
/// `1>7` is message 1 on its way to device 7; `page 1.0` is the first page of message 1.
struct DeliveryEngineExpiryTests {
    @Test func `no attempt starts after the time of notAfter`() {
        var harness = EngineHarness()
        harness.send(.message(1, notAfter: harness.now.wall.milliseconds + 1_000), to: 1...3)
        harness.advance(1_000)
        #expect(harness.pull(1).transcript == ["1>1"])
        harness.advance(1)
        #expect(harness.pull(1).isEmpty)
        #expect(harness.records() == ["page 1.0, recipient 1: expired", "page 1.0, recipient 2: expired"])
    }

    @Test(arguments: [PushType.voip, .pushtotalk])
    func `a phone call that has waited too long expires`(_ type: PushType) {
        var harness = EngineHarness()
        harness.send(.message(1, type), to: [.init(device: 1)])
        harness.advance(30_001)
        #expect(harness.pull(1).isEmpty)
        #expect(harness.records() == ["page 1.0, recipient 0: expired"])
    }

    @Test func `a message expires without a connection`() {
        var harness = EngineHarness()
        let end = harness.now.wall.milliseconds + 1_000
        harness.send(
            .message(1, notAfter: end), to: [.init(device: 1), .init(device: 2, environment: .sandbox)])
        harness.engine.expirePassed(at: harness.now)
        #expect(harness.records().isEmpty)
        harness.advance(1_001)
        harness.engine.expirePassed(at: harness.now)
        #expect(harness.records().sorted() == ["page 1.0, recipient 0: expired", "page 1.0, recipient 1: expired"])
    }

    @Test func `a push in flight at expiry keeps its answer`() {
        var harness = EngineHarness()
        harness.send(.message(1, notAfter: harness.now.wall.milliseconds), to: 1...1)
        let deliveries = harness.pull(1)
        harness.advance(1)
        harness.engine.expirePassed(at: harness.now)
        #expect(harness.records().isEmpty)
        harness.complete(deliveries, .delivered)
        #expect(harness.records() == ["page 1.0, recipient 0: delivered"])
    }

    @Test(arguments: [
        (Expiration.unspecified, 10_000 as UInt64?), (.at(seconds: 1_790_000_010), nil),
        (.at(seconds: 1_790_000_010), 60_000),
    ])
    func `no retry is planned for a time that is too late`(_ expiration: Expiration, _ notAfter: UInt64?) {
        var harness = EngineHarness()
        let end = notAfter.map { harness.now.wall.milliseconds + $0 }
        harness.send(.message(1, expiration: expiration, notAfter: end), to: 1...2)
        harness.complete(harness.pull(1), .tryLater(.serverBusy, afterMilliseconds: 10_000))
        #expect(harness.records() == ["page 1.0, recipient 0: waits after attempt 1"])
        harness.complete(harness.pull(1), .tryLater(.serverBusy, afterMilliseconds: 10_001))
        #expect(harness.records() == ["page 1.0, recipient 1: expired"])
    }

    @Test func `an expiration beyond the clock does not overflow`() {
        var harness = EngineHarness()
        harness.send(.message(1, expiration: .at(seconds: .max), notAfter: .max), to: 1...1)
        harness.complete(harness.pull(1), .unknown)
        #expect(harness.engine.deadline != nil)
    }

    @Test func `an expiration in the past is not delivered`() {
        var harness = EngineHarness()
        harness.send(.message(1, expiration: .at(seconds: 1_789_999_999)), to: 1...2)
        #expect(harness.pull(9).isEmpty)
        #expect(harness.records() == ["page 1.0, recipient 0: expired", "page 1.0, recipient 1: expired"])
        // At the time of the expiration itself, APNs may still take the push.
        harness.send(.message(2, expiration: .at(seconds: 1_790_000_000)), to: 1...1)
        #expect(harness.pull(9).transcript == ["2>1"])
    }
}
