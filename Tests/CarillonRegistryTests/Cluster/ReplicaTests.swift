import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import CarillonTestKit
import CarillonWire
import Testing

@testable import CarillonRegistry

/// Two registries made from one log: the same answers, and the same rows in every table, byte for byte, whatever else
/// is different about them.
struct ReplicaTests {
    @Test(arguments: TestSeeds.of(1...40))
    func theSameLogGivesTheSameAnswersAndRows(seed: UInt64) throws {
        var pair = try ReplicaPair(seed: seed)
        let difference = try pair.run()
        #expect(difference == nil, "seed \(seed)")
    }

    /// A planted fault, which makes two replicas differ. The comparison above must find each.
    enum PlantedFault: CaseIterable {
        /// Times are taken from a clock of the replica, which is one millisecond ahead.
        case clock
        /// The settings are those with which the replica was started.
        case setting
        /// After a transaction was aborted the caches are still those of before.
        case keptCache
        /// A commit removes what is no longer needed.
        case removalAtCommit
    }

    @Test(arguments: PlantedFault.allCases)
    func aPlantedDifferenceIsFound(fault: PlantedFault) throws {
        let found = (1...20 as ClosedRange<UInt64>).contains { seed in
            do {
                var pair = try ReplicaPair(seed: seed, fault: fault)
                return try pair.run() != nil
            } catch {
                // What cannot be applied to one of them is a difference as well.
                return true
            }
        }
        #expect(found)
    }
}

/// A replica to which a random history is applied as it happens, and another that gets it from the log.
private struct ReplicaPair {
    private var history: RandomHistory
    private var random: SeededGenerator
    private let live: Replica
    private let follower: Replica

    init(seed: UInt64, fault: ReplicaTests.PlantedFault? = nil) throws {
        history = RandomHistory(seed: seed)
        random = SeededGenerator(seed: seed &+ 1_000)
        let scratch = RegistryDirectory()
        try scratch.open().close()
        // The key of the digests of addresses is part of the state.
        let copy = try scratch.crashed()
        live = try Replica(scratch, seed: seed)
        follower = try Replica(copy, seed: seed &+ 2_000, fault: fault)
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

/// Changes of every kind, alone and together, and sweeps.
private struct RandomHistory {
    private var run: RandomRun
    private var random: SeededGenerator

    init(seed: UInt64) {
        run = RandomRun(seed: seed)
        random = SeededGenerator(seed: seed &+ 500)
    }

    mutating func nextMutations() -> [Mutation] {
        var changes = run.nextChanges()
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            changes.insert(contentsOf: otherChanges(), at: Int.random(in: 0...changes.count, using: &random))
        }
        // It knows which ids are in use.
        for change in changes { _ = run.reference.apply(change) }
        var mutations: [Mutation] = []
        var rest = changes[...]
        while let first = rest.first {
            let count = Int.random(in: 1...4, using: &random)
            if Bool.random(using: &random) {
                mutations.append(.change(first))
                rest = rest.dropFirst()
            } else {
                mutations.append(.changes(Array(rest.prefix(count))))
                rest = rest.dropFirst(count)
            }
            if Int.random(in: 0..<8, using: &random) == 0 { mutations.append(.sweep(now: now)) }
        }
        return mutations
    }

    private var now: Timestamp { timestamp(run.now) }

    /// Makes a change of a kind that ``RandomRun`` does not make.
    private mutating func otherChanges() -> [Change] {
        let subscriber = EventSubscriber(
            principal: ["shop", "ops"].randomElement(using: &random)!,
            name: ["mail", "audit"].randomElement(using: &random)!)
        switch Int.random(in: 0..<7, using: &random) {
        case 0: return [.acknowledge(subscriber, upTo: UInt64.random(in: 0...40, using: &random), now: now)]
        case 1: return [.forgetSubscriber(subscriber)]
        case 2: return [.configure(settings())]
        case 3: return silentPushes()
        case 4: return [moved()]
        case 5:
            let message = MessageID(rawValue: UInt64.random(in: 0...run.reference.lastMessage, using: &random))
            return [.setAudienceCount(message, devices: UInt64.random(in: 0...9, using: &random))]
        default:
            return [
                Change.recordOutcomes(
                    of: run.reference.lastMessage, [(0, .delivered), (1, .tokenExpired)], now: run.now)
            ]
        }
    }

    private mutating func settings() -> RegistrySettings {
        var settings = RegistrySettings()
        func milliseconds() -> UInt64 { UInt64.random(in: 0...300, using: &random) }
        settings.retention.idempotencyMilliseconds = milliseconds()
        settings.retention.tombstoneMilliseconds = milliseconds()
        settings.retention.messageMilliseconds = milliseconds()
        settings.retention.quarantineMilliseconds = milliseconds()
        settings.retention.eventMilliseconds = milliseconds()
        settings.retention.subscriberMilliseconds = milliseconds()
        settings.silentBudget.pushes = Int.random(in: 0...3, using: &random)
        settings.silentBudget.milliseconds = milliseconds()
        settings.maximumEvents = Int.random(in: 1...60, using: &random)
        settings.maximumSweptRows = Int.random(in: 1...12, using: &random)
        return settings
    }

    /// Makes a silent message to some devices, and its outcomes.
    private mutating func silentPushes() -> [Change] {
        let devices = (0..<3).map { _ in
            DeviceReference.id(deviceID(UInt64.random(in: 1...run.reference.lastDevice + 1, using: &random)))
        }
        let content = MessageContent(app: game, pushType: .background, payload: Array("{}".utf8))
        return [
            .accept(Message(content: content, audience: .devices(devices)), now: now),
            .recordOutcomes(
                of: run.reference.lastMessage + 1, [(0, .delivered), (1, .delivered), (2, .delivered)], now: run.now),
        ]
    }

    /// Makes an outcome that finds a device of the last messages in the other environment.
    private mutating func moved() -> Change {
        let message = UInt64.random(in: 0...run.reference.lastMessage, using: &random)
        let position = UInt16.random(in: 0..<3, using: &random)
        let recipients = run.reference.messages[message]?.recipients ?? []
        let device = Int(position) < recipients.count ? recipients[Int(position)].device : nil
        let entry = OutcomeRecord.RecipientEnd(
            position: position, outcome: .delivered,
            movedTo: [.production, .sandbox].randomElement(using: &random)!,
            registeredAt: device.flatMap { run.reference.devices[$0.rawValue]?.registeredAt } ?? .zero)
        return .recordOutcomes(
            OutcomeRecord(message: MessageID(rawValue: message), page: 0, entries: [entry]), now: now)
    }
}

/// A registry without its writer: it commits, aborts and starts again at random, and has caches or none.
private final class Replica {
    private let scratch: RegistryDirectory
    private let fault: ReplicaTests.PlantedFault?
    private var random: SeededGenerator
    private let environment: LMDBEnvironment
    private let tables: Tables
    private let limits: SetCache.SetCacheLimits
    private var options = LMDBRegistry.Options()
    private var context: WriteContext
    private var open: OpenWriteTransaction?
    /// The mutations that were applied since the last commit.
    private var uncommitted: [Mutation] = []

