package import CarillonCore

/// The changes that follow from the results of attempts.
extension DeliveryEngine {
    /// Takes back deliveries with their results.
    package mutating func deliveriesCompleted(_ results: [DeliveryResult], for pool: PoolKey, at now: Moment) {
        wakePoolsIfFull()
        outcomes.deliveriesReturned(results.count)
        let counted = pools.deliveriesCompleted(results, for: pool, at: now.uptime)
        if counted.wakes { actions.wake.insert(pool) }
        // The credential is judged before the recipients are put back, so that they go where it is accepted.
        if counted.judgesCredential { judgeCredential(by: results, of: pool, at: now) }
        // Results come in runs of one page, which is checked out once for each run. A span lends each element; the
        // array would copy the element and retain its references.
        let span = results.span
        var next = 0
        while next < span.count {
            let key = PageKey(message: span[next].attempt.message.id, page: span[next].attempt.page)
            let first = next
            repeat {
                next += 1
            } while next < span.count && span[next].attempt.page == key.page
                && span[next].attempt.message.id == key.message
            complete(results, first..<next, of: key, at: now)
        }
    }

    private mutating func complete(_ results: [DeliveryResult], _ range: Range<Int>, of key: PageKey, at now: Moment) {
        withPage(key, at: now) { engine, page in
            let results = results.span
            for index in range { engine.complete(results, at: index, in: &page) }
            if page.recordedAttempts > 0 {
                engine.messages[key.message]?.terms.recordedAttempts += page.recordedAttempts
            }
        }
    }

    /// Takes back one delivery. Only the fields of the result that are needed are copied.
    private mutating func complete(_ results: Span<DeliveryResult>, at index: Int, in page: inout CheckedOutPage) {
        let (recipient, verdict) = (results[index].attempt.recipient, results[index].verdict)
        let position = recipient.position
        guard page.run.state(at: position) == .inFlight else { return }
        let isDelivered = if case .delivered = verdict { true } else { false }
        // A first attempt of the bulk lane that succeeds is not recorded: a healthy fan-out costs nothing.
        if !isDelivered || page.message.lane == .interactive || page.message.isToChannel
            || page.run.wasTried(at: position)
        {
            // A push that was held back was not attempted. But a push that is tried once may end because it was held
            // back, and TRACE must show why.
            if !verdict.isHeldBack || page.message.isTriedOnce { record(results[index], in: &page) }
        }
        if page.isSilent, let device = recipient.device {
            silentPushEnded(device, at: position, isDelivered: isDelivered, in: &page)
        }
        if page.run.isInOtherEnvironment(recipient) {
            switch verdict {
            case .delivered, .refused:
                return completeInOtherEnvironment(verdict, recipient, in: &page)
            // This answer says nothing about the token, so the delivery is tried again.
            case .notProcessed, .credentialRefused, .unknown, .tryLater: break
            }
        }
        apply(verdict, to: recipient, in: &page)
    }

    /// Remembers a silent push that was delivered until its outcome is on disk; after any other verdict the device may
    /// get another one.
    private mutating func silentPushEnded(
        _ device: DeviceID, at position: UInt16, isDelivered: Bool, in page: inout CheckedOutPage
    ) {
        if isDelivered {
            page.run.addSilentDelivery(device, at: position)
        } else {
            outcomes.endSilentPush(to: page.appDevice(device))
        }
    }

    /// Ends a recipient, or schedules another attempt, as the verdict demands.
    private mutating func apply(
        _ verdict: Verdict, to recipient: RecipientPage.Recipient, in page: inout CheckedOutPage
    ) {
        let position = recipient.position
        switch verdict {
        case .delivered:
            if !page.message.isToChannel { tokenAnswered(.good, recipient, in: page) }
            end(position, .delivered, in: &page)
        case .refused(let outcome, let deadSince):
            endRefused(outcome, deadSince: deadSince, recipient, in: &page)
        case .notProcessed, .credentialRefused:
            sendAgain(recipient, in: &page)
        case .unknown:
            retry(position, in: &page, policy.unknown, asked: nil)
        case .tryLater(.tokenThrottled, let asked):
            let backoffs = policy.backoffs(of: recipient.destination.provider)
            let channelBackoff = page.message.isToChannel ? backoffs.channelThrottled : nil
            retry(position, in: &page, channelBackoff ?? backoffs.tokenThrottled, asked: asked)
        case .tryLater(.serverBusy, let asked):
            retry(position, in: &page, policy.backoffs(of: recipient.destination.provider).busy, asked: asked)
        case .tryLater(.heldBack, let delay):
            holdBack(position, in: &page, milliseconds: delay ?? 0)
        }
    }

