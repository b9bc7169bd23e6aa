import CarillonCore
import CarillonDelivery
import Testing

/// Deliveries from acceptance to outcome, and the order in which they are pulled.
///
/// `1>7` is message 1 on its way to device 7; `page 1.0` is the first page of message 1.
struct DeliveryEnginePullingTests {
    @Test func `a message is read, pulled, answered and recorded`() {
        var harness = EngineHarness()
        #expect(harness.engine.takeActions().messageReads.isEmpty)
        harness.engine.messageAccepted(.message(1), at: harness.now)
        let actions = harness.engine.takeActions()
        #expect(actions.pageReads.map(\.page) == [0])
        #expect(actions.pageReads.map(\.isNext) == [true])
        #expect(actions.poolsToWake == [])

        harness.engine.pageRead(
            EngineHarness.page(10...12, of: 1, isLast: true), for: actions.pageReads[0], at: harness.now)
        #expect(harness.engine.takeActions().poolsToWake == [PoolKey.production])
        let services = [PoolKey.production, PoolKey.sandbox]
        #expect(services.map { harness.engine.hasWork(for: $0) } == [true, false])

        let first = harness.pull(2)
        let second = harness.pull(2)
        let third = harness.pull(2)
        #expect([first, second, third].map(\.transcript) == [["1>10", "1>11"], ["1>12"], []])
        #expect(harness.engine.inFlight == 3)
        #expect(!harness.engine.hasWork(for: PoolKey.production))

        harness.complete(second, .delivered)
        let early = harness.records()
        harness.complete(first, .delivered)
        let late = harness.records()
        let last = harness.records()
        #expect(
            [early, late, last] == [
                ["page 1.0, recipient 2: delivered"],
                ["page 1.0, recipient 0: delivered", "page 1.0, recipient 1: delivered"], [],
            ])
        #expect(harness.engine.inFlight == 0)
        #expect(harness.engine.deadline == nil)
    }

    @Test func `recipients that cannot be sent to end at once`() {
        var harness = EngineHarness(routes: Routes([EngineHarness.app: [.apnsProduction: PoolKey.production]]))
        harness.send(
            .message(1),
            to: [
                .init(finalOutcome: .unregistered), .init(device: 2, finalOutcome: .unregistered),
                .init(device: 3, finalOutcome: .quarantined),
                .init(device: 4, finalOutcome: .wrongKind), .init(device: 5, environment: .sandbox), .init(device: 6),
            ])
        #expect(
            harness.records() == [
                "page 1.0, recipient 0: unregistered", "page 1.0, recipient 1: unregistered",
                "page 1.0, recipient 2: quarantined", "page 1.0, recipient 3: wrong-kind",
                "page 1.0, recipient 4: no-credential",
            ])
        #expect(harness.pull(9).transcript == ["1>6"])
    }

    @Test func `environments have pools of their own`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: [.init(device: 1), .init(device: 2, environment: .sandbox)])
        #expect(harness.pull(9, for: .sandbox).transcript == ["1>2"])
        #expect(harness.pull(9).transcript == ["1>1"])
    }

    @Test func `the interactive lane goes first`() {
        var harness = EngineHarness()
        harness.send(.message(1, lane: .bulk), to: 1...3)
        #expect(harness.pull(1).transcript == ["1>1"])
        harness.send(.message(2), to: 8...9)
        #expect(harness.pull(9).transcript == ["2>8", "2>9", "1>2", "1>3"])
    }

    @Test func `messages of one lane alternate`() {
        var limits = DeliveryEngine.Limits()
        limits.deliveriesPerTurn = 2
        var harness = EngineHarness(limits: limits)
        harness.send(.message(1), to: 1...5)
        harness.send(.message(2), to: 6...7)
        harness.send(.message(3), to: 8...8)
        #expect(harness.pull(99).transcript == ["1>1", "1>2", "2>6", "2>7", "3>8", "1>3", "1>4", "1>5"])
    }

    @Test func `after a stop nothing is handed out and answers are still taken`() {
        var harness = EngineHarness()
        harness.engine.messageAccepted(.message(1), at: harness.now)
        harness.pageRead([.init(device: 1), .init(device: 2)], of: 1, isLast: false)
        let deliveries = harness.pull(1)
        harness.engine.stop()
        #expect(harness.pull(9).isEmpty)
        #expect(!harness.engine.hasWork(for: PoolKey.production))
        harness.complete(deliveries, .delivered)
        let actions = harness.engine.takeActions()
        #expect(actions.records.transcript == ["page 1.0, recipient 0: delivered"])
        #expect(actions.pageReads.isEmpty)
        #expect(actions.messageReads.isEmpty)
    }
}
