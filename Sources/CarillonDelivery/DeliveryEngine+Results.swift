package import CarillonCore

/// What answers mean.
extension DeliveryEngine {
    /// What attempts came to.
    package mutating func completed(_ results: [DeliveryResult], for pool: PoolKey, at now: Moment) {
        wakeIfFull()
        inFlight -= results.count
        tell(window: pool, of: results, now)
        tell(throttle: pool, of: results, now)
        // Answers come in runs of one page: it is looked up once a run. Nothing is copied that has references.
        let results = results.span
        var next = 0
        while next < results.count {
            let key = PageKey(message: results[next].attempt.message.id, page: results[next].attempt.page)
            let first = next
            repeat {
                next += 1
            } while next < results.count && results[next].attempt.page == key.page
                && results[next].attempt.message.id == key.message
            guard let run = runs[key.message], var page = pages.removeValue(forKey: key) else { continue }
            for index in first..<next {
                complete(results[index].attempt.recipient, results[index].verdict, in: &page, key, run, now)
            }
            put(page, key, now)
        }
    }

    private mutating func complete(
        _ recipient: RecipientPage.Recipient, _ verdict: Verdict, in page: inout PageRun, _ key: PageKey,
        _ run: MessageRun, _ now: Moment
    ) {
        let position = recipient.position
        guard page.standing(position) == .inFlight else { return }
        if run.isSilent, let device = recipient.device {
            if verdict == .delivered {
                page.silenced[position] = device
            } else {
                silent.remove(run.changeKey(device))
            }
        }
        if page.isElsewhere(recipient) {
            switch verdict {
            case .delivered, .refused: return completeElsewhere(verdict, recipient, in: &page, run, now)
            // Nothing is known of the token yet: it is asked for again.
            case .notProcessed, .credentialRefused, .unknown, .tryLater: break
            }
        }
        switch verdict {
        case .delivered:
            answered(isBad: false, run, recipient.environment)
            end(position, .delivered, &page)
        case .refused(let outcome, let deadSince):
            refused(outcome, deadSince, recipient, in: &page, key, run, now)
        case .notProcessed, .credentialRefused:
            guard page.countReplay(position) < limits.replays else {
                return retry(position, in: &page, key, run, policy.serverBusy, asked: nil, now)
            }
            if let outcome = run.verdict(at: now) { return end(position, outcome, &page) }
            line(position, in: &page, key, run, ways(of: run), atFront: true)
        case .unknown:
            retry(position, in: &page, key, run, policy.unknown, asked: nil, now)
        case .tryLater(.tokenThrottled, let asked):
            retry(position, in: &page, key, run, policy.tokenThrottled, asked: asked, now)
        case .tryLater(.serverBusy, let asked):
            retry(position, in: &page, key, run, policy.serverBusy, asked: asked, now)
        }
    }

    // MARK: Refused

    private mutating func refused(
        _ outcome: Outcome, _ deadSince: Timestamp?, _ recipient: RecipientPage.Recipient, in page: inout PageRun,
        _ key: PageKey, _ run: MessageRun, _ now: Moment
    ) {
        if let since = deadSince {
            let death = OutcomeRecord.TokenDeath(since: since, registeredAt: recipient.registeredAt)
            return end(recipient.position, outcome, &page, death: death)
        }
        guard outcome == .badToken || outcome == .tokenNotForTopic else {
            return end(recipient.position, outcome, &page)
        }
        answered(isBad: true, run, recipient.environment)
        guard !isBreakerOpen(run, recipient.environment) else {
            return end(recipient.position, outcome, &page)
        }
        // A token that is bad here may be good in the other environment: asked once.
        if outcome == .badToken, run.verdict(at: now) == nil, !run.isLeaving {
            switch ways(of: run)[recipient.environment.other] {
            case .open:
                page.moveElsewhere(recipient)
                return line(recipient.position, in: &page, key, run, ways(of: run))
            // The next message asks again: the device is not quarantined for an outage.
            case .unreachable: return end(recipient.position, outcome, &page)
            case .parked, .missing: break
            }
        }
        endAsBad(outcome, recipient, in: &page, now)
    }

    private mutating func completeElsewhere(
        _ verdict: Verdict, _ recipient: RecipientPage.Recipient, in page: inout PageRun,
        _ run: MessageRun, _ now: Moment
    ) {
        if verdict == .delivered {
            return end(
                recipient.position, .delivered, &page, movedTo: recipient.environment.other,
                registeredAt: recipient.registeredAt)
        }
        // Whatever the other one says: in its own environment the token is bad.
        guard case .refused = verdict, !isBreakerOpen(run, recipient.environment) else {
            return end(recipient.position, .badToken, &page)
        }
        endAsBad(.badToken, recipient, in: &page, now)
    }

