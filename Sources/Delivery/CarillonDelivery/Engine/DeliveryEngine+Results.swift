package import CarillonCore

/// Takes back deliveries with the results of their attempts.
extension DeliveryEngine {
    /// Called when deliveries come back with their results.
    package mutating func attemptsEnded(_ results: [AttemptResult], for pool: PoolKey, at now: Moment) {
        wakePoolsRefusedByDuplicateBound()
        duplicateBound.deliveriesReturned(results.count)
        let effects = pools.attemptsEnded(results, for: pool, at: now.uptime)
        if effects.wakes { actions.wake(pool) }
        // The credential is judged before the recipients are put back, so that they go where it is accepted.
        if effects.judgesCredential { judgeCredential(by: results, of: pool, at: now) }
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
            takeBack(results, in: first..<next, of: key, at: now)
        }
    }

    /// Takes back the deliveries of a run of results, which are all of one page.
    private mutating func takeBack(_ results: [AttemptResult], in range: Range<Int>, of key: PageKey, at now: Moment) {
        withPage(key, at: now) { engine, page in
            let results = results.span
            for index in range { engine.takeBackOne(results, at: index, in: &page) }
        }
    }

    /// Takes back one delivery. Only the fields of the result that are needed are copied.
    private mutating func takeBackOne(_ results: Span<AttemptResult>, at index: Int, in page: inout CheckedOutPage) {
        let recipient = results[index].attempt.recipient
        let verdict = results[index].verdict
        let position = recipient.position
        guard page.loaded.state(at: position) == .inFlight else { return }
        let isDelivered = if case .delivered = verdict { true } else { false }
        if page.isRecorded(verdict, at: position) { page.record(results[index], limit: limits.recordedAttempts) }
        if page.isSilent, let device = recipient.device {
            silentPushEnded(device, at: position, isDelivered: isDelivered, in: &page)
        }
        if page.loaded.isInOtherEnvironment(recipient) {
            switch verdict {
            case .delivered, .refused:
                return takeBackFromOtherEnvironment(recipient, with: verdict, in: &page)
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
            page.loaded.addSilentDelivery(device, at: position)
        } else {
            silentPushes.end(to: page.appDevice(device))
        }
    }

    /// Ends a recipient, or schedules another attempt, as the verdict demands.
    private mutating func apply(
        _ verdict: Verdict, to recipient: RecipientPage.Recipient, in page: inout CheckedOutPage
    ) {
        let position = recipient.position
        switch verdict {
        case .delivered:
            if !page.properties.isToChannel { countAnswer(.good, about: recipient, in: page) }
            page.end(position, as: .delivered)
        case .refused(let outcome, let deadSince):
            endRefused(recipient, as: outcome, deadSince: deadSince, in: &page)
        case .notProcessed, .credentialRefused:
            page.sendAgain(
                recipient, routes: routes(of: page), limit: limits.uncountedReturns, times: &retryTimes)
        case .unknown:
            page.retry(position, with: policy.unknown, requestedMilliseconds: nil, times: &retryTimes)
        case .tryLater(.throttled, let requestedMilliseconds):
            let backoffs = policy.backoffs(of: recipient.destination.provider)
            let channelBackoff = page.properties.isToChannel ? backoffs.channelThrottled : nil
            page.retry(
                position, with: channelBackoff ?? backoffs.throttled, requestedMilliseconds: requestedMilliseconds,
                times: &retryTimes)
        case .tryLater(.serverBusy, let requestedMilliseconds):
            let busy = policy.backoffs(of: recipient.destination.provider).busy
            page.retry(position, with: busy, requestedMilliseconds: requestedMilliseconds, times: &retryTimes)
        case .tryLater(.heldBack, let delayMilliseconds):
            page.holdBack(position, milliseconds: delayMilliseconds ?? 0, times: &retryTimes)
        }
    }

    // MARK: Refused

    /// Ends a recipient that the provider refuses for good. Its device is quarantined if the provider calls the token
    /// dead and can be trusted. A token that is bad in its environment is first tried once in the other one.
    private mutating func endRefused(
        _ recipient: RecipientPage.Recipient, as outcome: Outcome, deadSince: Timestamp?, in page: inout CheckedOutPage
    ) {
        // A channel has no token. Whatever the answer says, no device is quarantined or moved, and the token breakers
        // do not count it.
        guard !page.properties.isToChannel else { return page.end(recipient.position, as: outcome) }
        if let since = deadSince {
            let deadToken = OutcomeRecord.DeadToken(since: since, registeredAt: recipient.registeredAt)
            return page.end(recipient.position, as: outcome, deadToken: deadToken)
        }
        guard let report = TokenBreakers.Report(outcome) else {
            return page.end(recipient.position, as: outcome)
        }
        countAnswer(report, about: recipient, in: page)
        guard pools.trusts(report, of: page.properties.app, for: recipient.destination) else {
            return page.end(recipient.position, as: outcome)
        }
        // A token that is bad in this environment may be good in the other one, which is tried once.
        if outcome == .badToken, let other = recipient.destination.other,
            page.properties.finalOutcome(at: page.now) == nil, !page.properties.isUnloading
        {
            let routes = routes(of: page)
            switch routes[other] {
            case .available:
                page.loaded.moveToOtherEnvironment(recipient)
                return page.makeReady(recipient.position, routes: routes)
            // No device is quarantined because of an outage: the next message tries the token again.
            case .unreachable, .parked: return page.end(recipient.position, as: outcome)
            case .missing: break
            }
        }
        page.endAsDead(recipient, as: outcome)
    }

    /// Ends a recipient whose token was bad in its own environment and was tried in the other one. If the push was
    /// delivered there, the device is moved.
    private mutating func takeBackFromOtherEnvironment(
        _ recipient: RecipientPage.Recipient, with verdict: Verdict, in page: inout CheckedOutPage
    ) {
        if verdict == .delivered {
            return page.end(
                recipient.position, as: .delivered, movedTo: recipient.destination.other?.environment,
                registeredAt: recipient.registeredAt)
        }
        // The token is bad in its own environment, so the answer of the other one changes nothing.
        guard case .refused = verdict, pools.trusts(.bad, of: page.properties.app, for: recipient.destination) else {
            return page.end(recipient.position, as: .badToken)
        }
        page.endAsDead(recipient, as: .badToken)
    }

    /// Counts what an answer says about a token; the token breakers may report an alarm.
    private mutating func countAnswer(
        _ report: TokenBreakers.Report, about recipient: RecipientPage.Recipient, in page: borrowing CheckedOutPage
    ) {
        let alarmReport = pools.tokenReported(report, of: page.properties.app, for: recipient.destination)
        if let alarmReport { actions.report(alarmReport) }
    }
}
