package carillon.client;

import carillon.client.codec.Request;
import carillon.client.codec.Writer;
import carillon.client.session.Session;
import carillon.client.session.SessionException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;

/**
 * Decides which request is written on which connection and when, and ends each call with one result (CONTRACT.md, PIP,
 * DL, RET, CLS). {@link Connections} decides about addresses and connections, {@link EventStreams} about streams,
 * {@link CallRetries} about attempts that have failed; all have one lock, {@link #lock}.
 *
 * <p>Code of the program, such as hooks and the functions behind a future, never runs under the lock: it could call the
 * client and wait. {@link #defer} collects it, and {@link #unlockAndRun} runs it.
 */
final class CallDispatcher {
    private static final long START = System.nanoTime();
    private static final long NANOS_PER_MS = 1_000_000;
    final ReentrantLock lock = new ReentrantLock();
    final Options options;
    final Observer observer;
    final Dialer dialer;
    final Timekeeper timekeeper;
    final Connections connections;
    final EventStreams streams;
    final CallRetries retries;
    final CallList waiting = new CallList();
    final CallList pausing = new CallList();
    private final Waiters connectWaiters = new Waiters(this);
    private final Waiters pingWaiters = new Waiters(this);
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private List<Runnable> deferred = new ArrayList<>();
    /** An emptied list of actions that were run: it is used again, because it has grown already. */
    private final AtomicReference<List<Runnable>> spareDeferred = new AtomicReference<>();
    /** The bytes of the requests of all calls that have not ended. */
    private long requestBytes;
    private int activeCount;
    private long nextDeadline = Long.MAX_VALUE;
    private boolean isClosing;
    private long closesAt;
    private boolean isClosed;
    private int openTransportCount;

    CallDispatcher(Options options) {
        this.options = options;
        observer = new Observer(options);
        dialer = new Dialer(options);
        timekeeper = new Timekeeper(this);
        connections = new Connections(this);
        streams = new EventStreams(this);
        retries = new CallRetries(this);
    }

    /** Returns the time of the monotonic clock, in nanoseconds (CONTRACT.md, DL-6). */
    static long now() {
        return System.nanoTime() - START;
    }

    // What is done after the lock is free

    void defer(Runnable action) {
        deferred.add(action);
    }

    boolean hasDeferred() {
        return !deferred.isEmpty();
    }

    /** Frees the lock, then runs the actions that were collected under it, and the hooks that wait. */
    void unlockAndRun() {
        List<Runnable> todo = deferred;
        if (todo.isEmpty()) {
            lock.unlock();
        } else {
            List<Runnable> empty = spareDeferred.getAndSet(null);
            deferred = empty == null ? new ArrayList<>() : empty;
            lock.unlock();
            todo.forEach(Runnable::run);
            todo.clear();
            spareDeferred.set(todo);
        }
        observer.callWaitingHooks();
    }

    /** Does something under the lock. */
    void locked(LongConsumer body) {
        lock.lock();
        try {
            body.accept(now());
        } finally {
            unlockAndRun();
        }
    }

    // The program

    /** Begins a call. */
    <T> CompletableFuture<T> start(Request<T> request, CallOptions callOptions) {
        Call<T> call = new Call<>(this, request, now(), callOptions, Options.nanos(options.requestTimeout));
        lock.lock();
        try {
            activeCount++;
            requestBytes += request.body().length;
            if (isClosing) {
                finish(call, closedFailure());
            } else if (isFull()) {
                finish(call, Failure.of(Code.OVERLOADED, Effect.NOT_EXECUTED, 100, "too many calls wait"));
            } else {
                waiting.addLast(call);
                watch(call.deadline);
                sendWaiting(call.startedAt);
            }
        } finally {
            unlockAndRun();
        }
        return call.future;
    }

    /**
     * Returns true if too many calls wait, or the calls have too many bytes (PIP-6). A call for which the open
     * connection has room does not count as waiting: it only waits for the thread that writes.
     */
    private boolean isFull() {
        return requestBytes > options.maximumMemoryBytes || waiting.size() >= options.maximumWaitingCalls
            && waiting.size() >= options.maximumWaitingCalls + connections.freeRoom();
    }