    /// Records an attempt for TRACE, if its message has not too many already.
    private mutating func record(_ result: DeliveryResult, in page: inout CheckedOutPage) {
        guard page.message.recordedAttempts + page.recordedAttempts < limits.recordedAttempts else { return }
        page.recordedAttempts += 1
        let attempt = TracedAttempt(
            at: page.now.wall, connection: result.connection, status: result.status, reason: result.reason ?? "",
            uniqueID: result.uniqueID)
        page.run.append(
            OutcomeRecord.RecordedAttempt(position: result.attempt.recipient.position, attempt: attempt))
    }

    // MARK: Refused

    private mutating func endRefused(
        _ outcome: Outcome, deadSince: Timestamp?, _ recipient: RecipientPage.Recipient,
        in page: inout CheckedOutPage
    ) {
        // A channel has no token. Whatever the answer says, no device is quarantined or moved, and the token breakers
        // do not count it.
        guard !page.message.isToChannel else { return end(recipient.position, outcome, in: &page) }
        if let since = deadSince {
            let death = OutcomeRecord.TokenDeath(since: since, registeredAt: recipient.registeredAt)
            return end(recipient.position, outcome, in: &page, death: death)
        }
        let report: TokenBreakers.TokenReport
        switch outcome {
        case .badToken, .tokenNotForTopic: report = .bad
        case .tokenUnregistered: report = .unregistered
        default: return end(recipient.position, outcome, in: &page)
        }
        tokenAnswered(report, recipient, in: page)
        guard pools.trusts(report, of: page.message.app, recipient.destination) else {
            return end(recipient.position, outcome, in: &page)
        }
        // A token that is bad in this environment may be good in the other one, which is tried once.
        if outcome == .badToken, let other = recipient.destination.other,
            page.message.finalOutcome(at: page.now) == nil, !page.message.isLeaving
        {
            let routes = pools.gates.routes(of: page.message.app)
            switch routes[other] {
            case .open:
                page.run.moveToOtherEnvironment(recipient)
                return makeReady(recipient.position, in: &page, routes)
            // No device is quarantined because of an outage: the next message tries the token again.
            case .unreachable, .parked: return end(recipient.position, outcome, in: &page)
            case .missing: break
            }
        }
        endAsDead(outcome, recipient, in: &page)
    }

    private mutating func completeInOtherEnvironment(
        _ verdict: Verdict, _ recipient: RecipientPage.Recipient, in page: inout CheckedOutPage
    ) {
        if verdict == .delivered {
            return end(
                recipient.position, .delivered, in: &page, movedTo: recipient.destination.other?.environment,
                registeredAt: recipient.registeredAt)
        }
        // The token is bad in its own environment, so the answer of the other one changes nothing.
        guard case .refused = verdict, pools.trusts(.bad, of: page.message.app, recipient.destination) else {
            return end(recipient.position, .badToken, in: &page)
        }
        endAsDead(.badToken, recipient, in: &page)
    }

    /// Gives a recipient an outcome for which its device is quarantined.
    private mutating func endAsDead(
        _ outcome: Outcome, _ recipient: RecipientPage.Recipient, in page: inout CheckedOutPage
    ) {
        let death = OutcomeRecord.TokenDeath(since: page.now.wall, registeredAt: recipient.registeredAt)
        end(recipient.position, outcome, in: &page, death: death)
    }

