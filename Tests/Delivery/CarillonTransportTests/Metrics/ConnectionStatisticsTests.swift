import CarillonTestKit
import CarillonTransport
import Testing

/// The figures of one connection, as operators see them.
@Suite(.cleansUp) struct ConnectionStatisticsTests {
    @Test(.timeLimit(.minutes(10))) func `a snapshot has the window and the round trip time`() async throws {
        let apns = try await ScriptedAPNs { _ in [.answer(200)] }
        let sender = try Sender(to: apns.port)
        sender.source.add(devices: 1...3)
        _ = try await sender.source.allReturned(deliveries: 3)

        // Both are sampled by the connection's timer.
        let pool = try await sender.statistics(when: { $0.byLabel[.main(1)]?.roundTripMicroseconds != nil })
        #expect((pool.byLabel[.main(1)]?.windowBytes ?? 0) > 0)
        try await sender.closeExpectingAllReturned()
    }
}
