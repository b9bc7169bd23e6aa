package carillon.client;

import carillon.client.codec.Reader;
import carillon.client.codec.Request;
import carillon.client.codec.UnencodableException;
import carillon.client.codec.Writer;
import carillon.client.session.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Decides when the streams of a client subscribe, acknowledge and end (CONTRACT.md, EVT). Guarded by the lock of the
 * dispatcher.
 */
final class EventStreams {
    private final CallDispatcher dispatcher;
    private final List<Subscription> all = new ArrayList<>();

    EventStreams(CallDispatcher dispatcher) {
        this.dispatcher = dispatcher;
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    // The program

    /** Begins a stream; the future is done when the server has accepted it. */
    CompletableFuture<EventStream> open(EventOptions options, CallOptions callOptions) {
        Subscription[] made = new Subscription[1];
        CallFuture<EventStream> future =
            new CallFuture<>(() -> dispatcher.locked(now -> giveUp(made[0], CallFuture.cancelled(), now)));
        try {
            Requests.subscribeEvents(options.name, 0, options.apps, options.kinds, 0);
        } catch (UnencodableException error) {
            future.completeExceptionally(CarillonException.invalid(error.field(), error.getMessage()));
            return future;
        }
        dispatcher.locked(now -> {
            long timeout = Options.nanos(callOptions.timeout == null ? dispatcher.options.requestTimeout
                : callOptions.timeout);
            Subscription subscription = new Subscription(options.copy(), now, now + timeout, future);
            made[0] = subscription;
            all.add(subscription);
            if (dispatcher.isClosing()) {
                end(subscription, Failure.of(Code.CLOSED, "the client was closed"));
                return;
            }
            dispatcher.timekeeper.wakeBy(subscription.deadline);
            dispatcher.sendWaiting(now);
        });
        return future;
    }

    CompletableFuture<Optional<StreamElement>> take(Subscription from) {
        ElementWaiter waiter = new ElementWaiter();
        dispatcher.locked(now -> {
            from.waiters.add(waiter);
            serve(from);
            dispatcher.sendWaiting(now);
        });
        return waiter;
    }

    void acknowledge(Subscription stream, long sequence) {
        dispatcher.locked(now -> {
            stream.acknowledge(sequence);
            dispatcher.sendWaiting(now);
        });
    }

    CompletableFuture<Void> flush(Subscription stream) {
        CompletableFuture<Void> future = new CompletableFuture<>();
        dispatcher.locked(now -> {
            stream.flushes.add(future);
            serve(stream);
        });
        return future;
    }

    CompletableFuture<Void> close(Subscription stream) {
        dispatcher.locked(now -> {
            stream.isClosing = true;
            stream.dropElements();
            dispatcher.sendWaiting(now);
        });
        return stream.ended;
    }

    /** Gives elements to the callers that wait for them, and completes the flushes that are done or can never be. */
    private void serve(Subscription stream) {
        boolean hasEnded = stream.state == Subscription.State.ENDED;
        stream.waiters.removeIf(CompletableFuture::isDone);
        while (!stream.waiters.isEmpty() && (stream.hasElement() || hasEnded)) {
            ElementWaiter waiter = stream.waiters.remove();
            if (waiter.claim()) {
                serve(stream, waiter);
            }
        }
        if (stream.isFlushed()) {
            stream.flushes.forEach(flush -> dispatcher.defer(() -> flush.complete(null)));
            stream.flushes.clear();
        } else if (hasEnded) {
            Failure failure = stream.failure != null ? stream.failure
                : Failure.of(Code.CLOSED, "the stream was closed");
            stream.flushes.forEach(flush ->
                dispatcher.defer(() -> flush.completeExceptionally(new CarillonException(failure))));
            stream.flushes.clear();
        }
    }

    private void serve(Subscription stream, ElementWaiter waiter) {
        if (!stream.hasElement() && stream.failure != null) {
            CarillonException error = new CarillonException(stream.failure);
            dispatcher.defer(() -> waiter.deliver(error));
        } else {
            Optional<StreamElement> element = stream.hasElement() ? Optional.of(stream.take()) : Optional.empty();
            dispatcher.defer(() -> waiter.deliver(element));
        }
    }

    // Time

    long nextWake(long now) {
        long next = Long.MAX_VALUE;
        for (Subscription stream : all) {
            next = stream.isAwaited() ? Math.min(next, stream.deadline) : next;
            next = stream.notBefore > now ? Math.min(next, stream.notBefore) : next;
        }
        return next;
    }

    void tick(long now) {
        for (Subscription stream : List.copyOf(all)) {
            if (stream.isAwaited() && stream.deadline <= now) {
                giveUp(stream, dispatcher.notWritten(), now);
            }
        }
    }

    boolean wantConnection(long now) {
        for (Subscription stream : all) {
            if (stream.state == Subscription.State.WAITING && stream.notBefore <= now && !stream.isClosing) {
                return true;
            }
        }
        return false;
    }

    // Writing

    /** Ends streams that are closed while they have no subscription. */
    void endUnsubscribed() {
        for (int index = all.size() - 1; index >= 0; index--) {
            Subscription stream = all.get(index);
            if (stream.isClosing && stream.state == Subscription.State.WAITING) {
                end(stream, null);
            }
        }
    }

    boolean hasWork(Connection connection, long now) {
        for (Subscription stream : all) {
            if (request(stream, connection, now) != null && connection.session.hasRoom()) {
                return true;
            }
        }
        return false;
    }

    /** Returns which request of a stream is due; null if none is. */
    private static StreamRequest.Purpose request(Subscription stream, Connection connection, long now) {
        if (stream.state == Subscription.State.WAITING) {
            return stream.notBefore <= now && !stream.isClosing ? StreamRequest.Purpose.SUBSCRIBE : null;
        }
        if (stream.state != Subscription.State.SUBSCRIBED || stream.connection != connection) {
            return null;
        }
        if (stream.isCreditDue()) {
            return stream.notBefore <= now || stream.isClosing ? StreamRequest.Purpose.CREDIT : null;
        }
        return stream.isClosing && !stream.isCreditPending() ? StreamRequest.Purpose.UNSUBSCRIBE : null;
    }

    /** Writes one due request of a stream that began before a time; returns false if there is none. */
    boolean fill(Connection connection, Writer out, long before, long now) {
        for (Subscription stream : all) {
            StreamRequest.Purpose purpose = stream.beganAt > before ? null : request(stream, connection, now);
            if (purpose != null && out.size() <= Session.MAXIMUM_WRITE_BYTES / 2) {
                write(stream, purpose, connection, out, now);
                return true;
            }
        }
        return false;
    }

    private void write(
            Subscription stream, StreamRequest.Purpose purpose, Connection connection, Writer out, long now) {
        Request<?> request = switch (purpose) {
            case SUBSCRIBE -> stream.subscribe(connection, connection.session.hello().epoch());
            case CREDIT -> stream.credit();
            case UNSUBSCRIBE -> {
                stream.state = Subscription.State.UNSUBSCRIBING;
                yield Requests.unsubscribeEvents(stream.id);
            }
        };
        long id = connection.session.write(out, request, new StreamRequest(purpose, stream), -1, now);
        if (purpose == StreamRequest.Purpose.SUBSCRIBE) {
            stream.id = id;
            serve(stream);
        }
    }

    // What comes from connections

    /** Returns the stream of an id of a connection; null if there is none. */
    Subscription find(Connection connection, long id) {
        for (Subscription stream : all) {
            boolean isSubscribed = stream.state == Subscription.State.SUBSCRIBED
                || stream.state == Subscription.State.SUBSCRIBING;
            if (isSubscribed && stream.connection == connection && stream.id == id) {
                return stream;
            }
        }
        return null;
    }

    /** Gives the elements that have come to the callers that wait for them. */
    void serveAll() {
        for (Subscription stream : all) {
            if (!stream.waiters.isEmpty() && stream.hasElement()) {
                serve(stream);
            }
        }
    }

    /** Takes the answer to a request of a stream. */
    void answered(Connection connection, StreamRequest request, Reader payload) {
        Subscription stream = request.subscription;
        Long after = request.purpose == StreamRequest.Purpose.SUBSCRIBE ? Answers.number(payload) : null;
        if (after == null) {
            payload.end();
        }
        if (stream.connection != connection || stream.state == Subscription.State.ENDED) {
            return;
        }
        switch (request.purpose) {
            case SUBSCRIBE -> subscribeAnswered(stream, after);
            case CREDIT -> stream.creditAnswered();
            case UNSUBSCRIBE -> end(stream, null);
        }
        serve(stream);
    }

    /** Begins a subscription that the server has accepted; the first one gives the program its stream. */
    private void subscribeAnswered(Subscription stream, long after) {
        boolean isFirst = !stream.isAccepted;
        stream.subscribeAnswered(after);
        if (isFirst) {
            EventStream made = new EventStream(dispatcher, stream);
            dispatcher.defer(() -> {
                if (!stream.acceptance.complete(made)) {
                    close(stream); // the program has ended the future in another way
                }
            });
        }
    }

    /** Ends a stream whose request was refused, or tries again later (EVT-10). */
    void refused(Connection connection, StreamRequest request, Failure failure, long now) {
        Subscription stream = request.subscription;
        if (stream.connection != connection || stream.state == Subscription.State.ENDED) {
            return;
        }
        if (request.purpose == StreamRequest.Purpose.UNSUBSCRIBE) {
            end(stream, null);
            return;
        }
        boolean isGone = request.purpose == StreamRequest.Purpose.CREDIT && failure.code() == Code.NOT_FOUND;
        if (failure.isFinal() && !isGone) {
            end(stream, failure);
            return;
        }
        long retryAt = now + Math.max(0, failure.retryAfterMs()) * 1_000_000
            + dispatcher.connections.randomPause(++stream.failures);
        if (isGone || request.purpose == StreamRequest.Purpose.SUBSCRIBE) {
            stream.subscriptionEnded(retryAt);
        } else {
            stream.creditRefused(retryAt);
        }
        dispatcher.timekeeper.wakeBy(retryAt);
    }

    /** Lets the streams of a connection that has ended, or drains, go on at the next one (CONTRACT.md, EVT-7). */
    void lost(Connection connection) {
        for (Subscription stream : List.copyOf(all)) {
            if (stream.connection == connection && stream.state == Subscription.State.UNSUBSCRIBING) {
                end(stream, null);
            } else if (stream.connection == connection) {
                stream.subscriptionEnded(0);
            }
        }
    }

    // The end

    /** Ends a stream. The program gets the failure after the elements that are in memory. */
    private void end(Subscription stream, Failure failure) {
        if (stream.state == Subscription.State.ENDED) {
            return;
        }
        stream.state = Subscription.State.ENDED;
        stream.connection = null;
        stream.failure = failure;
        all.remove(stream);
        serve(stream);
        if (!stream.isAccepted) {
            Failure reason = failure != null ? failure : Failure.of(Code.CLOSED, "the stream was closed");
            dispatcher.defer(() -> stream.acceptance.completeExceptionally(new CarillonException(reason)));
        }
        dispatcher.defer(() -> stream.ended.complete(null));
    }

    /**
     * Fails the future of a stream that the server has not accepted yet. If SUBSCRIBE_EVENTS is written,
     * UNSUBSCRIBE_EVENTS follows its answer.
     */
    private void giveUp(Subscription stream, Failure failure, long now) {
        if (!stream.isAwaited()) {
            return;
        }
        stream.isClosing = true;
        dispatcher.defer(() -> stream.acceptance.completeExceptionally(new CarillonException(failure)));
        dispatcher.sendWaiting(now);
    }

    void closeAll() {
        all.forEach(stream -> stream.isClosing = true);
    }

    void endAll(Failure failure) {
        List.copyOf(all).forEach(stream -> end(stream, failure));
    }

    void refuseWaiting(Failure failure) {
        for (Subscription stream : List.copyOf(all)) {
            if (stream.state == Subscription.State.WAITING) {
                end(stream, failure);
            }
        }
    }
}
