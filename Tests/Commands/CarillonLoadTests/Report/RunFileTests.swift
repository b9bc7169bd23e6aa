import Foundation
import Testing

@testable import carillon_load

/// The file of a run, which restores it, and the files that are refused.
struct RunFileTests {
    @Test func `a file restores the run`() throws {
        for result in [Runs.full(), Runs.empty()] {
            #expect(try RunFile.result(of: RunFile.data(of: result), named: "run.json") == result)
        }
    }

    @Test(arguments: [
        ("{}", "not a result"), ("[1]", "not a result"), (#"{"version":1}"#, "format 1"),
        (#"{"version":2}"#, "damaged"),
    ])
    func `a file that is no run is refused`(json: String, word: String) {
        let failure = #expect(throws: LoadTestError.self) { try RunFile.result(of: Data(json.utf8), named: "x") }
        #expect(failure?.description.contains(word) == true)
    }

    @Test(arguments: [
        ("\"answered\":1666", "\"answered\":18446744073709551615"),
        ("\"interval_seconds\":0.25", "\"interval_seconds\":0"),
        ("\"interval_seconds\":0.25", "\"interval_seconds\":1e-300"),
        ("\"peak_resident_bytes\":83886080", "\"peak_resident_bytes\":18446744073709551615"),
        ("\"seconds\":10", "\"seconds\":1e300"),
        ("\"name\":\"register\"", "\"name\":\"lookup\""),
        ("\"name\":\"register\"", "\"name\":\"unregister\""),
        ("\"cpu_seconds\":5", "\"cpu_seconds\":-1e30"),
        ("\"build\":\"release\"", "\"build\":\"fast\""),
    ])
    func `impossible values are refused`(good: String, bad: String) throws {
        let json = String(decoding: try RunFile.data(of: Runs.full()), as: UTF8.self)
        let damaged = json.replacingOccurrences(of: good, with: bad)
        #expect(damaged != json, "\(good)")
        #expect(throws: LoadTestError.self) { try RunFile.result(of: Data(damaged.utf8), named: "x") }
    }
}
