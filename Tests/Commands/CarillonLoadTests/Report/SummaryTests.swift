import Testing

@testable import carillon_load

/// The figures of a run in the terminal.
struct SummaryTests {
    @Test func `the summary has the figures of a run`() {
        let text = Summary.text(of: Runs.full())
        for word in ["lookup", "send-token → device", "OVERLOADED", "answers/CPU-s", "p99.9", "one machine"] {
            #expect(text.contains(word), "\(word)")
        }
        #expect(Summary.text(of: Runs.empty()).contains("lookup"))
    }
}
