package carillon.client;

import carillon.client.session.GoAway;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides what follows a failed attempt of a call: another attempt, or the end of the call (CONTRACT.md, RET, GO).
 * Guarded by the lock of the dispatcher.
 */
final class CallRetries {
    private static final long NANOS_PER_MS = 1_000_000;
    private final CallDispatcher dispatcher;

    CallRetries(CallDispatcher dispatcher) {
        this.dispatcher = dispatcher;
    }

    /** Decides about a call whose request the server has refused, on a connection that goes on. */
    void refused(Call<?> call, Failure failure) {
        if (failure.code() == Code.DRAINING && recordFailure(call, failure)) {
            requeue(List.of(call), failure);
        } else {
            attemptFailed(call, failure);
        }
    }

    /**
     * Obeys a GOAWAY: the requests above its last id were not executed, and wait for another connection; this one takes
     * no more.
     */
    void goingAway(Connection connection, GoAway goaway) {
        List<Call<?>> above = new ArrayList<>();
        for (ConnectionRequest sent : connection.session.takeAbove(goaway.lastId())) {
            if (sent instanceof Call<?> call) {
                call.attempts--;
                above.add(call);
            }
        }
        requeue(above, null);
        dispatcher.connections.goingAway(connection, goaway, CallDispatcher.now());
    }

    /** Records a failed attempt of a call; returns whether the call may make another one. */
    private boolean recordFailure(Call<?> call, Failure failure) {
        call.failed(failure);
        return call.mayRepeat(failure) && call.attempts < dispatcher.options.maximumAttempts && !dispatcher.isClosing();
    }

    /**
     * Lets a call pause for another attempt; ends it if a repetition could do harm (RET-1), or would come after the
     * deadline (RET-5).
     */
    private void attemptFailed(Call<?> call, Failure failure) {
        boolean mayRepeat = recordFailure(call, failure);
        long now = CallDispatcher.now();
        long pause = retryAfter(failure) + dispatcher.connections.randomPause(Math.max(1, call.attempts));
        if (!mayRepeat || now + pause >= call.deadline) {
            dispatcher.finish(call, failure);
            return;
        }
        CallList.remove(call);
        call.state = Call.State.PAUSING;
        call.resumesAt = now + pause;
        dispatcher.pausing.addLast(call);
        dispatcher.timekeeper.wakeBy(call.resumesAt);
        dispatcher.observer.callRetried(call, pause, failure);
    }

    /**
     * Returns the certain part of a pause. An error of the connection has none: it only rules out its address, and
     * another server may be asked before (CONTRACT.md, RET-5, ADR-6).
     */
    private static long retryAfter(Failure failure) {
        return failure.scope() == Scope.CONNECTION ? 0 : Math.max(0, failure.retryAfterMs()) * NANOS_PER_MS;
    }

    /**
     * Ends the attempts of a connection that is gone: the named one with {@code failure}, all others with
     * CONNECTION_LOST (ERR-6).
     */
    void attemptsLost(Connection connection, Failure failure, long named) {
        Failure lost = failure.code() == Code.CONNECTION_LOST ? failure
            : Failure.lost(failure.codeName() + ": " + failure.message()).withCause(failure.cause());
        List<Call<?>> again = new ArrayList<>();
        while (!connection.calls.isEmpty()) {
            Call<?> call = connection.calls.first();
            if (call.id() == named) {
                attemptFailed(call, failure);
            } else if (recordFailure(call, lost)) {
                CallList.remove(call);
                again.add(call);
            } else {
                dispatcher.finish(call, lost);
            }
        }
        requeue(again, lost);
    }

    /** Lets calls wait again, in their order, ahead of those that wait already (RET-6, RET-7). */
    private void requeue(List<Call<?>> calls, Failure failure) {
        for (int index = calls.size() - 1; index >= 0; index--) {
            Call<?> call = calls.get(index);
            CallList.remove(call);
            call.state = Call.State.WAITING;
            call.connection = null;
            dispatcher.waiting.addFirst(call);
            if (dispatcher.isClosing()) {
                dispatcher.finish(call, CallDispatcher.closedFailure());
            } else if (failure != null) {
                dispatcher.observer.callRetried(call, 0, failure);
            }
        }
    }
}
