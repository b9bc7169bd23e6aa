import CarillonClock
import CarillonSession
import CarillonWire
import NIOCore

/// Passes the results of requests from any thread to the session.
extension RequestDispatcher {
    /// Returns a closure that passes the result of the request `id`, from any thread, to the session.
    func resultHandler(of id: UInt64) -> RequestRunner.ResultHandler {
        let complete = completionHandler()
        return { complete(.request(id: id, $0)) }
    }

    /// Returns a closure that passes completions, from any thread, to the session. It keeps the dispatcher alive: a
    /// completion has effects besides the answer.
    func completionHandler() -> @Sendable (Completion) -> Void {
        let bound = NIOLoopBound(self, eventLoop: loop)
        let inbox = inbox
        let loop = loop
        let notifier = runner.notifier
        return { completion in
            if loop.inEventLoop {
                bound.value.apply(completion)
                bound.value.onOutputPending?()
            } else if inbox.append(completion) {
                notifier.wake(loop) { bound.value.applyInbox() }
            }
        }
    }

    /// Applies all completions that other threads have left.
    func applyInbox() {
        for completion in inbox.removeAll() { apply(completion) }
        onReadingAllowed?()
    }

    /// Passes a completion to the session, and carries out its other effects.
    func apply(_ completion: Completion) {
        reportPosition()
        switch completion {
        case .request(let id, .success(let answer)):
            waiting.longReads.requestAnswered(id)
            session.answer(answer, id: id)
        case .request(let id, .failure(let error)):
            waiting.longReads.requestAnswered(id)
            fail(error, id: id)
        case .subscription(let id, .success(let after)):
            session.answer(EncodedAnswer(after, to: SubscribeEventsRequest.self), id: id)
            events.subscriptionBegan(id, after: after)
        case .subscription(let id, .failure(let error)):
            events.subscriptionRefused(id)
            fail(error, id: id)
        case .changes(let changes):
            changes.notifyDelivery()
            changes.answer(&session, at: Clock.uptime())
            changes.audit(from: clientAddress)
        }
    }

    func fail(_ error: RequestError, id: UInt64) {
        session.fail(error, id: id, at: Clock.uptime())
    }
}
