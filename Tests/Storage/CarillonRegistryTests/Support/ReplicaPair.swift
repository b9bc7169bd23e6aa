import CarillonCore
import CarillonRegistryTestKit
import CarillonTestKit
import CarillonWire

@testable import CarillonRegistry

/// A replica to which a random history is applied as it happens, and another that gets it from the log.
struct ReplicaPair {
    /// A planted fault, which makes two replicas differ. The comparison must find each.
    enum PlantedFault: CaseIterable {
        /// Times are taken from a clock of the replica, which is one millisecond ahead.
        case clock
        /// The settings are those with which the replica was started.
        case setting
        /// The caches are not dropped when a transaction is aborted.
        case keptCache
        /// Each commit removes the oldest event.
        case removalAtCommit
    }

    private var history: RandomHistory
    private var random: SeededGenerator
    private let live: WriterlessRegistry
    private let follower: WriterlessRegistry

    init(seed: UInt64, fault: PlantedFault? = nil) throws {
        history = RandomHistory(seed: seed)
        random = SeededGenerator(seed: seed &+ 1_000)
        let scratch = RegistryDirectory()
        try scratch.open().close()
        // The second replica is a copy of the first, because the key of the digests of addresses is part of the state.
        let copy = try scratch.crashed()
        live = try WriterlessRegistry(scratch, seed: seed)
        follower = try WriterlessRegistry(copy, seed: seed &+ 2_000, fault: fault)
    }

    /// Returns the first difference; nil if the replicas are the same.
    mutating func run() throws -> String? {
        for step in 1...40 {
            let mutations = history.nextMutations()
            let answers = try mutations.map { try live.apply($0) }
            var rest = mutations[...]
            var found: [MutationAnswer] = []
            while !rest.isEmpty {
                let count = Int.random(in: 1...rest.count, using: &random)
                var record = FrameWriter()
                for mutation in rest.prefix(count) { ChangeRecordCodec.append(mutation, to: &record) }
                rest = rest.dropFirst(count)
                for mutation in try ChangeRecordCodec.mutations(in: record.bytes[...]) {
                    found.append(try follower.apply(mutation))
                }
            }
            if let index = answers.indices.first(where: { answers[$0] != found[$0] }) {
                return "step \(step): \(mutations[index]): \(answers[index]) and \(found[index])"
            }
            guard step.isMultiple(of: 20) else { continue }
            let (left, right) = (try live.rows(), try follower.rows())
            if let row = left.keys.sorted().first(where: { left[$0] != right[$0] }) {
                return "step \(step): \(row): \(left[row] ?? []) and \(right[row] ?? [])"
            }
            if let row = right.keys.first(where: { left[$0] == nil }) { return "step \(step): \(row) is there" }
        }
        return nil
    }
}
