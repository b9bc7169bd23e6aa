import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import CarillonTestKit
import Testing

@testable import CarillonRegistry

/// The outcomes of pages of live audiences: the bytes on disk, and what is read from them.
struct OutcomeTableTests {
    private let scratch = RegistryDirectory()
    private let message = messageID(7)

    init() throws { try scratch.open().close() }

    /// Makes a page: sparse, dense with some holes, or full; with one outcome or several.
    private func page(_ random: inout SeededGenerator) throws -> LiveOutcomes {
        var offsets = Set(0..<UInt16(ChunkBits.width))
        let isDense = Bool.random(using: &random)
        if !isDense { offsets = [.random(in: 0..<4_096, using: &random)] }
        for _ in 0..<([0, 1, 70, 2_000].randomElement(using: &random) ?? 0) {
            let offset = UInt16.random(in: 0..<4_096, using: &random)
            if isDense { offsets.remove(offset) } else { offsets.insert(offset) }
        }
        var outcomes = LiveOutcomes(pending: try #require(ChunkBits(ascending: offsets.sorted())))
        let kinds = [[0], [1], [0, 1], [1, 2, 200]].randomElement(using: &random) ?? [0]
        for offset in offsets { outcomes[offset] = UInt8(kinds.randomElement(using: &random) ?? 0) }
        return outcomes
    }

    /// Encodes outcomes as the table's comment says, one offset after the other.
    private func bytes(_ outcomes: LiveOutcomes) -> [UInt8] {
        let each = outcomes.addressed.map { outcomes[$0] }
        let isSame = Set(each).count == 1
        let head = isSame ? [2, each[0]] : [1, UInt8(each.count >> 8), UInt8(each.count & 255)] + each
        return head
            + ByteWriter.bytes(capacity: PostingTable.maximumBytes) {
                PostingTable.append(outcomes.addressed, count: each.count, to: &$0)
            }
    }

    @Test(arguments: TestSeeds.of(1...10)) func `a page of outcomes is read as it was stored`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        try scratch.edit { environment, tables in
            try environment.write { transaction in
                for _ in 0..<40 {
                    let outcomes = try page(&random)
                    try tables.outcomes.put(outcomes, for: message, page: 3, in: &transaction)
                    #expect(
                        try tables.outcomes.get(message, page: 3, in: transaction) == bytes(outcomes), "seed \(seed)")
                    #expect(
                        try tables.outcomes.getLive(message, page: 3, in: transaction) == outcomes, "seed \(seed)")
                }
            }
        }
    }

    @Test func `a count that is not that of the recipients is corrupt`() throws {
        try scratch.edit { environment, tables in
            try environment.write { transaction in
                let outcomes = LiveOutcomes(pending: try #require(ChunkBits(ascending: [1, 2])))
                var wrong = bytes(outcomes)
                wrong.replaceSubrange(0..<2, with: [1, 0, 3, 1, 1, 0])
                try tables.outcomes.put(wrong.span, for: message, page: 3, in: &transaction)
                #expect(throws: RegistryError.self) {
                    try tables.outcomes.getLive(message, page: 3, in: transaction)
                }
            }
        }
    }
}
