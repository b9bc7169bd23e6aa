import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Synchronization
import Testing

@testable import CarillonRegistry

/// Damage to the rows of a registry, and the finding of the verifier.
struct RegistryDamage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    private let finding: Finding
    /// True if further findings follow from the damage.
    private let hasFurtherFindings: Bool
    private let plant: @Sendable (inout WriteTransaction, Tables) throws -> Void

    init(
        _ description: String, finds finding: Finding, amongOthers hasFurtherFindings: Bool = false,
        plant: @escaping @Sendable (inout WriteTransaction, Tables) throws -> Void
    ) {
        testDescription = description
        self.finding = finding
        self.hasFurtherFindings = hasFurtherFindings
        self.plant = plant
    }

    /// Makes a sound registry, damages it, and expects that the verifier finds the damage.
    ///
    /// The registry has device 1, in a topic and a group that is subscribed to another topic, and device 2. Message 1
    /// is to all devices, message 2 to a list with device 1.
    func expectFound() throws {
        let directory = RegistryDirectory()
        let registry = try directory.open()
        try registry.apply([
            .register(1, topics: ["level5"], groups: ["user/1"]), .register(2),
            .subscribe(["guild/7"], groups: ["user/1"]), .accept(.sample(to: .all), now: timestamp(1_000)),
            .accept(.sample(to: [byToken(1)]), now: timestamp(1_000)),
        ])
        #expect(try registry.verify() == [])
        registry.close()
        try directory.edit { environment, tables in try environment.write { try plant(&$0, tables) } }
        let findings = try directory.open().verify()
        if hasFurtherFindings {
            #expect(findings.contains(finding), "\(findings)")
        } else {
            #expect(findings == [finding])
        }
    }
}

/// The sets of the damaged registry, by the numbers that they have.
enum StoredSet {
    static let all: UInt32 = 1
    static let environment: UInt32 = 2
    static let level: UInt32 = 5
    static let user: UInt32 = 6
    static let guild: UInt32 = 7
    /// A number that no set has.
    static let unused: UInt32 = 99
}

extension Tables {
    /// Puts the bytes of a posting of the app, which the table would not write like this.
    func putPosting(
        _ value: [UInt8], of set: SetNumber, chunk: ChunkNumber = 0, in transaction: inout WriteTransaction
    ) throws {
        try PostingTable.withKey(PostingTable.RowKey(app: 1, set: set, chunk: chunk)) { key in
            try transaction.put(value.span, for: key, in: postings.database)
        }
    }

    func changeSet(
        _ label: SetLabel, in transaction: inout WriteTransaction, _ change: (inout SetRecord) -> Void
    ) throws {
        var record = try #require(try sets.get(label, app: 1, in: transaction))
        change(&record)
        try sets.put(record, for: label, app: 1, in: &transaction)
    }
}

/// The reports of a registry about what it could not read.
final class UnreadableReports: Sendable {
    private let texts = Mutex<[String]>([])

    @Sendable func record(_ text: String) { texts.withLock { $0.append(text) } }

    /// Takes all reports since the last call.
    func take() -> [String] {
        texts.withLock { texts in
            defer { texts = [] }
            return texts
        }
    }
}