    private mutating func tokenAnswered(
        _ report: TokenBreakers.TokenReport, _ recipient: RecipientPage.Recipient, in page: borrowing CheckedOutPage
    ) {
        let alarm = pools.tokenReported(report, of: page.message.app, for: recipient.destination)
        if let alarm { actions.alarms.append(alarm) }
    }

    // MARK: Later

    /// Puts a recipient whose push was not processed back to the front of its queue. After `unprocessedReturns` such
    /// returns, the recipient is retried like others.
    private mutating func sendAgain(_ recipient: RecipientPage.Recipient, in page: inout CheckedOutPage) {
        let position = recipient.position
        guard page.run.countUnprocessed(at: position) < limits.unprocessedReturns else {
            return retry(position, in: &page, policy.backoffs(of: recipient.destination.provider).busy, asked: nil)
        }
        if let outcome = page.message.finalOutcome(at: page.now) { return end(position, outcome, in: &page) }
        makeReady(position, in: &page, pools.gates.routes(of: page.message.app), atFront: true)
    }

    private mutating func retry(
        _ position: UInt16, in page: inout CheckedOutPage, _ backoff: DeliveryBackoff, asked: UInt64?
    ) {
        let now = page.now
        if let outcome = page.message.finalOutcome(at: now) { return end(position, outcome, in: &page) }
        let attempt = page.run.countAttempt(at: position)
        switch decideRetry(backoff, attempt: attempt, in: page, asked: asked) {
        case .giveUp:
            end(position, .gaveUp, in: &page)
        case .retry(let milliseconds):
            let due = now.wall.advanced(byMilliseconds: milliseconds)
            guard due <= page.message.lastAttemptAt else { return end(position, .expired, in: &page) }
            let stored = steadyTime(at: now).advanced(byMilliseconds: milliseconds)
            page.run.append(OutcomeRecord.Delay(position: position, attempts: attempt, dueAt: stored))
            outcomes.addUnrecorded()
            guard !page.message.isLeaving else { return leavePending(position, in: &page) }
            delay(position, in: &page, until: now.uptime + milliseconds)
        }
    }

    /// Lets a recipient wait whose push was not sent, without counting an attempt. The wait is stored. Otherwise a page
    /// that is read again would hand out the same recipients at once, before the recipients of other push services.
    private mutating func holdBack(_ position: UInt16, in page: inout CheckedOutPage, milliseconds: UInt64) {
        let now = page.now
        if let outcome = page.message.finalOutcome(at: now) { return end(position, outcome, in: &page) }
        guard now.wall.advanced(byMilliseconds: milliseconds) <= page.message.lastAttemptAt else {
            return end(position, .expired, in: &page)
        }
        guard case .retry(let spread) = decideHoldBack(milliseconds, in: page) else {
            return end(position, .gaveUp, in: &page)
        }
        // A push does not expire because of the random part of its wait alone.
        let left = page.message.lastAttemptAt.milliseconds(since: now.wall)
        let wait = max(milliseconds, min(spread, left))
        let attempts = page.run.attempts(at: position)
        let clock = attempts > 0 ? steadyTime(at: now) : now.wall
        page.run.append(
            OutcomeRecord.Delay(
                position: position, attempts: attempts, dueAt: clock.advanced(byMilliseconds: wait)))
        outcomes.addUnrecorded()
        guard !page.message.isLeaving else { return leavePending(position, in: &page) }
        delay(position, in: &page, until: now.uptime + wait)
    }

    // MARK: Silent pushes

    /// Counts a silent push whose outcome is on disk: the silent-push budget of its device has less room.
    mutating func silentPushRecorded(_ entry: OutcomeRecord.RecipientEnd, _ page: inout CheckedOutPage) {
        guard let device = page.run.takeSilentDelivery(at: entry.position) else { return }
        let key = page.appDevice(device)
        outcomes.endSilentPush(to: key)
        // Only the pages of silent pushes have read the silent-push budgets of their devices.
        if messages.silentCount > 1 { cache.deviceChanged(key) }
    }
}

extension Verdict {
    /// True if the push was held back, and nothing was sent.
    var isHeldBack: Bool {
        if case .tryLater(.heldBack, _) = self { true } else { false }
    }
}
