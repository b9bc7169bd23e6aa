import Testing

@testable import carillon

/// The line that says how far an import is.
struct ImportProgressTests {
    @Test func `progress says how fast and how long`() {
        let start = ContinuousClock.now
        var state = ImportState(file: "", options: "", startedAt: 0)
        let progress = ImportProgress(state, length: 4_000, at: start)
        state.lines = 2_000_000
        state.offset = 1_000
        state.refused = 3
        state.results = ["created": 1_999_997]
        #expect(
            progress.text(state, at: start.advanced(by: .seconds(20)))
                == "2,000,000 lines  100,000/s  1,999,997 accepted  3 refused  60 s left")
    }
}
