package import CarillonCore

extension ClusterNode {
    // MARK: Reading

    var hasRoom: Bool { queue.count < settings.maximumQueuedEntries && queueBytes < settings.maximumQueuedBytes }

    /// Reads entries that are known to be in the log, if there is room; else waits for news.
    mutating func readIfNeeded(at now: Uptime) {
        guard incarnation != nil, !needsSnapshot else { return }
        if knownHead > fetched {
            guard !isReading, hasRoom, readDue <= now else { return }
            (isReading, readSent) = (true, query(at: now))
            actions.append(.read(after: fetched))
        } else {
            guard !isAwaitingNews, newsDue <= now else { return }
            (isAwaitingNews, newsSent) = (true, query(at: now))
            actions.append(.awaitNews(after: fetched))
        }
    }

    /// A read of entries has ended.
    package mutating func readEnded(_ result: Result<LogPage, LogError>, at now: Uptime) {
        isReading = false
        switch result {
        case .success(let page): take(page, readSent)
        case .failure(.trimmed(let position)):
            // This node may have appended entries beyond that position since.
            if position > fetched { restartFromSnapshot() }
        case .failure(.corrupted(let reason)): stop(.corrupted(reason))
        case .failure: readDue = now.later(byMilliseconds: settings.retryPauseMilliseconds)
        }
        advance(at: now)
    }

    /// A wait for news has ended, with news or without.
    package mutating func newsEnded(_ result: Result<LogPage, LogError>, at now: Uptime) {
        isAwaitingNews = false
        switch result {
        case .success(let page): take(page, newsSent)
        case .failure: newsDue = now.later(byMilliseconds: settings.retryPauseMilliseconds)
        }
        advance(at: now)
    }

    private mutating func take(_ page: LogPage, _ query: HeadQuery?) {
        headReported(page.head.position, query)
        // News bring entries that were not asked for. Those for which there is no room are read later.
        guard hasRoom else { return }
        for (index, entry) in page.entries.enumerated() {
            let (number, overflows) = page.first.number.addingReportingOverflow(UInt64(index))
            // The entries that this node has appended since are here already.
            guard !overflows, fetched.next == LogPosition(number), !needsSnapshot else { continue }
            enqueue(entry)
        }
    }

    /// A query of the head that is sent now.
    func query(at now: Uptime) -> HeadQuery { HeadQuery(askedAt: now, applied: replica.hash.position) }

    /// Takes the head that a call has reported. Stops the node if the log ends before what the replica contains.
    mutating func headReported(_ head: LogPosition, _ query: HeadQuery?) {
        guard let query else { return }
        guard head >= query.applied else { return stop(.logIsOlder(query.applied)) }
        knownHead = max(knownHead, head)
        freshness.heard(head: head, askedAt: query.askedAt)
    }

    /// Takes the next entry of the log into the queue.
    mutating func enqueue(_ entry: LogEntry) {
        switch entry.content {
        case .began(let initialState):
            guard acceptInitialState(initialState) else { return }
        case .expired(let member) where member == incarnation?.member: endIncarnation()
        case .joined:
            let member = entry.id.member
            if let incarnation, member.node == incarnation.member.node,
                member.incarnation > incarnation.member.incarnation
            {
                endIncarnation()
            }
        case .changes, .expired, .left: break
        }
        guard let next = fetched.next else { return stop(.corrupted("the log has no more positions")) }
        fetched = next
        queue.append(entry)
        queueBytes += entry.changeBytes
    }

    /// Returns false if the replica cannot apply the entry that says what the state begins with.
    private mutating func acceptInitialState(_ initialState: InitialState) -> Bool {
        guard !hasReadInitialState else { return true }
        switch (initialState.kind, replica.hasData) {
        case (.empty, false): return true
        case (.imported, false):
            restartFromSnapshot()
            return false
        // This node has appended that entry itself, perhaps before it was started again.
        case (.imported, true) where initialState.parameters == settings.parameters: return true
        case (.empty, true), (.imported, true):
            stop(.foreignData)
            return false
        }
    }

    /// True if the entry that says what the state begins with is applied, or waits here to be applied.
    var hasReadInitialState: Bool {
        func isInitialState(_ entry: LogEntry) -> Bool { if case .began = entry.content { true } else { false } }
        return replica.initialState != nil || queue.contains(where: isInitialState)
            || applying?.entries.contains(where: isInitialState) == true
    }

    // MARK: Applying

    /// Has the entries applied that are here, if none is being applied. Stops at an entry of an unknown format.
    mutating func applyIfPossible() {
        guard stopReason == nil, applying == nil, loading == nil, let first = replica.hash.position.next else { return }
        let known = queue.prefix { FormatRule.canApply($0, newestKnown: settings.newestFormat) }
        guard !known.isEmpty else {
            if let entry = queue.first { stop(.unknownFormat(first, entry.format)) }
            return
        }
        var batchesOfThem: [Int: BatchID] = [:]
        for (index, entry) in known.enumerated() {
            if let batch = batches.first(where: { $0.entry == entry.id }) { batchesOfThem[index] = batch.id }
        }
        let application = Application(first: first, entries: Array(known), batches: batchesOfThem)
        queue.removeFirst(known.count)
        queueBytes -= application.entries.reduce(0) { $0 + $1.changeBytes }
        applying = application
        actions.append(.apply(application))
    }

    /// The replica contains the entries that were to be applied.
    package mutating func applied(_ applied: Applied, at now: Uptime) {
        guard let application = applying, applied.hashes.count == application.entries.count else { return }
        applying = nil
        for (index, hash) in applied.hashes.enumerated() {
            let entry = application.entries[index]
            if case .began(let initialState) = entry.content, replica.initialState == nil {
                replica.initialState = initialState.kind
            }
            replica.hash = hash
            incarnation?.comparison.applied(hash)
            retention.applied(bytes: entry.changeBytes)
            appliedBytes &+= UInt64(entry.byteCount)
            if let batch = batches.first(where: { $0.entry == entry.id }) {
                if applied.urgent.contains(hash.position) { acknowledgement?.applied(at: hash.position, now: now) }
                finish(batch.id, .applied(hash.position))
            }
        }
        freshness.applied(through: replica.hash.position)
        stopIfReplicaDiffers()
        if let leftAt, replica.hash.position >= leftAt { stop(.left) }
        // The node that appended an urgent entry waits until the others report it, and this node may be one of them.
        if !applied.urgent.isEmpty { reportSoon(at: now) }
        advance(at: now)
    }
}

extension LogEntry {
    /// The estimated size of the entry in bytes, with 64 for its head.
    fileprivate var changeBytes: Int {
        if case .changes(let bytes) = content { bytes.count + 64 } else { 64 }
    }
}
