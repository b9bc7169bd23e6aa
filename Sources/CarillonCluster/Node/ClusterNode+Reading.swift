package import CarillonCore

extension ClusterNode {
    // MARK: Reading

    var hasRoom: Bool { queue.count < settings.maximumQueue && queueBytes < settings.maximumQueueBytes }

    mutating func readIfNeeded(at now: Uptime) {
        guard life != nil, !needsSnapshot else { return }
        if knownHead > fetched {
            guard !isReading, hasRoom, readDue <= now else { return }
            (isReading, readSent) = (true, question(at: now))
            actions.append(.read(after: fetched))
        } else {
            guard !isAwaitingNews, newsDue <= now else { return }
            (isAwaitingNews, newsSent) = (true, question(at: now))
            actions.append(.awaitNews(after: fetched))
        }
    }

    /// Entries were read, or not.
    package mutating func readEnded(_ result: Result<LogPage, LogError>, at now: Uptime) {
        isReading = false
        switch result {
        case .success(let page): take(page, readSent)
        case .failure(.trimmed(let position)):
            // What this node has appended since may be beyond it.
            if position > fetched { begin(withSnapshot: ()) }
        case .failure(.corrupted(let reason)): stop(.corrupted(reason))
        case .failure: readDue = now.later(byMilliseconds: settings.retryPauseMilliseconds)
        }
        advance(at: now)
    }

    /// The log has news, or a time has passed without.
    package mutating func newsEnded(_ result: Result<LogPage, LogError>, at now: Uptime) {
        isAwaitingNews = false
        switch result {
        case .success(let page): take(page, newsSent)
        case .failure: newsDue = now.later(byMilliseconds: settings.retryPauseMilliseconds)
        }
        advance(at: now)
    }

    private mutating func take(_ page: LogPage, _ question: Question?) {
        heard(page.head.position, question)
        // News come without a request for entries: what finds no room is read later.
        guard hasRoom else { return }
        for (index, entry) in page.entries.enumerated() {
            let (number, overflows) = page.first.number.addingReportingOverflow(UInt64(index))
            // What this node has appended since is there already.
            guard !overflows, fetched.next == LogPosition(number), !needsSnapshot else { continue }
            enqueue(entry)
        }
    }

    func question(at now: Uptime) -> Question { Question(askedAt: now, applied: replica.hash.position) }

    mutating func heard(_ head: LogPosition, _ question: Question?) {
        guard let question else { return }
        guard head >= question.applied else { return stop(.logIsOlder(question.applied)) }
        knownHead = max(knownHead, head)
        freshness.heard(head: head, askedAt: question.askedAt)
    }

    /// The next entry of the log is here.
    mutating func enqueue(_ entry: LogEntry) {
        switch entry.content {
        case .began(let origin):
            guard acceptOrigin(origin) else { return }
        case .expired(let member) where member == life?.member: endIncarnation()
        case .joined:
            let member = entry.id.member
            if let life, member.node == life.member.node, member.incarnation > life.member.incarnation {
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
    private mutating func acceptOrigin(_ origin: LogOrigin) -> Bool {
        guard !hasReadOrigin else { return true }
        switch (origin.state, replica.hasData) {
        case (.empty, false): return true
        case (.imported, false):
            begin(withSnapshot: ())
            return false
        // The node has said so itself, perhaps before it was started again.
        case (.imported, true) where origin.parameters == settings.parameters: return true
        case (.empty, true), (.imported, true):
            stop(.foreignData)
            return false
        }
    }

    /// True if an entry that says what the state begins with is applied, or is here to be applied.
    var hasReadOrigin: Bool {
        func isOrigin(_ entry: LogEntry) -> Bool { if case .began = entry.content { true } else { false } }
        return replica.origin != nil || queue.contains(where: isOrigin)
            || applying?.entries.contains(where: isOrigin) == true
    }

    // MARK: Applying

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
            if case .began(let origin) = entry.content, replica.origin == nil { replica.origin = origin.state }
            replica.hash = hash
            life?.comparison.applied(hash)
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
        // The node that appended an urgent entry waits for the others; this one may be it.
        if !applied.urgent.isEmpty { reportSoon(at: now) }
        advance(at: now)
    }
}

extension LogEntry {
    /// The size of the entry in bytes, estimated: 64 stand for its head.
    fileprivate var changeBytes: Int {
        if case .changes(let bytes) = content { bytes.count + 64 } else { 64 }
    }
}
