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

/// Changes in order, and the devices for which conditions hold afterwards.
struct MembershipTranscript: Sendable, CustomTestStringConvertible {
    static let level = "'level5' in topics"
    static let user = "'user/1' in groups"

    let testDescription: String
    let changes: [Change]
    /// The conditions, each with the devices that it holds for afterwards.
    let holds: [String: [UInt64]]

    init(_ description: String, _ changes: [Change], holds: [String: [UInt64]]) {
        testDescription = description
        self.changes = changes
        self.holds = holds
    }

    /// Makes the changes in one submission, one by one, and as bulk ingest: the answers are equal, and each time the
    /// conditions hold for their devices.
    func check() throws {
        let directories = (1...3).map { _ in RegistryDirectory() }
        defer { withExtendedLifetime(directories) {} }
        let together = try directories[0].open()
        let answers = try together.apply(changes)
        let oneByOne = try directories[1].open()
        #expect(try changes.map { try oneByOne.apply($0) } == answers)
        let ingesting = try directories[2].open { $0.ingestInBulk() }
        // Bulk ingest begins with this change, which changes nothing: the filter of addresses is complete, and empty.
        try ingesting.apply(.updateDevice(250))
        #expect(try changes.map { try ingesting.apply($0) } == answers)
        for registry in [together, oneByOne, ingesting] {
            try checkDevices(in: registry)
            #expect(try registry.verify() == [])
            registry.close()
        }
    }

    /// Compares the devices of each condition with those that EXPLAIN counts and that a message addresses.
    private func checkDevices(in registry: LMDBRegistry) throws {
        for (text, devices) in holds {
            let condition = try Condition(text)
            #expect(try registry.explain(condition, app: game).devices == devices.count, "\(text)")
            let acceptance = try #require(try registry.accept(.sample(to: .condition(condition))))
            let page = try registry.nextPage(of: acceptance.id, from: 0)
            #expect(page?.recipients.compactMap(\.device?.rawValue) ?? [] == devices, "\(text)")
        }
    }
}
