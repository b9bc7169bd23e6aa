package import CarillonCore

/// Which messages are in memory, and how the others get there.
extension DeliveryEngine {
    /// The lines that the outbox has.
    package mutating func queuesRead(_ queues: Set<OutboxQueue>) {
        isReadingQueues = false
        knowsQueues = true
        for queue in queues where backlogs[queue] == nil {
            backlogs[queue] = Backlog(isOnDisk: true)
            backlogged.insert(queue)
        }
        for queue in backlogs.keys { forgetIfIdle(queue) }
    }

    /// The lines could not be read; they are asked for again.
    package mutating func queuesUnreadable() {
        isReadingQueues = false
    }

    /// A message was accepted, or has come back. It is taken into memory if there is room, else later from the outbox.
    package mutating func messageAccepted(_ entry: OutboxEntry, at now: Moment) {
        if let run = runs[entry.id] {
            // Resumed before it had left.
            if run.isLeaving { runs[entry.id]?.returning = entry }
            return
        }
        let queue = entry.queue
        var backlog = backlogs[queue] ?? Backlog(isOnDisk: !knowsQueues)
        let isAdmitted = backlog.came(entry.id, hasRoom: hasRoomForMessage(of: backlog))
        backlogs[queue] = backlog
        if backlog.isOnDisk { backlogged.insert(queue) }
        if isAdmitted { admit(entry, now) }
    }

    /// What the outbox holds after the message that was asked for.
    ///
    /// - Parameter last: the message that was looked at last, if that is not the last of `entries`.
    package mutating func messagesRead(
        _ entries: [OutboxEntry], upTo last: MessageID? = nil, of queue: OutboxQueue, wasLast: Bool, at now: Moment
    ) {
        guard let backlog = backlogs[queue], backlog.isReading else { return }
        messagesAsked -= backlog.asked
        backlogs[queue]?.read(upTo: last ?? entries.last?.id, wasLast: wasLast)
        for var entry in entries {
            // What people have decided meanwhile, the reading has not seen.
            switch backlog.held[entry.id] {
            case .passedOver: continue
            case .cancelled: entry.isCancelled = true
            case .paced(let pace): entry.pace = pace
            case nil: break
            }
            admit(entry, now)
        }
        if backlogs[queue]?.isOnDisk == false { backlogged.remove(queue) }
        forgetIfIdle(queue)
    }

    /// Remembers a decision about a message that a reading of the outbox may bring.
    mutating func hold(_ id: MessageID, _ decision: Backlog.Held) {
        for (queue, backlog) in backlogs where backlog.isReading { backlogs[queue]?.hold(id, decision) }
    }

    private mutating func admit(_ entry: OutboxEntry, _ now: Moment) {
        guard runs[entry.id] == nil else { return }
        runs[entry.id] = MessageRun(entry, notAfter: entry.notAfter ?? callEnd(entry), at: now)
        backlogs[entry.queue, default: Backlog(isOnDisk: !knowsQueues)].messages += 1
        if entry.content.pushType == .background { silentRuns += 1 }
        wantPage(entry.id)
    }

    /// When a call is over that nobody has answered.
    private func callEnd(_ entry: OutboxEntry) -> Timestamp? {
        let isCall = entry.content.pushType == .voip || entry.content.pushType == .pushtotalk
        if case .at = entry.content.expiration { return nil }
        return isCall ? entry.acceptedAt.advanced(byMilliseconds: policy.callLife) : nil
    }

    /// No line may keep the others out: each has some places of its own, and none has more than half of all.
    private func hasRoomForMessage(of backlog: Backlog) -> Bool {
        let own = backlog.messages + backlog.asked
        return own < limits.messagesPerLine
            || (runs.count + messagesAsked < limits.messages && own < limits.messages / 2)
    }

    mutating func readMessagesIfRoom() {
        guard !isStopped else { return }
        if !knowsQueues && !isReadingQueues {
            isReadingQueues = true
            effects.readsQueues = true
        }
        for queue in backlogged.sorted() {
            guard let backlog = backlogs[queue], backlog.isOnDisk, !backlog.isReading else { continue }
            let free = limits.messages - runs.count - messagesAsked
            let share = max(limits.messagesPerLine, min(limits.messages / 2, backlog.messages + free))
            // Not one by one: when half of its places are free.
            guard backlog.messages <= share / 2 else { continue }
            let limit = max(1, share - backlog.messages)
            messagesAsked += limit
            backlogs[queue]?.readingBegins(limit: limit)
            effects.messages.append(Effects.MessagesRead(queue: queue, after: backlog.cursor, limit: limit))
        }
    }

    /// Lets go of a message of which nothing is left to do or to write.
    mutating func finishIfDone(_ id: MessageID, at now: Moment) {
        guard let run = runs[id], run.isDone else { return }
        runs[id] = nil
        if run.isSilent { silentRuns -= 1 }
        backlogs[run.queue]?.messages -= 1
        if run.isWanting { backlogs[run.queue]?.wantsNoMore(id) }
        if run.isLive && !run.isIncomplete && !run.isLeaving { effects.finished.append(id) }
        if let entry = run.returning { messageAccepted(entry, at: now) }
        forgetIfIdle(run.queue)
        devicesMayBeForgotten()
    }

    mutating func forgetIfIdle(_ queue: OutboxQueue) {
        guard knowsQueues, let backlog = backlogs[queue], backlog.isIdle else { return }
        backlogs[queue] = nil
        backlogged.remove(queue)
    }
}