    static Failure closedFailure() {
        return Failure.of(Code.CLOSED, "the client was closed");
    }

    /** Ends a call that the program has cancelled (DL-5). */
    void cancel(Call<?> call) {
        locked(now -> {
            giveUp(call, CallFuture.cancelled(), now);
            sendWaiting(now);
        });
    }

    /** Connects; fails after a round of attempts that has opened no connection (ADR-8). */
    CompletableFuture<Void> connect() {
        return connectWaiters.begin(connections::isOpen);
    }

    /** Sends a PING when that is allowed. */
    CompletableFuture<Void> ping() {
        return pingWaiters.begin(() -> false);
    }

    // Closing

    /**
     * Accepts no more calls; those on an open connection have the {@code drain_timeout} to end (CLS-1). The future is
     * done when the connections are closed.
     */
    CompletableFuture<Void> close() {
        locked(now -> {
            if (isClosing) {
                return;
            }
            isClosing = true;
            closesAt = now + Options.nanos(options.drainTimeout);
            boolean isOpen = connections.isOpen();
            giveUpAll(pausing, now);
            if (!isOpen) {
                giveUpAll(waiting, now);
            }
            connectWaiters.fail(closedFailure());
            pingWaiters.fail(closedFailure());
            streams.closeAll();
            timekeeper.wakeBy(closesAt);
            sendWaiting(now);
        });
        return closed;
    }

    private void giveUpAll(CallList calls, long now) {
        while (!calls.isEmpty()) {
            giveUp(calls.first(), closedFailure(), now);
        }
    }

    /** Ends all calls and streams when the {@code drain_timeout} is over; closes the connections when none is left. */
    private void finishClosing(long now) {
        if (!isClosing || isClosed) {
            return;
        }
        if (now >= closesAt) {
            giveUpAll(waiting, now);
            giveUpAll(pausing, now);
            connections.all().forEach(connection -> giveUpAll(connection.calls, now));
            streams.endAll(null);
        } else if (!connections.isOpen()) {
            giveUpAll(waiting, now);
            streams.endAll(null);
        }
        if (activeCount == 0 && streams.isEmpty()) {
            isClosed = true;
            observer.stateChanged(StateReport.of(StateReport.State.CLOSED, null, null));
            connections.all().forEach(connections::drop);
            transportsChanged();
            timekeeper.stop();
        }
    }

    boolean isClosing() {
        return isClosing;
    }

    void transportOpened() {
        openTransportCount++;
    }

    void transportClosed() {
        locked(now -> {
            openTransportCount--;
            transportsChanged();
        });
    }

    private void transportsChanged() {
        if (isClosed && openTransportCount == 0) {
            observer.afterwards(() -> closed.complete(null));
        }
    }

    // Time

    /** Lets {@link #tick} run when a deadline passes, at the latest. */
    void watch(long deadline) {
        nextDeadline = Math.min(nextDeadline, deadline);
        timekeeper.wakeBy(deadline);
    }

    /**
     * Returns when {@link #tick} must run again: {@code probe_after} from now at the latest. So the writing of a
     * request need not wake the timer: the PING that probes for its answer is never due sooner.
     */
    long nextWake(long now) {
        long next = Math.min(nextDeadline, connections.nextWake(now));
        for (Call<?> call = pausing.first(); call != null; call = call.after) {
            next = Math.min(next, call.resumesAt);
        }
        if (!pingWaiters.isEmpty() && connections.isOpen()) {
            long allowed = connections.current().session.pingAllowedAt();
            next = allowed > now ? Math.min(next, allowed) : next;
        }
        next = Math.min(next, streams.nextWake(now));
        if (isClosing) {
            next = Math.min(next, closesAt);
        }
        return Math.min(next, now + Options.nanos(options.probeAfter));
    }

