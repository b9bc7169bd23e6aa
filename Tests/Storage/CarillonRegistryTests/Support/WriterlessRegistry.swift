import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import CarillonTestKit

@testable import CarillonRegistry

/// A registry without its writer: it commits, aborts and starts again at random, and has caches or none.
final class WriterlessRegistry {
    private let scratch: RegistryDirectory
    private let fault: ReplicaPair.PlantedFault?
    private var random: SeededGenerator
    private let environment: LMDBEnvironment
    private let tables: Tables
    private let limits: SetCache.Limits
    private var options = LMDBRegistry.Options()
    private var context: WriteContext
    private var open: OpenWriteTransaction?
    /// The mutations that were applied since the last commit.
    private var uncommitted: [Mutation] = []

    init(_ scratch: RegistryDirectory, seed: UInt64, fault: ReplicaPair.PlantedFault? = nil) throws {
        self.scratch = scratch
        self.fault = fault
        random = SeededGenerator(seed: seed)
        var options = LMDBEnvironment.Options()
        options.mapBytes = 64 << 20
        options.maximumDatabases = Tables.databaseCount
        environment = try LMDBEnvironment(path: scratch.path, options: options)
        tables = try Tables(environment, identity: RegistryIdentity(of: environment), ifMissing: .fail)
        var limits = SetCache.Limits()
        // Half of the registries have room for hardly anything.
        if Bool.random(using: &random) {
            limits.sets = 3
            limits.chunks = 2
            limits.keptChunks = 1
            limits.groupTopics = 2
        }
        self.limits = limits
        // The seeds of a pair differ by an even number, so both of the pair have the same option: the stored state
        // depends on it.
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
            .acknowledge(subscriber, upTo: sequence, now: now.later(byMilliseconds: 1))
        case (.setting, .configure): .configure(RegistrySettings())
        default: change
        }
    }

    /// Removes the oldest event, which must not depend on the moment of a commit.
    private func removeOldestEvent(in transaction: inout WriteTransaction) throws {
        for sequence in try tables.events.oldestNumber(in: transaction) {
            try tables.events.delete(sequence, in: &transaction)
        }
    }
}

extension Span<UInt8> {
    fileprivate var bytes: [UInt8] { withUnsafeBufferPointer { Array($0) } }
}
