import Foundation
import Testing

@testable import carillon_load

/// The result of a search, in words and in JSON.
struct SearchResultTests {
    private static func result() throws -> SearchResult {
        let run = Runs.full()
        return SearchResult(
            startedAt: run.startedAt, settings: run.settings, machine: run.machine, limits: ["lookup.p99_ms < 10"],
            rate: 1_200, failsAt: 1_250,
            steps: [SearchStep(rate: 1_200, result: run, limits: [try MetricCondition("lookup.p99_ms < 10")])],
            notes: ["A."])
    }

    @Test func `the text says which rate holds`() throws {
        var result = try Self.result()
        #expect(result.text == "Highest rate that holds: 1,200/s; 1,250/s fails.\n* A.")
        result.rate = nil
        #expect(result.text.hasPrefix("No rate holds: 1,250/s, the lowest, fails."))
    }

    @Test func `the JSON has the rates and the steps`() throws {
        let data = try RunFile.data(of: try Self.result())
        let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let step = try #require((json["steps"] as? [[String: Any]])?.first)
        #expect(json["rate"] as? Double == 1_200)
        #expect(json["fails_at"] as? Double == 1_250)
        #expect(step["holds"] as? Bool == false)
        #expect(step["failed"] as? Int == 20)
    }
}
