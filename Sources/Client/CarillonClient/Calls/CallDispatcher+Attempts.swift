import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire

/// Handles the results of attempts: an answer, an error, another attempt.
extension CallDispatcher {
    func callAnswered(_ id: UInt64, with answer: AnyAnswer) {
        complete(id, with: .success(.answer(answer)))
    }

    func pongReceived(_ id: UInt64, roundTrip: Duration) {
        complete(id, with: .success(.roundTrip(roundTrip)))
    }

    /// Makes another attempt, or ends the call, after the server has refused a request on a connection that stays open.
    func callRefused(_ id: UInt64, with error: CarillonError, on connection: ClientConnection) {
        guard error.code == .server(.draining) else { return attemptFailed(id, with: error) }
        drain(connection, milliseconds: error.retryAfter?.milliseconds ?? 0, reason: error.message)
        switch recordFailure(of: id, with: error) {
        case .tryAgain:
            reportRetry(of: id, after: error, pause: .zero)
            requeue([id])
        case .fail: fail(id, with: error)
        }
        submitWaiting()
        connection.drain()
    }

    /// Records a failed attempt even if the call ends: the effect of a call is the worst of its attempts.
    private func recordFailure(of id: UInt64, with error: CarillonError) -> Call.RetryAction {
        let next = calls[id]?.attemptFailed(error, maximumAttempts: max(configuration.maximumAttempts, 1)) ?? .fail
        return isClosing ? .fail : next
    }

    private func reportRetry(of id: UInt64, after error: CarillonError, pause: Duration) {
        if let call = calls[id] { reporter.callRetried(call, after: error, pause: pause) }
    }

    /// Schedules another attempt if that is safe and can help; otherwise ends the call.
    func attemptFailed(_ id: UInt64, with error: CarillonError) {
        guard recordFailure(of: id, with: error) == .tryAgain, let call = calls[id] else {
            return fail(id, with: error)
        }
        // The retry time of a connection error holds for that address only: another server may be asked sooner.
        let wanted = error.scope == .connection ? 0 : error.retryAfter?.milliseconds ?? 0
        let pause = wanted + backoff.pauseMilliseconds(afterFailures: max(call.attempts, 1), using: &generator)
        guard Clock.uptime() + pause < call.deadline else { return fail(id, with: error) }
        reportRetry(of: id, after: error, pause: .milliseconds(Int64(clamping: pause)))
        self.pause(id, milliseconds: pause)
    }

    /// Makes another attempt, or ends the call, for each call whose connection has ended; the error names one of the
    /// calls, or none.
    func attemptsLost(_ unanswered: [UInt64], namedCall: UInt64?, with error: CarillonError) {
        if let namedCall { attemptFailed(namedCall, with: error) }
        let text = error.code == .connectionLost ? error.message : "\(error.code): \(error.message)"
        let lost = CarillonError(.connectionLost, effect: .unknown, retryAfter: .zero, message: text)
        var again: [UInt64] = []
        for id in unanswered {
            switch recordFailure(of: id, with: lost) {
            case .tryAgain:
                reportRetry(of: id, after: lost, pause: .zero)
                again.append(id)
            case .fail: fail(id, with: lost)
            }
        }
        requeue(again)
    }

    /// Returns calls to the queue whose requests the server has not executed; these attempts count as not made.
    func callsNotExecuted(_ ids: [UInt64]) {
        for id in ids { calls[id]?.attempts -= 1 }
        requeue(ids)
    }

    func callExpired(_ id: UInt64, wasWritten: Bool) {
        guard let call = calls[id] else { return }
        if wasWritten {
            return abandon(
                id, with: CarillonError(.noAnswer, effect: .unknown, retryAfter: .zero, message: "no answer in time"))
        }
        if case .written = call.state {
            return abandon(id, with: CarillonError(.noAnswer, retryAfter: .zero, message: "no answer in time"))
        }
        if let last = call.lastError { return fail(id, with: last) }
        if current?.hasOpened == true {
            return fail(id, with: CarillonError(.noAnswer, retryAfter: .zero, message: "not sent in time"))
        }
        fail(id, with: cannotConnect(servers.lastError?.message ?? "no connection in time"))
    }

    /// Returns the error of a call that has found no connection.
    func cannotConnect(_ message: String) -> CarillonError {
        var error = CarillonError(.cannotConnect, retryAfter: .zero, message: message)
        error.causes = servers.causes
        // The text of the last cause names the address and the fault.
        if let last = servers.causes.last { error.message = last }
        return error
    }
}
