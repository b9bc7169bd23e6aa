package import CarillonCore

/// The appends of this node: its batches and its own entries, and the end of each attempt.
extension ClusterNode {
    // MARK: Batches

    /// Begins to append a batch of changes, encoded in ``format``. ``Action/finish(_:_:)`` tells the end of the batch.
    ///
    /// - Parameters:
    ///   - oldest: the oldest format of entries that can contain the changes.
    ///   - deadline: the latest time at which the callers are told that the end of the batch is unknown.
    /// - Returns: the name of the batch; nil if ``mayBeginBatch`` is false, or if a live node does not know that
    ///   format.
    package mutating func begin(
        _ changes: [UInt8], needing oldest: UInt16 = 1, deadline: Uptime, at now: Uptime
    ) -> BatchID? {
        guard mayBeginBatch, oldest <= format, changes.count <= LogEntry.maximumChangeBytes else { return nil }
        let id = batches.begin()
        beginAppend(of: .changes(changes), for: .batch(id), deadline: deadline, at: now)
        advance(at: now)
        return id
    }

    private mutating func beginAppend(
        of content: LogEntry.Content, for purpose: AppendInFlight.Purpose, deadline: Uptime, at now: Uptime
    ) {
        append.begin(for: purpose)
        let format = if case .batch = purpose { self.format } else { options.oldestFormat }
        let action = membership.incarnation?.append.begin(content, format: format, deadline: deadline, at: now)
        guard let action else { return }
        carryOut(action, at: now)
    }

    /// Appends an entry of the node itself, if it has one and no append is in flight.
    mutating func beginOwnAppend(at now: Uptime) {
        guard let incarnation = membership.living, append.isFree, membership.departure?.position == nil else { return }
        let deadline = now.later(byMilliseconds: options.times.leaseMilliseconds)
        if membership.departure != nil {
            guard batches.isEmpty, answers?.isWaiting != true else { return }
            return beginAppend(of: .left, for: .leaving, deadline: deadline, at: now)
        }
        if let removal = removals.takeFirst() {
            return beginAppend(
                of: .expired(removal.member), for: .removal(removal), deadline: removal.deadline, at: now)
        }
        if incarnation.lease.isInForce(at: now),
            let (member, silence) = incarnation.expiry.expirableMembers(at: now).first
        {
            return beginAppend(of: .expired(member), for: .expiry(member, silence), deadline: deadline, at: now)
        }
        if mayAppendInitialState, let initialState {
            beginAppend(of: .initialState(initialState), for: .initialState, deadline: deadline, at: now)
        }
    }

    /// True if the replica contains the whole log, and no entry says what its state begins with.
    private var mayAppendInitialState: Bool {
        guard !hasReadInitialState, !loading.isNeeded, let incarnation = membership.incarnation,
            progress.freshness.isNew(asOf: incarnation.joinedAt), let view = membership.view
        else { return false }
        return view.snapshots.isEmpty && view.ends.trimmed == 0
    }

    private var initialState: InitialState? {
        InitialState(kind: replicaState.hasForeignData ? .imported : .empty, parameters: options.parameters)
    }

    // MARK: One append

    private mutating func carryOut(_ action: AppendRule.Action, at now: Uptime) {
        switch action {
        case .append(let entry): call(entry)
        case .settle(let id):
            append.callBegan()
            actions.append(.call(.settle(id)))
        case .wait(let until): append.delayBegan(until: until)
        case .reportUnknown(let until):
            append.delayBegan(until: until)
            if let purpose = append.append?.purpose { reportUnknownEnd(of: purpose) }
        case .finish(let answer), .finishUnknown(let answer): appendFinished(answer, at: now)
        }
    }

    private mutating func call(_ entry: LogEntry) {
        append.callBegan(with: entry)
        switch append.append?.purpose {
        case .batch(let id):
            batches.appendBegan(id, as: entry.id)
            actions.append(.call(.append(entry)))
        case .expiry(_, let silence): actions.append(.call(.expire(entry, silence: silence)))
        case .removal: actions.append(.call(.expire(entry, silence: nil)))
        case .initialState, .leaving, nil: actions.append(.call(.append(entry)))
        }
    }

