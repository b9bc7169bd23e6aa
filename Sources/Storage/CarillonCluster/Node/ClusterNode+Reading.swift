package import CarillonCore

/// Reads the log, and has its entries applied to the replica.
extension ClusterNode {
    // MARK: Reading

    /// True if the node goes on with the entries of the log.
    var mayRead: Bool { membership.incarnation != nil && !loading.isNeeded }

    /// Reads entries that are known to be in the log, if the queue has room; else waits for entries.
    mutating func readIfNeeded(at now: Uptime) {
        guard mayRead, let call = fetches.dueCall(for: queue, at: now) else { return }
        fetches.begin(call, asking: progress.query(at: now))
        switch call {
        case .read: actions.append(.call(.read(after: queue.fetched)))
        case .awaitEntries: actions.append(.call(.awaitEntries(after: queue.fetched)))
        }
    }

    package mutating func readEnded(_ result: Result<LogPage, LogError>, at now: Uptime) {
        let query = fetches.end(.read)
        switch result {
        case .success(let page): take(page, answering: query)
        case .failure(.trimmed(let position)):
            // This node may have appended entries beyond that position since.
            if position > queue.fetched { restartFromSnapshot() }
        case .failure(.corrupted(let reason)): stop(.corrupted(reason))
        case .failure: fetches.delay(.read, until: now.later(byMilliseconds: options.retryDelayMilliseconds))
        }
        advance(at: now)
    }

    /// Takes the end of a wait for entries, which has brought some or not.
    package mutating func awaitEnded(_ result: Result<LogPage, LogError>, at now: Uptime) {
        let query = fetches.end(.awaitEntries)
        switch result {
        case .success(let page): take(page, answering: query)
        case .failure: fetches.delay(.awaitEntries, until: now.later(byMilliseconds: options.retryDelayMilliseconds))
        }
        advance(at: now)
    }

    private mutating func take(_ page: LogPage, answering query: HeadQuery?) {
        if let query { headReported(page.ends.head, answering: query) }
        // A wait can bring more entries than the queue has room for. The others are read later.
        guard queue.hasRoom else { return }
        for (index, entry) in page.entries.enumerated() {
            let (number, overflows) = page.first.number.addingReportingOverflow(UInt64(index))
            // The entries that this node has appended since are here already.
            guard !overflows, queue.fetched.next == LogPosition(number), !loading.isNeeded else { continue }
            enqueue(entry)
        }
    }

    /// Takes the head that a call has reported. Stops the node if the log ends before the replica's position.
    mutating func headReported(_ head: LogPosition, answering query: HeadQuery) {
        guard progress.headReported(head, answering: query) else { return stop(.logIsOlder(query.replicaPosition)) }
        fetches.headReported(head)
    }

    mutating func enqueue(_ entry: LogEntry) {
        if case .initialState(let initialState) = entry.content, !acceptInitialState(initialState) { return }
        if membership.isEnded(by: entry) { endIncarnation() }
        if !queue.append(entry) { stop(.corrupted("the log has no more positions")) }
    }

    /// Returns true if the replica can apply the entry that says what the state begins with. Otherwise begins again
    /// with a snapshot, or stops the node.
    private mutating func acceptInitialState(_ initialState: InitialState) -> Bool {
        guard !hasReadInitialState else { return true }
        switch initialState.meaning(hasForeignData: replicaState.hasForeignData, parameters: options.parameters) {
        case .apply: return true
        case .beginWithSnapshot: restartFromSnapshot()
        case .stop: stop(.foreignData)
        }
        return false
    }

    /// True if the entry that says what the state begins with is applied, or waits in the queue.
    var hasReadInitialState: Bool { progress.hasInitialState || queue.hasInitialState }

    // MARK: Applying

    /// Begins to apply the entries of the queue, if none are being applied. Stops the node at an entry of an unknown
    /// format.
    mutating func applyIfPossible() {
        guard stopReason == nil, progress.applying == nil, loading.snapshot == nil,
            let first = progress.position.next
        else { return }
        let entries = queue.takeApplicable(newestKnown: options.newestFormat)
        guard !entries.isEmpty else {
            if let entry = queue.entries.first { stop(.unknownFormat(entry.format, at: first)) }
            return
        }
        var application = EntriesToApply(first: first, entries: entries)
        for (index, entry) in entries.enumerated() { application.batches[index] = batches.batch(of: entry.id) }
        progress.begin(application)
        actions.append(.apply(application))
    }

    /// Takes the result of an application: the replica contains the entries.
    package mutating func entriesApplied(_ result: ApplyResult, at now: Uptime) {
        guard let entries = progress.end(result.hashes) else { return }
        compaction.entriesApplied(entries)
        for (hash, entry) in zip(result.hashes, entries) {
            membership.incarnation?.comparison.entryApplied(hash)
            guard let batch = batches.batch(of: entry.id) else { continue }
            if result.urgent.contains(hash.position) { delayAnswer(toEntryAt: hash.position, at: now) }
            finish(batch, with: .applied(hash.position))
        }
        stopIfReplicaDiffers()
        if membership.hasLeft(applied: progress.position) { stop(.left) }
        // The node that appended an urgent entry answers its client only when the others have reported that they have
        // applied it. So this node reports at once.
        if !result.urgent.isEmpty { reportSoon(at: now) }
        advance(at: now)
    }
}
