import CarillonCluster
import CarillonCore

/// The batches and callers that the writer of a replica keeps between two instructions of its node.
///
/// It belongs to the writer thread.
final class ReplicaContext {
    typealias SubmissionResult = WriteBatch.SubmissionResult

    /// The most milliseconds for which changes wait for a node that takes no batch, because it has no incarnation or an
    /// append does not end.
    static let maximumWaitMilliseconds: UInt64 = 2_000

    /// An answer that waits for the other nodes.
    private struct DeferredAnswer {
        var position: LogPosition
        var submission: Submission
        var result: SubmissionResult
    }

    let exchange: ReplicaExchange
    /// The row after the last entry that was applied.
    private(set) var record: ReplicaRecord
    /// This node in its present incarnation; nil before it has joined.
    private(set) var member: Member?
    /// The batch that was handed to the node and has no number yet.
    private var handedOver: WriteBatch?
    /// The batches that are being appended or applied.
    private var batches: [ClusterNode.BatchID: WriteBatch] = [:]
    private var deferred: [DeferredAnswer] = []
    /// The time since which the node has taken no batch, as the writer saw it; nil while it would take one.
    private var waitsSince: Uptime?

    init(_ exchange: ReplicaExchange, record: ReplicaRecord, at now: Uptime) {
        self.exchange = exchange
        self.record = record
        waitsSince = now
    }

    func joined(_ log: UUIDBytes, as member: Member) {
        record.state.log = log
        self.member = member
        exchange.publish(record, as: member)
    }

    /// Called when an entry is applied; see `ReplicaRecord.entryApplied`.
    func entryApplied(_ entry: LogEntry, at position: LogPosition, answers: ArraySlice<UInt8>) -> [Member] {
        record.entryApplied(entry, at: position, answers: answers)
    }

    /// Returns true if the node takes a batch now, and remembers the time since which it takes none.
    func checkTakesBatch(at now: Uptime) -> Bool {
        let takesBatch = handedOver == nil && exchange.takesBatch
        waitsSince = takesBatch ? nil : waitsSince ?? now
        return takesBatch
    }

    func hasWaitedTooLong(at now: Uptime) -> Bool {
        waitsSince.map { now.milliseconds(since: $0) >= Self.maximumWaitMilliseconds } ?? false
    }

    // MARK: Batches

    /// Hands the changes of a batch to the node.
    ///
    /// - Parameter format: the oldest format of entries that can contain them.
    func handOver(_ batch: WriteBatch, changes: [UInt8], format: UInt16) {
        handedOver = batch
        exchange.append(changes, format: format)
    }

    /// Files a batch under the number that the node has given it; nil if the node could not take it.
    ///
    /// - Returns: the batch, if the caller must refuse it.
    func batchBegan(as id: ClusterNode.BatchID?, at now: Uptime) -> WriteBatch? {
        defer { handedOver = nil }
        guard let id else { return handedOver }
        batches[id] = handedOver
        waitsSince = now
        return nil
    }

    /// Sets the answers of a batch of this node, whose entry was applied.
    ///
    /// - Throws: `.storageFailed` if the answers do not belong to its mutations.
    func setAnswers(_ answers: [MutationAnswer], of id: ClusterNode.BatchID) throws(RegistryError) {
        guard batches[id]?.setLast(answers.map { .success($0) }) == false else { return }
        throw .storageFailed("a batch of this node has other changes in the shared log")
    }

    /// Removes and returns a batch that has ended; nil if it is not one of this writer.
    func take(_ id: ClusterNode.BatchID) -> WriteBatch? { batches.removeValue(forKey: id) }

    // MARK: Answers

    /// Defers an answer that must wait until every node knows of its change; returns false if it need not wait.
    func deferAnswer(_ result: SubmissionResult, to submission: Submission, at position: LogPosition) -> Bool {
        guard case .success(let answer) = result, submission.mutation.isUrgent(with: answer) else { return false }
        deferred.append(DeferredAnswer(position: position, submission: submission, result: result))
        return true
    }

    /// Answers the changes up to a position, which every node knows of.
    func answerChanges(through position: LogPosition) {
        for answer in deferred where answer.position <= position { answer.submission.complete(answer.result) }
        deferred.removeAll { $0.position <= position }
    }

    /// Answers everything with an error, because nothing more is heard from the node: whether the changes have an
    /// effect is not known here.
    func fail(_ error: RegistryError) {
        handedOver?.fail(error)
        for var batch in batches.values { batch.fail(error) }
        for answer in deferred { answer.submission.complete(.failure(error)) }
        handedOver = nil
        batches = [:]
        deferred = []
    }
}

/// Tells the changes after which some pushes must not begin.
extension Change {
    /// Returns true if a push that is begun without knowing the change may be wrong: its answer waits until every node
    /// knows it (`AnswerRule`).
    ///
    /// - Parameter answer: the answer that applying it has given.
    func isUrgent(with answer: ChangeAnswer) -> Bool {
        if case .updateMessage(let request, _) = self, case .messageUpdated = answer {
            switch request.messageUpdate {
            case .cancel, .pause, .pace(_?): return true
            case .resume, .pace(nil): return false
            }
        }
        return answer.affected != .devices([])
    }
}

extension Mutation {
    /// Returns true if one of its changes is urgent. A sweep is not.
    func isUrgent(with answer: MutationAnswer) -> Bool {
        switch (self, answer) {
        case (.change(let change), .change(let answer)): change.isUrgent(with: answer)
        case (.changes(let changes), .changes(let answers)):
            zip(changes, answers).contains { $0.isUrgent(with: $1) }
        default: false
        }
    }
}