    /** Does everything that is due. */
    void tick(long now) {
        for (Call<?> call = pausing.first(); call != null;) {
            Call<?> next = call.after;
            if (call.resumesAt <= now) {
                CallList.remove(call);
                call.state = Call.State.WAITING;
                waiting.addLast(call);
            }
            call = next;
        }
        if (now >= nextDeadline) {
            nextDeadline = Long.MAX_VALUE;
            expire(waiting, now);
            expire(pausing, now);
            connections.all().forEach(connection -> expire(connection.calls, now));
            connectWaiters.expire(now);
            pingWaiters.expire(now);
            nextDeadline = Math.min(nextDeadline, Math.min(connectWaiters.nextDeadline(), pingWaiters.nextDeadline()));
        }
        streams.tick(now);
        connections.tick(now);
        sendWaiting(now);
    }

    /** Ends the calls of a list whose deadline has passed, and finds the next deadline of the others. */
    private void expire(CallList calls, long now) {
        for (Call<?> call = calls.first(); call != null;) {
            Call<?> next = call.after;
            if (call.deadline <= now) {
                expired(call, now);
            } else {
                nextDeadline = Math.min(nextDeadline, call.deadline);
            }
            call = next;
        }
    }

    /**
     * Returns the failure of what was not written before its deadline: NO_ANSWER if a connection is open, else
     * CANNOT_CONNECT with the causes (DL-3).
     */
    Failure notWritten() {
        if (connections.isOpen()) {
            return Failure.of(Code.NO_ANSWER, Effect.NOT_EXECUTED, 0, "no answer in time");
        }
        return connections.cannotConnect();
    }

    private void expired(Call<?> call, long now) {
        if (call.state == Call.State.WRITTEN) {
            giveUp(call, Failure.of(Code.NO_ANSWER, Effect.UNKNOWN, 0, "no answer in time"), now);
        } else {
            giveUp(call, call.lastFailure != null ? call.lastFailure : notWritten(), now);
        }
    }

    /** Ends a call whatever its state; if it is written its effect is unknown (DL-4, DL-5). */
    private void giveUp(Call<?> call, Failure failure, long now) {
        if (call.state == Call.State.DONE) {
            return;
        }
        boolean isWritten = call.state == Call.State.WRITTEN;
        Connection connection = call.connection;
        finish(call, isWritten ? failure.with(Effect.UNKNOWN) : failure);
        if (isWritten) {
            connection.session.abandon(call, now);
            timekeeper.wakeBy(connection.session.nextTick());
            connections.dropIfIdle(connection);
        }
    }

    void finish(Call<?> call, Failure failure) {
        call.fail(failure);
        done(call);
    }

    private void done(Call<?> call) {
        CallList.remove(call);
        activeCount--;
        requestBytes -= call.request.body().length;
        deferred.add(call);
    }

    // Writing

    boolean wantsConnection(long now) {
        return !waiting.isEmpty() || !connectWaiters.isEmpty() || !pingWaiters.isEmpty() || streams.wantConnection(now);
    }

    /** Connects if that is needed, and wakes the thread that writes if it has something to do. */
    void sendWaiting(long now) {
        streams.endUnsubscribed();
        finishClosing(now);
        connections.connectIfNeeded(now);
        Connection connection = connections.current();
        if (connection == null || !connection.isOpen()) {
            return;
        }
        boolean hasWork = !waiting.isEmpty() && connection.session.hasRoom() || connection.session.hasUrgent()
            || streams.hasWork(connection, now) || !pingWaiters.isEmpty() && now >= connection.session.pingAllowedAt();
        if (hasWork) {
            connection.wakeWriter();
        } else if (!pingWaiters.isEmpty() && connection.session.pingAllowedAt() != Long.MAX_VALUE) {
            timekeeper.wakeBy(connection.session.pingAllowedAt());
        }
    }

