import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct CarillonClientStatisticsTests {
    @Test func `statistics are asked for with a bound`() async throws {
        var told = ServerStatistics(at: Timestamp(milliseconds: 9), startedAt: .zero, software: "scripted/1")
        told.requests = [.init(opcode: 0x50, error: nil, count: 1, microseconds: 2)]
        let made = try await requests([
            AnyAnswer(told, to: StatisticsRequest.self), AnyAnswer(told, to: StatisticsRequest.self),
        ]) { [told] client in
            let statistics = try await client.statistics()
            #expect(statistics == told)
            #expect(statistics.requests[0].operation == "send")
            _ = try await client.statistics(limit: 5_000)
        }
        #expect(made == [1_000, 1_000].map { AnyRequest(StatisticsRequest(limit: $0)) })
    }
}
