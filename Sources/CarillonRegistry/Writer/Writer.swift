import CarillonCore
import CarillonLMDB
import CarillonWire
import Synchronization

/// The one owner of write transactions: takes what waits, applies it in order in one transaction, has it on the disk, and then
/// answers. Lives on the writer thread.
///
/// On the disk it is by a commit; or, in a flood of changes, by a record of the journal: then the transaction goes on, and its
/// commit, the checkpoint, comes later and is for many batches.
final class Writer {
    /// Held for as long as something may be written, however soon the registry itself is let go of.
    private let lock: DirectoryLock
    private let environment: LMDBEnvironment
    private let applier: ChangeApplier
    private let layout: Layout
    private let journal: Journal
    private let queue: WriteQueue
    private let gate: ReadGate
    private let options: LMDBRegistry.Options
    private let uptimeMilliseconds: @Sendable () -> UInt64
    private let onEvents: @Sendable (UInt64) -> Void
    private let onFailure: @Sendable (RegistryError) -> Void
    private var gauge: SpaceGauge
    private var policy: CheckpointPolicy
    /// What is applied and not committed; nothing between a commit and the next batch.
    private var held: HeldWrite?
    /// Changes of a record, made in the same memory each time.
    private var frames = FrameWriter()
    /// The newest event of this batch that is on disk.
    private var newestEvent: UInt64?

    private typealias JobResult = Result<Job.Answer, RegistryError>

    init(
        lock: DirectoryLock,
        environment: LMDBEnvironment,
        layout: Layout,
        journal: Journal,
        queue: WriteQueue,
        gate: ReadGate,
        options: LMDBRegistry.Options,
        uptimeMilliseconds: @escaping @Sendable () -> UInt64,
        wallClock: @escaping @Sendable () -> Timestamp,
        onEvents: @escaping @Sendable (UInt64) -> Void,
        onFailure: @escaping @Sendable (RegistryError) -> Void
    ) {
        self.lock = lock
        self.environment = environment
        self.applier = ChangeApplier(layout: layout, options: options, wallClock: wallClock)
        self.layout = layout
        self.journal = journal
        self.queue = queue
        self.gate = gate
        self.options = options
        self.uptimeMilliseconds = uptimeMilliseconds
        self.onEvents = onEvents
        self.onFailure = onFailure
        gauge = SpaceGauge(options: options)
        policy = CheckpointPolicy(limits: options.journal)
    }

    /// Commits what a process that ended early has left in the journal; before anybody reads.
    func recover() throws(RegistryError) {
        do throws(Failure) {
            try replay()
        } catch {
            throw error.error
        }
    }

    /// Writes until the queue is closed and empty, or the disk fails.
    func run() {
        while true {
            let taken = queue.take(within: policy.patience)
            var batch: [Job] = []
            if case .jobs(let jobs) = taken { batch = jobs }
            do throws(Fatal) {
                if batch.isEmpty {
                    try checkpoint()
                } else {
                    let results = try write(batch)
                    answer(batch, results)
                }
                tellEvents()
            } catch {
                return stop(error.error, batch: batch, results: error.results)
            }
            if case .end = taken { return }
        }
    }

    private func tellEvents() {
        if let newest = newestEvent { onEvents(newest) }
        newestEvent = nil
    }

    /// Jobs that are answered before anybody is told of it: those behind them go on while the first are sent.
    private static let answersAtOnce = 256

    private func answer(_ batch: [Job], _ results: [JobResult]) {
        for start in stride(from: 0, to: batch.count, by: Self.answersAtOnce) {
            options.whileAnswering {
                for index in start..<min(start + Self.answersAtOnce, batch.count) {
                    batch[index].complete(results[index])
                }
            }
        }
    }

    /// The disk has failed; `results` are of the jobs whose end is known.
    private struct Fatal: Error {
        var error: RegistryError
        var results: [JobResult?] = []
    }

    /// Why a transaction was given up.
    private struct Failure: Error {
        var error: RegistryError
        var isFatal: Bool
    }

    private func stop(_ error: RegistryError, batch: [Job], results: [JobResult?]) {
        let waiting = queue.fail(error)
        for (index, job) in batch.enumerated() {
            job.complete(index < results.count ? results[index] ?? .failure(error) : .failure(error))
        }
        for job in waiting { job.complete(.failure(error)) }
        held?.abort()
        gate.fail(error)
        onFailure(error)
    }

    // MARK: - A batch

