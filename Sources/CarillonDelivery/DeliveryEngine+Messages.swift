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

    /// How many messages of a line may be in memory.
    private func share(of backlog: Backlog) -> Int {
        let free = limits.messages - runs.count - messagesAsked
        return max(limits.messagesPerLine, min(limits.messages / 2, backlog.messages + free))
    }

    mutating func readMessagesIfRoom() {
        guard !isStopped else { return }
        if !knowsQueues && !isReadingQueues {
            isReadingQueues = true
            effects.readsQueues = true
        }
        for queue in backlogged.sorted() {
            guard let backlog = backlogs[queue], backlog.isOnDisk, !backlog.isReading else { continue }
            let share = share(of: backlog)
            // Not one by one: when half of its places are free.
            guard backlog.messages <= share / 2 else { continue }
            let limit = max(1, share - backlog.messages)
            messagesAsked += limit
            backlogs[queue]?.readingBegins(limit: limit)
            effects.messages.append(Effects.MessagesRead(queue: queue, after: backlog.cursor, limit: limit))
        }
    }

    /// Lets go of a message in which nobody is due, if many others of its line are in memory.
    ///
    /// A line stands still when its places are taken: a thousand messages to one device whose token is throttled, or whose budget
    /// of silent pushes is used up, must not keep everybody else waiting for an hour.
    mutating func leaveIfAsleep(_ id: MessageID, _ now: Moment) {
        // A quarter: the line is read on only when half of its places are free. A pace, and the time that a push has which is
        // tried once, would begin anew when it comes back.
        guard let run = runs[id], run.isAsleep, run.pacer == nil, !run.isOnce, let due = run.asleepUntil,
            let backlog = backlogs[run.queue], backlog.messages > share(of: backlog) / 4
        else { return }
        let wait = min(due - min(due, now.uptimeMilliseconds), run.notAfter?.milliseconds(since: now.wall) ?? .max)
        // One more: it may still be sent at the end of its time.
        backlogs[run.queue]?.sleeps(until: now.uptimeMilliseconds + wait + 1)
        asleep -= run.asleep.count
        remove(id, run)
    }

    /// Has lines read again whose messages have left until now.
    mutating func readAsleep(at now: Moment) {
        for queue in backlogs.keys.sorted()
        where backlogs[queue]?.takeReturn(at: now.uptimeMilliseconds, pause: limits.returning) == true {
            backlogs[queue]?.rewind()
            backlogged.insert(queue)
        }
    }

    private mutating func remove(_ id: MessageID, _ run: MessageRun) {
        runs[id] = nil
        if run.isSilent { silentRuns -= 1 }
        backlogs[run.queue]?.messages -= 1
        if run.isWanting { backlogs[run.queue]?.wantsNoMore(id) }
    }

    /// Lets go of a message of which nothing is left to do or to write.
    mutating func finishIfDone(_ id: MessageID, at now: Moment) {
        guard let run = runs[id], run.isDone else { return }
        remove(id, run)
        if run.isLive && !run.isIncomplete && !run.isLeaving { effects.finished.append(id) }
        returnWhenOver(run, now)
        if let entry = run.returning { messageAccepted(entry, at: now) }
        forgetIfIdle(run.queue)
        devicesMayBeForgotten()
    }

    /// Has a message come back at the end of its time that has left because a pool cannot be reached: whoever is left ends then.
    private mutating func returnWhenOver(_ run: MessageRun, _ now: Moment) {
        guard run.isIncomplete, !run.isLeaving, !unreachable.isEmpty, run.verdict(at: now) == nil,
            let wait = run.notAfter?.milliseconds(since: now.wall)
        else { return }
        let ways = ways(of: run)
        guard Environment.allCases.contains(where: { ways[$0] == .unreachable }) else { return }
        let (due, overflow) = now.uptimeMilliseconds.addingReportingOverflow(wait)
        guard !overflow, due < .max else { return }
        backlogs[run.queue]?.sleeps(until: due + 1)
    }

    mutating func forgetIfIdle(_ queue: OutboxQueue) {
        guard knowsQueues, let backlog = backlogs[queue], backlog.isIdle else { return }
        backlogs[queue] = nil
        backlogged.remove(queue)
    }
}
