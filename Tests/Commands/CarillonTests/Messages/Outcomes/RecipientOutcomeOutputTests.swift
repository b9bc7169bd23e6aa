import CarillonCommandLine
import CarillonCore
import Testing

@testable import carillon

/// The outcomes of recipients as CSV.
struct RecipientOutcomeOutputTests {
    @Test func outcomesAreShownAsCSV() {
        let rows = [
            RecipientOutcome(device: DeviceID(rawValue: 7), outcome: .muted), .init(device: nil, outcome: .left),
        ]
        #expect(rows.map(\.csv) == ["7,muted", ",left"])
    }
}
