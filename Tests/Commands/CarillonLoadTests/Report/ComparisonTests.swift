import Testing

@testable import carillon_load

/// Two runs side by side: how many times larger a figure is, and the settings that differ.
struct ComparisonTests {
    @Test func `a comparison says how many times larger a figure is`() throws {
        let comparison = Comparison(before: Runs.full(), after: Runs.full(slowness: 3))
        let lookup = try #require(comparison.sections.first { $0.name == "lookup" })
        let p99 = try #require(lookup.rows.first { $0.name == "p99" })
        #expect(try abs(#require(p99.ratio) - 3) < 0.1)
        let failed = try #require(comparison.sections[0].rows.first { $0.name == "failed" })
        #expect(p99.isBetter == false)
        #expect(failed.ratio == 1)
        #expect(failed.isBetter == nil)
        #expect(comparison.differences.count == 0)
        #expect(comparison.text.contains("to the device, p50"))
        let back = Comparison(before: Runs.full(slowness: 3), after: Runs.full())
        #expect(back.sections[1].rows.allSatisfy { $0.isBetter == true })
    }

    @Test func `different settings are listed`() {
        var after = Runs.full()
        after.settings.seed = 2
        after.settings.rate = nil
        // The run before does not have this setting.
        after.settings.serverFlags = ["--client-threads=1"]
        let names = Comparison(before: Runs.full(), after: after).differences.map(\.name)
        #expect(names == ["Loop", "Seed", "Flags of the server"])
        let halves = Comparison(before: Runs.empty(), after: Runs.full())
        #expect(halves.sections.first { $0.name == "register" }?.rows.allSatisfy { $0.ratio == nil } == true)
    }
}
