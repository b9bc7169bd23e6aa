import CarillonCommandLine
import Foundation
import Testing

@testable import carillon_load

/// The metrics of a result, their names in the JSON, and conditions on them.
struct MetricTests {
    /// Returns the value in the JSON at the path that a metric's name is: an operation or a process by its name, then
    /// members.
    private func value(_ name: String, in json: [String: Any]) -> Any? {
        var parts = name.split(separator: ".").map(String.init)
        var object = json
        for list in ["operations", "usage"] {
            let members = json[list] as? [[String: Any]] ?? []
            guard let first = parts.first, let member = members.first(where: { $0["name"] as? String == first }) else {
                continue
            }
            object = member
            parts.removeFirst()
        }
        while parts.count > 1, let next = object[parts[0]] as? [String: Any] {
            object = next
            parts.removeFirst()
        }
        return parts.count == 1 ? object[parts[0]] : nil
    }

    @Test func everyMetricHasItsNameInTheJSON() throws {
        var result = Runs.full()
        result.connectionsLost = 3
        let data = try RunFile.data(of: result)
        let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(result.metrics.count > 150)
        for metric in result.metrics {
            // The JSON has only the errors that came.
            if metric.name.contains(".errors."), metric.value == 0 { continue }
            let number = (value(metric.name, in: json) as? NSNumber)?.doubleValue
            // JSONSerialization does not read the last digit.
            let difference = number.flatMap { number in metric.value.map { abs(number - $0) / max($0, 1) } }
            #expect(difference.map { $0 < 1e-12 } ?? (number == metric.value), "\(metric.name)")
        }
        let names = Set(result.metrics.map(\.name))
        for name in [
            "lookup.p99_ms", "all.p99_9_ms", "send-token.to_device.p50_ms", "all.to_device.missing", "server.cores",
            "carillon-load.cpu_seconds", "connections_lost", "register.errors.OVERLOADED", "all.failed_percent",
        ] { #expect(names.contains(name), "\(name)") }
    }

    @Test func theJSONHasOnlyNamesInSnakeCase() throws {
        func keys(_ value: Any) -> [String] {
            if let object = value as? [String: Any] {
                return object.flatMap { key, value in key == "errors" ? [key] : [key] + keys(value) }
            }
            return (value as? [Any] ?? []).flatMap(keys)
        }
        let json = try JSONSerialization.jsonObject(with: try RunFile.data(of: Runs.full()))
        for key in Set(keys(json)) {
            #expect(key.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "_" }, "\(key)")
        }
    }

    /// The conditions of a run are checked before it.
    @Test func theMetricsOfARunAreKnownBeforeIt() {
        let result = Runs.full()
        let names = RunResult.metricNames(
            of: result.settings, measuresPushes: true, processes: ["server", "simulator", "carillon-load"])
        let later = result.metrics.map(\.name).filter { !$0.contains("<script>") }
        #expect(names == later)
        let without = RunResult.metricNames(of: result.settings, measuresPushes: false, processes: [])
        #expect(!without.contains { $0.contains("to_device") || $0.hasPrefix("server.") })
    }

    @Test func withoutRequestsThereAreNoPercentiles() throws {
        let result = Runs.empty()
        #expect(result.metrics.first { $0.name == "lookup.p99_ms" } == Metric(name: "lookup.p99_ms", value: nil))
        #expect(String(decoding: try RunFile.data(of: result), as: UTF8.self).contains("\"p99_ms\":null"))
    }

    // MARK: Conditions

    @Test(arguments: [
        ("lookup.p99_ms > 10", "lookup.p99_ms > 10"), ("lookup.p99_ms>10", "lookup.p99_ms > 10"),
        (" all.failed  >=  0.5 ", "all.failed >= 0.5"), ("a<=1e3", "a <= 1000"), ("a < -1", "a < -1"),
    ])
    func aConditionIsParsed(text: String, condition: String) throws {
        #expect(try MetricCondition(text).text == condition)
    }

    @Test(arguments: [
        ("lookup.p99_ms", "a metric, <"), ("", "a metric, <"), ("a > ten", "'ten' is not a number"),
        ("a > 10ms", "'10ms' is not a number"), ("a > nan", "not a number"), ("a == 3", "a metric, <"),
        ("a > ", "not a number"),
        ("a >> 3", "not a number"),
    ])
    func anInvalidConditionIsExplained(text: String, words: String) {
        let failure = #expect(throws: LoadError.self) { try MetricCondition(text) }
        #expect(failure?.description.contains(words) == true, "\(failure?.description ?? "")")
    }

    @Test(arguments: [
        ("a < 2", [true, false, false]), ("a <= 2", [true, true, false]), ("a > 2", [false, false, true]),
        ("a >= 2", [false, true, true]),
    ])
    func aConditionHoldsOrNot(text: String, expected: [Bool]) throws {
        let condition = try MetricCondition(text)
        #expect([1, 2, 3].map(condition.holds) == expected)
        let values = [1, 2, 3].map { condition.result(in: [Metric(name: "a", value: $0)]) }
        #expect(values.map(\.holds) == expected)
        #expect(values.map(\.value) == [1, 2, 3])
        for metrics in [[], [Metric(name: "a", value: nil)]] {
            let nothing = condition.result(in: metrics)
            #expect(nothing.holds == nil)
            #expect(nothing.text == "\(condition.text) (there is no value)")
        }
    }

    @Test(arguments: [
        ("lokup.p99_ms < 1", "Did you mean 'lookup.p99_ms'?"), ("lookup.p99 < 1", "Did you mean 'lookup.p99_ms'?"),
        ("send_token.p50_ms < 1", "Did you mean 'send-token.p50_ms'?"), ("speed < 1", "There are metrics of lookup,"),
    ])
    func anUnknownMetricIsRefusedWithAdvice(text: String, words: String) throws {
        let names = Runs.full().metrics.map(\.name)
        let condition = try MetricCondition(text)
        let failure = #expect(throws: LoadError.self) { try condition.check(names) }
        #expect(failure?.description.contains(words) == true, "\(failure?.description ?? "")")
        try MetricCondition("lookup.p99_ms < 1").check(names)
    }
}
