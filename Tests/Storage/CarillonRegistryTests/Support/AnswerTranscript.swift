import CarillonCore
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// Changes in order, each with its answer.
struct AnswerTranscript: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let steps: KeyValuePairs<Change, ChangeAnswer>

    init(_ description: String, _ steps: KeyValuePairs<Change, ChangeAnswer>) {
        testDescription = description
        self.steps = steps
    }

    /// Makes the changes, in one submission and one by one, and compares the answers.
    func check() throws {
        let together = RegistryDirectory()
        let registryOfBatch = try together.open()
        #expect(try registryOfBatch.apply(steps.map(\.key)) == steps.map(\.value))
        #expect(try registryOfBatch.verify() == [])
        registryOfBatch.close()

        let oneByOne = RegistryDirectory()
        let registry = try oneByOne.open()
        for (change, answer) in steps { #expect(try registry.apply(change) == answer) }
        #expect(try registry.verify() == [])
        registry.close()
    }
}

extension ChangeAnswer {
    static func created(_ device: UInt64) -> ChangeAnswer { .registered(deviceID(device), .created, ended: nil) }
    static func refreshed(_ device: UInt64) -> ChangeAnswer { .registered(deviceID(device), .refreshed, ended: nil) }
    static func replaced(_ device: UInt64) -> ChangeAnswer { .registered(deviceID(device), .replaced, ended: nil) }
}
