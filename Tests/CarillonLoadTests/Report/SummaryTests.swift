import Testing

@testable import carillon_load

/// The text of a result in the terminal.
struct SummaryTests {
    @Test(arguments: ["lookup", "send-token → device", "OVERLOADED", "answers/CPU-s", "p99.9", "one machine"])
    func theTextHasOperationsArrivalsErrorsUsageAndNotes(_ part: String) {
        #expect(Summary.text(of: Runs.full()).contains(part))
    }

    @Test func aResultWithoutAnswersNamesItsOperations() {
        #expect(Summary.text(of: Runs.empty()).contains("lookup"))
    }
}