    /// The result of every job of a batch, in order.
    private func write(_ batch: [Job]) throws(Fatal) -> [JobResult] {
        let uptime = uptimeMilliseconds()
        if policy.hasRested(at: uptime) { applier.rest() }
        let admission: SpaceGauge.Admission
        do {
            admission = try gauge.admission(to: environment, at: uptime)
        } catch {
            throw Fatal(error: Self.failure(error).error)
        }
        var results: [JobResult?] = batch.map { job in
            if let deadline = job.deadline, uptime > deadline { return .failure(.deadline) }
            return admission.admits(job.work) ? nil : .failure(.storageFull)
        }
        let admitted = batch.indices.filter { results[$0] == nil }
        do throws(Failure) {
            let started = LMDBRegistry.monotonicNanoseconds()
            let journaled = try journal(admitted, of: batch, at: uptime)
            let answers = if let journaled { journaled } else { try commit(admitted[...], of: batch) }
            if !admitted.isEmpty {
                options.onCommit(
                    admitted.reduce(0) { $0 + batch[$1].count }, LMDBRegistry.monotonicNanoseconds() - started)
            }
            if admitted.count == batch.count { return answers.map { .success($0) } }
            for (index, answer) in zip(admitted, answers) { results[index] = .success(answer) }
        } catch {
            if error.isFatal { throw Fatal(error: error.error, results: results) }
            try writeHalves(admitted[...], error.error, of: batch, into: &results)
        }
        return results.map { $0 ?? .failure(.closed) }
    }

    /// After a transaction for all of `admitted` has failed: each half in one of its own, and so on, so that what fails alone
    /// does so alone, and costs the others a few commits and not one each.
    private func writeHalves(
        _ admitted: ArraySlice<Int>,
        _ error: RegistryError,
        of batch: [Job],
        into results: inout [JobResult?]
    ) throws(Fatal) {
        if admitted.count == 1, let index = admitted.first {
            if case .sweep = batch[index].work, applier.hasFoundObstacle {
                // The others that are past their retention do not wait for an operator.
                results[index] = .success(.swept(hasMore: true))
            } else {
                results[index] = .failure(error)
            }
            return
        }
        let middle = admitted.startIndex + admitted.count / 2
        for half in [admitted[..<middle], admitted[middle...]] {
            do throws(Failure) {
                for (index, answer) in zip(half, try commit(half, of: batch)) { results[index] = .success(answer) }
            } catch {
                if error.isFatal { throw Fatal(error: error.error, results: results) }
                try writeHalves(half, error.error, of: batch, into: &results)
            }
        }
    }

    /// Applies everything and writes it to the journal; nothing, and nothing is done, if it is to be committed now.
    private func journal(
        _ admitted: [Int], of batch: [Job], at uptime: UInt64
    ) throws(Failure) -> [Job.Answer]? {
        if gate.takeReaders() { policy.disturbed(at: uptime) }
        var (changes, isFlood) = (0, !admitted.isEmpty)
        for index in admitted {
            changes += batch[index].count
            guard !JournaledChange.has(batch[index].work) else { continue }
            isFlood = false
            if JournaledChange.isAwaited(batch[index].work) { policy.disturbed(at: uptime) }
        }
        guard isFlood, !applier.isFull else { return nil }
        let answers: [Job.Answer]
        do {
            let pages = try held?.transaction.changedPages() ?? 0
            guard policy.admits(changes: changes, bytes: journal.byteCount, pages: pages, at: uptime) else {
                return nil
            }
            answers = try apply(admitted[...], of: batch)
            if let held { try applier.learn(in: &held.transaction) }
        } catch {
            // It is tried again without the journal, which tells what is the matter with it.
            try rollBack()
            let failure = Self.failure(error)
            if failure.isFatal { throw failure }
            return nil
        }
        frames.removeAll()
        for index in admitted { JournaledChange.append(batch[index].work, to: &frames) }
        do throws(RegistryError) {
            try journal.append(frames.bytes)
        } catch {
            // Nobody can tell what of it is on the disk: the next start will.
            throw Failure(error: error, isFatal: true)
        }
        policy.journaled(changes: changes, at: uptime)
        gate.close()
        return answers
    }

    /// Applies everything in one transaction, with what the journal holds; a map that is full grows while it may.
    private func commit(_ admitted: ArraySlice<Int>, of batch: [Job]) throws(Failure) -> [Job.Answer] {
        // With all refused there may still be what waits.
        if admitted.isEmpty && held == nil { return [] }
        while true {
            do {
                let answers = try apply(admitted, of: batch)
                try commit()
                return answers
            } catch {
                try rollBack()
                if LMDBError.Code.mapFull ~= error, try grow() { continue }
                throw Self.failure(error)
            }
        }
    }

    private func apply(_ admitted: ArraySlice<Int>, of batch: [Job]) throws -> [Job.Answer] {
        let held = try hold()
        var answers: [Job.Answer] = []
        answers.reserveCapacity(admitted.count)
        for index in admitted { answers.append(try apply(batch[index].work, in: &held.transaction)) }
        return answers
    }

    private func apply(_ work: Job.Work, in transaction: inout WriteTransaction) throws -> Job.Answer {
        switch work {
        case .change(let change):
            return .change(try applier.apply(change, in: &transaction))
        case .changes(let changes):
            var answers: [ChangeAnswer] = []
            answers.reserveCapacity(changes.count)
            for change in changes { answers.append(try applier.apply(change, in: &transaction)) }
            return .changes(answers)
        case .sweep(let now):
            return .swept(hasMore: try applier.sweep(now: now, limit: options.sweepLimit, in: &transaction))
        }
    }