    /// Continues an append whose delay is over: the append is made again, settled or given up.
    mutating func continueAppend(at now: Uptime) {
        guard let due = append.due, due <= now else { return }
        append.callBegan()
        if let action = membership.incarnation?.append.delayEnded(at: now) { carryOut(action, at: now) }
    }

    /// Takes the end of the call ``LogCall/append(_:)`` or ``LogCall/expire(_:silence:)``.
    package mutating func appendEnded(_ result: Result<LogPosition, LogError>, at now: Uptime) {
        let action: AppendRule.Action? =
            switch result {
            case .success(let position): membership.incarnation?.append.entryAppended(at: position)
            case .failure(let failure): membership.incarnation?.append.appendFailed(failure, at: now)
            }
        if let action { carryOut(action, at: now) }
        advance(at: now)
    }

    /// Takes the end of the call ``LogCall/settle(_:)``, which finds out what became of an entry.
    package mutating func settleEnded(_ result: Result<Settlement, LogError>, at now: Uptime) {
        let action: AppendRule.Action? =
            switch result {
            case .success(let settlement): membership.incarnation?.append.entrySettled(settlement, at: now)
            case .failure(let failure): membership.incarnation?.append.settleFailed(failure, at: now)
            }
        if let action { carryOut(action, at: now) }
        advance(at: now)
    }

    private mutating func appendFinished(_ answer: AppendRule.Answer, at now: Uptime) {
        guard let append = append.end() else { return }
        switch answer {
        case .appended(let position): entryAppended(append, at: position)
        case .refused(let failure):
            appendRefused(append.purpose, with: failure, at: now)
            if failure == .fenced { endIncarnation() }
        case .forgotten:
            reportUnknownEnd(of: append.purpose)
            endIncarnation()
        }
    }

    private mutating func entryAppended(_ append: AppendInFlight, at position: LogPosition) {
        fetches.headReported(position)
        // The log has the same entry, so it need not be read from there.
        if let entry = append.entry, queue.fetched.next == position, !loading.isNeeded { enqueue(entry) }
        switch append.purpose {
        case .batch(let id):
            batches.batchAppended(id, at: position)
            finishSkippedBatches()
        case .removal(let removal): actions.append(.endRemoval(removal.number, .removed))
        case .leaving: membership.leavingAppended(at: position)
        case .expiry, .initialState: break
        }
    }

    private mutating func appendRefused(
        _ purpose: AppendInFlight.Purpose, with failure: LogError, at now: Uptime
    ) {
        switch purpose {
        case .batch(let id): finish(id, with: .refused(failure))
        case .removal(let removal): actions.append(.endRemoval(removal.number, .refused(failure)))
        case .expiry(let member, _): membership.incarnation?.expiry.expiryRefused(of: member, at: now)
        case .initialState, .leaving: break
        }
    }

    /// Tells the caller who waits for an append, if there is one, that its end is unknown.
    private mutating func reportUnknownEnd(of purpose: AppendInFlight.Purpose) {
        switch purpose {
        case .batch(let id): finish(id, with: .unknown)
        case .removal(let removal): actions.append(.endRemoval(removal.number, .unknown))
        case .expiry, .initialState, .leaving: break
        }
    }

    /// Ends the batches whose entries this replica contains without having applied them, because it began again with a
    /// snapshot. They took effect, but their answers are not known here.
    mutating func finishSkippedBatches() {
        for batch in batches.batches(appendedThrough: progress.position) { finish(batch, with: .unknown) }
    }

    /// Adds the action that tells the end of a batch, once.
    mutating func finish(_ id: BatchID, with end: BatchEnd) {
        if batches.end(id) { actions.append(.finish(id, end)) }
    }
}
