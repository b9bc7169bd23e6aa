import CarillonClock
import CarillonCluster
import CarillonCore
import CarillonLMDB
import CarillonWire
import Synchronization

/// The writer of a replica: it applies the entries of the shared log, its own among them, in the order of the log.
///
/// A change is durable when the shared log has it, so there is no log in the data directory: what a crash drops from
/// the open transaction is read again. A commit stores the position that it has reached. An entry that cannot be
/// applied ends the server, because a replica must never differ from the others.
extension Writer {
    /// The milliseconds between two looks at the changes that wait while the node takes none.
    private static let pollMilliseconds: UInt64 = 250

    /// Writes until the queue is closed, or an entry cannot be applied.
    func run(_ replica: ReplicaContext) throws(WriterError) {
        while true {
            let takesBatch = replica.checkTakesBatch(at: uptime())
            var timeout = checkpointRule.timeoutMilliseconds(readsWait: readGate.hasReaders, at: uptime())
            if !takesBatch { timeout = min(timeout ?? Self.pollMilliseconds, Self.pollMilliseconds) }
            switch queue.dequeue(withinMilliseconds: timeout, takesSubmissions: takesBatch) {
            case .batch(let submissions): try handOver(submissions, to: replica)
            case .woken, .timeout: break
            case .closed: return try end(replica)
            }
            for instruction in replica.exchange.takeInstructions() { try follow(instruction, in: replica) }
            try serveReadsAlone()
            if !replica.checkTakesBatch(at: uptime()), replica.hasWaitedTooLong(at: uptime()) { refuseWaiting() }
            if bulkIngest.takeCacheRelease(at: uptime()) { context.releaseBulkMemory() }
            try checkpointIfDue()
        }
    }

    /// Commits what is applied. Batches that the node has begun go on in the log, but are no longer answered.
    private func end(_ replica: ReplicaContext) throws(WriterError) {
        for submission in queue.takeAllSubmissions() { submission.complete(.failure(.closed)) }
        try checkpoint()
        replica.fail(.effectUnknown("the server stopped before the answer was known"))
        serve(queue.refuseLaterReads())
    }

    private func follow(_ instruction: ReplicaExchange.Instruction, in replica: ReplicaContext) throws(WriterError) {
        switch instruction {
        case .joined(let joined): replica.joined(joined.log, as: joined.member)
        case .batchBegan(let id):
            var refused = replica.batchBegan(as: id, at: uptime())
            refused?.fail(.logUnavailable("the node has no incarnation"))
        case .apply(let entriesToApply): try applyEntries(entriesToApply, to: replica)
        case .finish(let id, let end): try finish(id, with: end, in: replica)
        case .answerChanges(let position): options.whileAnswering { replica.answerChanges(through: position) }
        }
    }

    // MARK: Own batches

    /// Hands a batch of submissions to the node.
    private func handOver(_ submissions: [Submission], to replica: ReplicaContext) throws(WriterError) {
        pipeline.submissionsDequeued(submissions)
        var batch = try makeAdmittedBatch(of: submissions)
        pipeline.submissionsHandedOver()
        let format = replica.exchange.format
        batch.refuse(.logUnavailable("a node of the cluster is of a version that does not know this request")) {
            $0.mutation.format <= format
        }
        guard batch.changeCount > 0 else { return options.whileAnswering { batch.answer(atMost: .max) } }
        var frames = FrameWriter()
        var neededFormat: UInt16 = 1
        for index in batch.admitted {
            let mutation = batch.submissions[index].mutation
            neededFormat = max(neededFormat, mutation.format)
            ChangeRecordCodec.append(mutation, to: &frames)
        }
        let changes = frames.take()
        guard changes.count <= LogEntry.maximumChangeBytes else {
            batch.refuseAll(.overloaded)
            return options.whileAnswering { batch.answer(atMost: .max) }
        }
        replica.handOver(batch, changes: changes, format: neededFormat)
    }

    /// Refuses the submissions that wait, because the node has taken no batch for a while.
    private func refuseWaiting() {
        let waiting = queue.takeAllSubmissions()
        guard !waiting.isEmpty else { return }
        let error = RegistryError.logUnavailable("it has not answered for \(ReplicaContext.maximumWaitMilliseconds) ms")
        options.whileAnswering { for submission in waiting { submission.complete(.failure(error)) } }
    }

    /// Answers a batch. Reads are run between two pieces of it.
    private func finish(
        _ id: ClusterNode.BatchID, with end: ClusterNode.BatchEnd, in replica: ReplicaContext
    ) throws(WriterError) {
        guard var batch = replica.take(id) else { return }
        switch end {
        case .refused(let failure): options.whileAnswering { batch.fail(.logUnavailable("\(failure)")) }
        case .unknown:
            let error = RegistryError.effectUnknown("the shared log has not said what became of the change")
            options.whileAnswering { batch.fail(error) }
        case .applied(let position):
            while !batch.isAnswered {
                options.whileAnswering {
                    batch.answer(atMost: Self.submissionsPerAnswer) { replica.deferAnswer($1, to: $0, at: position) }
                }
                if areReadsDue { try serveReadsAlone() }
            }
            options.onBatch(batch.changeCount, Clock.uptimeNanoseconds() - batch.startedAtNanoseconds)
        }
    }

    // MARK: Entries

