import CarillonCommandLine
import Foundation
import Testing

@testable import carillon_load

/// The metrics of a result and their names in the JSON.
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

    @Test func `every metric has its name in the JSON`() throws {
        var result = Runs.full()
        result.connectionsLost = 3
        let data = try RunFile.data(of: result)
        let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(result.metrics.count > 150, "the loop below must not run over next to nothing")
        for metric in result.metrics {
            // The JSON has only the errors that came.
            if metric.name.contains(".errors."), metric.value == 0 { continue }
            let number = (value(metric.name, in: json) as? NSNumber)?.doubleValue
            // JSONSerialization does not read the last digit.
            let difference = number.flatMap { number in metric.value.map { abs(number - $0) / max($0, 1) } }
            #expect(difference.map { $0 < 1e-12 } ?? (number == metric.value), "\(metric.name)")
        }
    }

    @Test func `a name says the operation and the figure`() {
        var result = Runs.full()
        result.connectionsLost = 3
        let names = Set(result.metrics.map(\.name))
        for name in [
            "lookup.p99_ms", "all.p99_9_ms", "send-token.to_device.p50_ms", "all.to_device.missing", "server.cores",
            "carillon-load.cpu_seconds", "connections_lost", "register.errors.OVERLOADED", "all.failed_percent",
        ] { #expect(names.contains(name), "\(name)") }
    }

    @Test func `the JSON has only names in snake case`() throws {
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
    @Test func `the metrics of a run are known before it`() {
        let result = Runs.full()
        let names = RunResult.metricNames(
            of: result.settings, measuresPushes: true, processes: ["server", "simulator", "carillon-load"])
        // The error with this text is known only when it has come.
        let later = result.metrics.map(\.name).filter { !$0.contains("OVERLOADED <script>") }
        #expect(names == later)
        let without = RunResult.metricNames(of: result.settings, measuresPushes: false, processes: [])
        #expect(without.filter { $0.contains("to_device") } == [])
        #expect(without.filter { $0.hasPrefix("server.") } == [])
    }

    @Test func `without requests there are no percentiles`() throws {
        let result = Runs.empty()
        #expect(result.metrics.first { $0.name == "lookup.p99_ms" } == Metric(name: "lookup.p99_ms", value: nil))
        #expect(String(decoding: try RunFile.data(of: result), as: UTF8.self).contains("\"p99_ms\":null"))
    }
}