    /** Puts the requests for which the connection has room into {@code out}; the caller holds the lock. */
    void fill(Connection connection, Writer out) {
        if (connection.session.hasUrgent()) {
            connection.session.writeUrgent(out);
        }
        if (connection != connections.current() || !connection.isOpen()) {
            return;
        }
        long now = now();
        if (!pingWaiters.isEmpty() && now >= connection.session.pingAllowedAt()) {
            connection.session.ping(now);
            connection.session.writeUrgent(out);
        }
        while (connection.session.hasRoom()) {
            Call<?> call = waiting.first();
            if (streams.fill(connection, out, call == null ? Long.MAX_VALUE : call.startedAt, now)) {
                continue;
            }
            if (call == null || out.size() > 0
                && out.size() + call.request.payloadSize() > Session.MAXIMUM_WRITE_BYTES) {
                return;
            }
            write(call, connection, out, now);
        }
    }

    /**
     * Writes a call. Ends it if its deadline has passed, or if the server does not take it or may have forgotten its
     * key.
     */
    private void write(Call<?> call, Connection connection, Writer out, long now) {
        if (call.deadline <= now) {
            expired(call, now);
            return;
        }
        Failure refusal = call.refusal(connection.session.hello());
        if (refusal != null) {
            finish(call, refusal);
        } else if (!call.isKeyRemembered(connection, now)) {
            finish(call, call.lastFailure);
        } else {
            CallList.remove(call);
            long left = (call.deadline - now + NANOS_PER_MS / 2) / NANOS_PER_MS;
            connection.session.write(out, call.request, call, Math.max(1, Math.min(left, 0xFFFF_FFFFL)), now);
            call.written(connection, now);
            connection.calls.addLast(call);
        }
    }

    // What comes from connections

    /** Takes the key that was read for an attempt; returns false if the attempt was given up meanwhile. */
    boolean keyRead(Connection connection, byte[] key) {
        lock.lock();
        try {
            return connections.keyRead(connection, key, now());
        } finally {
            unlockAndRun();
        }
    }

    /** Reads the bytes that a connection has received; returns false if the connection has ended. */
    boolean received(Connection connection, int count) {
        lock.lock();
        try {
            if (connection.hasEnded) {
                return false;
            }
            long now = now();
            connection.receive(count, now);
            streams.serveAll();
            connections.connectionWorked(connection);
            connections.dropIfIdle(connection);
            if (!connection.hasEnded && connection.session.hasUrgent()) {
                connection.wakeWriter();
            }
            sendWaiting(now);
            timekeeper.wakeBy(connection.session.nextTick());
            return !connection.hasEnded;
        } finally {
            unlockAndRun();
        }
    }

    /** Ends a connection that is gone or could not be made; a null failure means that the server has closed it. */
    void ended(Connection connection, Failure failure) {
        locked(now -> {
            Failure reason = failure == null ? endedByServer(connection) : failure;
            connections.connectionEnded(connection, reason, 0, now);
        });
    }

    private static Failure endedByServer(Connection connection) {
        return connection.session.isVersionRefused()
            ? Failure.of(Code.UNSUPPORTED_VERSION, "the server speaks no version of this client")
            : Failure.lost("the connection has ended");
    }

    void sessionEnded(Connection connection, SessionException reason, long now) {
        connections.connectionEnded(connection, Failure.of(reason), reason.named(), now);
    }

    void opened(Connection connection) {
        connections.opened(connection);
        connectWaiters.succeed();
    }

    <T> void answered(Call<T> call, T value) {
        call.succeed(value);
        done(call);
    }

    void pong() {
        pingWaiters.succeed();
    }

    /** Fails everything that waits for a connection: all addresses are refused (CRED-4). */
    void failRefused(Failure refusal) {
        Failure failure = refusal.with(Effect.NOT_EXECUTED);
        while (!waiting.isEmpty()) {
            finish(waiting.first(), failure);
        }
        pingWaiters.fail(failure);
        connectWaiters.fail(failure);
        streams.refuseWaiting(failure);
    }

    /** Fails the calls of {@code connect} after a round of attempts that has opened no connection (ADR-8). */
    void failConnects(Failure failure) {
        connectWaiters.fail(failure);
    }
}