    /// Applies entries in the order of the log, and reports this to the node. A commit is made only between two
    /// entries.
    private func applyEntries(
        _ entriesToApply: ClusterNode.EntriesToApply, to replica: ReplicaContext
    ) throws(WriterError) {
        var result = ClusterNode.ApplyResult(hashes: [], urgent: [])
        for (index, entry) in entriesToApply.entries.enumerated() {
            do {
                // The position of an entry without a change must be stored too.
                let open = try currentTransaction()
                try applyEntry(entry, of: entriesToApply.batches[index], to: replica, into: &result)
                if !bulkIngest.isUnderWay { try context.flushBufferedRowsIfMany(in: &open.transaction) }
                if try !mayStayOpen(open) { try commit() }
            } catch {
                throw inapplicable(error, after: replica.record.state.applied.position)
            }
        }
        queue.chunkCount.store(context.ids.largestChunkCount, ordering: .relaxed)
        if let newest = context.events.takeNewestSequence() { onEvents(newest) }
        replica.exchange.publish(replica.record, as: replica.member)
        replica.exchange.entriesApplied(result)
    }

    private func applyEntry(
        _ entry: LogEntry, of batch: ClusterNode.BatchID?, to replica: ReplicaContext,
        into result: inout ClusterNode.ApplyResult
    ) throws {
        guard let position = replica.record.state.applied.position.next else {
            throw RegistryError.corrupted("the shared log has no more positions")
        }
        var report = AppliedEntry(
            position: position, member: entry.id.member, changes: [], endedMembers: [], live: replica.record.live,
            hasJoined: entry.content == .joined, node: replica.member)
        var answers = AnswerBytes()
        if case .changes(let bytes) = entry.content {
            let isUrgent = try applyChanges(bytes, of: batch, to: replica, report: &report, answers: &answers)
            if isUrgent { result.urgent.insert(position) }
        }
        report.endedMembers = replica.entryApplied(entry, at: position, answers: answers.bytes[...])
        report.live = replica.record.live
        result.hashes.append(replica.record.state.applied)
        checkpointRule.changesApplied(at: uptime())
        // The gate is closed before a caller is told of a change that no snapshot shows.
        readGate.closeForChangedDevices()
        options.onApplied(report)
    }

    /// Applies the changes of an entry. Reads are run between two slices of them.
    ///
    /// - Returns: true if one of them is urgent.
    private func applyChanges(
        _ bytes: [UInt8], of batch: ClusterNode.BatchID?, to replica: ReplicaContext, report: inout AppliedEntry,
        answers answerBytes: inout AnswerBytes
    ) throws -> Bool {
        let mutations = try ChangeRecordCodec.mutations(in: bytes[...])
        let claimant = StoredClaims.Claimant(incarnation: report.member.incarnation, live: report.live)
        context.storedClaims.beginEntry(of: claimant)
        var answers: [MutationAnswer] = []
        answers.reserveCapacity(mutations.count)
        bulkIngest.batchBegan(changes: mutations.count, at: uptime())
        try applySlices(of: mutations.count) { index, transaction in
            answers.append(try applier.apply(mutations[index], in: &transaction))
        }
        var isUrgent = false
        let open = try currentTransaction()
        for (mutation, answer) in zip(mutations, answers) {
            answerBytes.append(answer)
            try report.append(mutation, answer: answer) { try applied($0, answer: $1, in: replica, from: open) }
            if !isUrgent { isUrgent = mutation.isUrgent(with: answer) }
        }
        if let batch { try replica.setAnswers(answers, of: batch) }
        return isUrgent
    }

    /// Returns a change and its answer, with the work of this node for the messages in it.
    private func applied(
        _ change: Change, answer: ChangeAnswer, in replica: ReplicaContext, from open: OpenWriteTransaction
    ) throws -> AppliedEntry.AnsweredChange {
        var applied = AppliedEntry.AnsweredChange(change: change, answer: answer)
        guard let member = replica.member?.incarnation else { return applied }
        let tables = context.tables
        let live = replica.record.live
        for outbound in answer.messages {
            let own = try tables.addingShare(of: member, to: outbound, among: live, in: open.transaction)
            if let own { applied.ownShares[outbound.id] = own.share.map { .pages($0) } ?? .whole }
        }
        if case .updateMessage(let request, _) = change, case .pace(_?) = request.messageUpdate {
            let claims = try tables.claims?.get(request.id, in: open.transaction)?.claims
            applied.mustGiveUp = claims?.blocksToRelease(by: member).isEmpty == false
        }
        return applied
    }

    private func inapplicable(_ error: any Error, after position: LogPosition) -> WriterError {
        let failure = writerError(for: error).error
        let reason = failure == .storageFull ? "data.mdb has reached data.limitMebibytes" : "\(failure)"
        return .fatal(
            .storageFailed("the entry after position \(position) of the shared log cannot be applied: \(reason)"))
    }
}

extension AppliedEntry {
    fileprivate mutating func append(
        _ mutation: Mutation, answer: MutationAnswer, applied: (Change, ChangeAnswer) throws -> AnsweredChange
    ) throws {
        switch (mutation, answer) {
        case (.change(let change), .change(let answer)):
            changes.append(try applied(change, answer))
        case (.changes(let list), .changes(let answers)):
            for (change, answer) in zip(list, answers) {
                changes.append(try applied(change, answer))
            }
        case (.sweep, _): break
        case (.change, _), (.changes, _):
            throw RegistryError.corrupted("a change of the shared log has the answer to another change")
        }
    }
}