    init(_ scratch: RegistryDirectory, seed: UInt64, fault: ReplicaTests.PlantedFault? = nil) throws {
        self.scratch = scratch
        self.fault = fault
        random = SeededGenerator(seed: seed)
        var options = LMDBEnvironment.Options()
        options.mapBytes = 64 << 20
        options.maximumDatabases = Tables.databaseCount
        environment = try LMDBEnvironment(path: scratch.path, options: options)
        tables = try Tables(environment, identity: LMDBRegistry.storedIdentity(of: environment), ifMissing: .fail)
        var limits = SetCache.SetCacheLimits()
        // Half of them have room for hardly anything.
        if Bool.random(using: &random) {
            (limits.sets, limits.chunks, limits.keptChunks, limits.groupTopics) = (3, 2, 1, 2)
        }
        self.limits = limits
        // Seeds of a pair differ by an even number: both count as far.
        if seed.isMultiple(of: 2) { self.options.maximumCountingSteps = 1 }
        context = WriteContext(tables: tables, options: self.options, setLimits: limits)
    }

    func apply(_ mutation: Mutation) throws -> MutationAnswer {
        switch Int.random(in: 0..<40, using: &random) {
        case 0, 1: try commit()
        case 2, 3: try rollBack()
        case 4: try startAgain()
        case 5..<8 where fault != .keptCache: try context.tokenIndex.extendCaches(in: &transaction().transaction)
        case 8: context.releaseBulkMemory()
        default: break
        }
        let mutation = planted(mutation)
        uncommitted.append(mutation)
        return try answer(to: mutation)
    }

    /// Commits, and returns all rows by their tables and keys.
    func rows() throws -> [String: [UInt8]] {
        try commit()
        var rows: [String: [UInt8]] = [:]
        for (name, database) in tables.databases {
            try environment.read { transaction in
                try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
                    rows["\(name) \(Hex.string(key.bytes))"] = value.bytes
                    return .proceed
                }
            }
        }
        return rows
    }

    private func transaction() throws -> OpenWriteTransaction {
        if let open { return open }
        let begun = try OpenWriteTransaction(environment)
        open = begun
        return begun
    }

    private func answer(to mutation: Mutation) throws -> MutationAnswer {
        let open = try transaction()
        return try ChangeApplier(context: context).apply(mutation, in: &open.transaction)
    }

    private func commit() throws {
        guard let open else { return }
        try context.flush(in: &open.transaction)
        if fault == .removalAtCommit { try removeOldestEvent(in: &open.transaction) }
        try open.commit()
        self.open = nil
        context.transactionCommitted()
        uncommitted = []
    }

    /// Aborts what is not committed, and applies it again.
    private func rollBack() throws {
        open?.abort()
        open = nil
        if fault != .keptCache { context.transactionAborted() }
        for mutation in uncommitted { _ = try answer(to: mutation) }
    }

    private func startAgain() throws {
        try commit()
        context = WriteContext(tables: tables, options: options, setLimits: limits)
    }

    // MARK: Planted faults

    private func planted(_ mutation: Mutation) -> Mutation {
        switch mutation {
        case .change(let change): .change(planted(change))
        case .changes(let changes): .changes(changes.map(planted))
        case .sweep: mutation
        }
    }

    private func planted(_ change: Change) -> Change {
        switch (fault, change) {
        case (.clock, .acknowledge(let subscriber, let sequence, let now)):
            .acknowledge(subscriber, upTo: sequence, now: now.advanced(byMilliseconds: 1))
        case (.setting, .configure): .configure(RegistrySettings())
        default: change
        }
    }

    /// Removes the oldest event, which must not depend on the moment of a commit.
    private func removeOldestEvent(in transaction: inout WriteTransaction) throws {
        for sequence in try tables.events.oldest(before: nil, in: transaction) {
            try tables.events.delete(sequence, in: &transaction)
        }
    }
}

extension Span<UInt8> {
    fileprivate var bytes: [UInt8] { withUnsafeBufferPointer { Array($0) } }
}