    private mutating func endAsBad(
        _ outcome: Outcome, _ recipient: RecipientPage.Recipient, in page: inout PageRun, _ now: Moment
    ) {
        let death = OutcomeRecord.TokenDeath(since: now.wall, registeredAt: recipient.registeredAt)
        end(recipient.position, outcome, &page, death: death)
    }

    private func isBreakerOpen(_ run: MessageRun, _ environment: Environment) -> Bool {
        breakers[BreakerKey(app: run.message.content.app, environment: environment)]?.isOpen == true
    }

    private mutating func answered(isBad: Bool, _ run: MessageRun, _ environment: Environment) {
        // In good times there is no breaker, and nothing to count.
        guard isBad || !breakers.isEmpty else { return }
        let key = BreakerKey(app: run.message.content.app, environment: environment)
        guard isBad || breakers[key] != nil else { return }
        guard breakers[key, default: TokenBreaker()].answered(isBad: isBad) else { return }
        let isOver = breakers[key]?.isOpen != true
        effects.alarms.append(.badTokens(key.app, environment, isOver: isOver))
    }

    // MARK: A busy APNs

    /// Tells the window of a pool what came back, and how fast APNs answers.
    private mutating func tell(window pool: PoolKey, of results: [DeliveryResult], _ now: Moment) {
        guard var window = windows.removeValue(forKey: pool) else { return }
        var latest: UInt64?
        let results = results.span
        for index in results.indices {
            let time = results[index].attempt.handedOutAt
            if results[index].attempt.message.lane == .bulk { window.cameBack(handedOutAt: time) }
            if !results[index].verdict.isNoAnswer { latest = max(latest ?? 0, time) }
        }
        if let latest { window.answered(handedOutAt: latest, at: now.uptimeMilliseconds) }
        if window.takeHalfEmpty() { effects.wake.insert(pool) }
        windows[pool] = window
    }

    /// Tells the throttle of a pool how busy APNs is.
    private mutating func tell(throttle pool: PoolKey, of results: [DeliveryResult], _ now: Moment) {
        // In good times there is no throttle, and nothing to count.
        guard throttles[pool] != nil || results.contains(where: \.verdict.isBusy) else { return }
        let answers = results.count { !$0.verdict.isNoAnswer }
        let busy = results.count { $0.verdict.isBusy }
        guard answers > 0 else { return }
        throttles[pool, default: PoolThrottle(at: now.uptimeMilliseconds)].answered(
            answers, busy: busy, at: now.uptimeMilliseconds)
        if throttles[pool]?.isOver == true {
            throttles[pool] = nil
            poolWakes[pool] = nil
            effects.wake.insert(pool)
        }
    }

    // MARK: Later

    private mutating func retry(
        _ position: UInt16, in page: inout PageRun, _ key: PageKey, _ run: MessageRun,
        _ backoff: RetryPolicy.Backoff, asked: UInt64?, _ now: Moment
    ) {
        if let outcome = run.verdict(at: now) { return end(position, outcome, &page) }
        let attempt = page.chargeAttempt(position)
        let decision = policy.decide(
            backoff,
            attempt: attempt,
            age: now.uptimeMilliseconds - min(run.startedAt, now.uptimeMilliseconds),
            isOnce: run.isOnce,
            asked: asked,
            random: random.unit()
        )
        switch decision {
        case .giveUp:
            end(position, .gaveUp, &page)
        case .retry(let delay):
            let due = now.wall.advanced(byMilliseconds: delay)
            guard due <= run.lastAttempt else { return end(position, .expired, &page) }
            let stored = steadyTime(at: now).advanced(byMilliseconds: delay)
            page.note(OutcomeRecord.Delay(position: position, attempts: attempt, dueAt: stored))
            unrecorded += 1
            guard !run.isLeaving else { return letGo(position, of: &page, key) }
            wakeUp(position, in: &page, key, at: now.uptimeMilliseconds + delay)
        }
    }

    // MARK: Silent pushes

    /// A silent push is on disk: the budget of its device has changed.
    mutating func silenceRecorded(_ entry: OutcomeRecord.Entry, _ page: inout PageRun, _ run: MessageRun) {
        guard let device = page.silenced.removeValue(forKey: entry.position) else { return }
        let key = run.changeKey(device)
        silent.remove(key)
        // Only pages of other silent pushes have read the old budget.
        if silentRuns > 1 { devices.note(key) }
    }
}

extension Verdict {
    /// Whether APNs itself has not answered.
    fileprivate var isNoAnswer: Bool {
        switch self {
        case .notProcessed, .credentialRefused, .unknown: true
        case .delivered, .tryLater, .refused: false
        }
    }

    /// Whether APNs says that it is busy; 429 is about one token, and must not slow down the pushes to others.
    fileprivate var isBusy: Bool {
        if case .tryLater(.serverBusy, _) = self { true } else { false }
    }
}