    // MARK: The transaction

    /// The transaction that is open, or a new one.
    private func hold() throws -> HeldWrite {
        if let held { return held }
        let begun = try HeldWrite(environment)
        held = begun
        return begun
    }

    /// Commits what was applied since the last commit.
    private func commit() throws {
        guard let held else { return }
        try applier.flush(&held.transaction)
        if journal.byteCount > 0 {
            try layout.meta.putLastJournalRecord(&held.transaction, journal.lastRecord)
        }
        try held.commit()
        self.held = nil
        journal.checkpointed()
        policy.checkpointed()
        newestEvent = applier.committed() ?? newestEvent
        queue.chunks.store(applier.chunks, ordering: .relaxed)
        gate.open()
    }

    /// Commits what only the journal holds, if there is anything.
    private func checkpoint() throws(Fatal) {
        // Before they are let in: they have waited.
        if gate.takeReaders() { policy.disturbed(at: uptimeMilliseconds()) }
        do {
            try commit()
        } catch {
            do throws(Failure) {
                try rollBack()
            } catch {
                throw Fatal(error: error.error)
            }
        }
    }

    /// Gives up what was applied since the last commit, and commits what the journal holds of it: that was answered.
    private func rollBack() throws(Failure) {
        held?.abort()
        held = nil
        applier.aborted()
        if journal.byteCount > 0 { try replay() }
    }

    /// Commits what the journal holds beyond the last commit; a map that is full grows while it may.
    private func replay() throws(Failure) {
        while true {
            do {
                let stored = try environment.read { try layout.meta.lastJournalRecord($0) }
                try journal.replay(after: stored) { changes in
                    let held = try hold()
                    for change in changes { _ = try applier.apply(change, in: &held.transaction) }
                }
                return try commit()
            } catch {
                held?.abort()
                held = nil
                applier.aborted()
                if LMDBError.Code.mapFull ~= error, try grow() { continue }
                let failure = Self.failure(error)
                if case .corrupted = failure.error { return try replayApart() }
                throw Failure(error: failure.error, isFatal: true)
            }
        }
    }

    /// After what the journal holds could not be stored together: stores all of it but the changes that meet something unreadable, and
    /// tells how many these are. They were answered before anybody had looked there.
    ///
    /// Whoever ends in the middle begins again, with changes that are stored already: each leaves what it left before.
    private func replayApart() throws(Failure) {
        do {
            var changes: [Change] = []
            let stored = try environment.read { try layout.meta.lastJournalRecord($0) }
            try journal.replay(after: stored) { changes += $0 }
            var lost: (count: Int, reason: String) = (0, "")
            try store(changes[...], &lost)
            // Before anybody is let in to look for them.
            if lost.count > 0 {
                options.onUnreadable("\(lost.count) changes that were answered could not be stored: \(lost.reason)")
            }
            _ = try hold()
            try commit()
        } catch {
            held?.abort()
            held = nil
            throw Failure(error: Self.failure(error).error, isFatal: true)
        }
    }

    /// Stores changes in one transaction; if that fails, each half in one of its own, and so on.
    private func store(_ changes: ArraySlice<Change>, _ lost: inout (count: Int, reason: String)) throws {
        do {
            let held = try hold()
            for change in changes { _ = try applier.apply(change, in: &held.transaction) }
            try applier.flush(&held.transaction)
            try held.commit()
            self.held = nil
            newestEvent = applier.committed() ?? newestEvent
        } catch {
            held?.abort()
            held = nil
            applier.aborted()
            if LMDBError.Code.mapFull ~= error, try grow() { return try store(changes, &lost) }
            let failure = Self.failure(error)
            guard case .corrupted(let reason) = failure.error else { throw failure.error }
            guard changes.count > 1 else {
                lost = (lost.count + 1, reason)
                return
            }
            let middle = changes.startIndex + changes.count / 2
            try store(changes[..<middle], &lost)
            try store(changes[middle...], &lost)
        }
    }

    /// Doubles the map; false if it is as large as it may be.
    private func grow() throws(Failure) -> Bool {
        do {
            return try environment.growMap(upTo: options.maximumMapBytes)
        } catch {
            throw Failure(error: Self.failure(error).error, isFatal: true)
        }
    }

    /// What an error means: of one job, of the space, or of the disk.
    private static func failure(_ error: any Error) -> Failure {
        if let error = error as? RegistryError { return Failure(error: error, isFatal: false) }
        guard let error = error as? LMDBError else {
            return Failure(error: .storageFailed("an unknown error"), isFatal: true)
        }
        switch error.code {
        case .mapFull: return Failure(error: .storageFull, isFatal: false)
        case .transactionFull: return Failure(error: .overloaded, isFatal: false)
        case .corrupted, .pageNotFound: return Failure(error: .corrupted(error.description), isFatal: false)
        default: return Failure(error: .storageFailed(error.description), isFatal: true)
        }
    }
}
