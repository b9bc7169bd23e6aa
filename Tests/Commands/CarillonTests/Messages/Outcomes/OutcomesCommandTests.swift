import ArgumentParser
import CarillonCommandLine
import CarillonCore
import Testing

@testable import carillon

private let app = "com.example.game"

/// The outcomes that the options of `carillon message outcomes` choose, and their rows as CSV.
struct OutcomesCommandTests {
    @Test(arguments: [
        ([], [true, true, true]), (["--only", "failed"], [false, false, true]),
        (["--only", "delivered"], [false, true, false]), (["--only", "pending"], [true, false, false]),
        (["--outcome", "muted", "--outcome", "pending"], [true, false, true]),
    ])
    func `options choose the outcomes that are shown`(_ options: [String], _ shown: [Bool]) throws {
        let command = try OutcomesCommand.parse(["42", "--app", app] + options)
        #expect([Outcome.pending, .delivered, .muted].map(command.admits) == shown)
    }

    @Test func `outcomes are shown as CSV`() {
        let rows = [
            RecipientOutcome(device: DeviceID(rawValue: 7), outcome: .muted), .init(device: nil, outcome: .left),
        ]
        #expect(rows.map(\.csv) == ["7,muted", ",left"])
    }
}
