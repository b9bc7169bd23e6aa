package carillon.client;

import carillon.client.session.GoAway;
import carillon.client.session.Session;
import carillon.client.session.SessionException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Decides which address is asked when, and which connection takes requests (CONTRACT.md, ADR, GO, CRED). Guarded by
 * the lock of the dispatcher.
 */
final class Connections {
    private static final long NANOS_PER_MS = 1_000_000;
    private final CallDispatcher dispatcher;
    private final Options options;
    private final List<Target> targets = new ArrayList<>();
    private final List<Connection> draining = new ArrayList<>();
    /** The targets that are left in this round. */
    private final Deque<Target> round = new ArrayDeque<>();
    private List<String> causes = new ArrayList<>();
    private List<String> lastCauses = List.of();
    private Failure lastCause;
    private Connection current;
    private int lastConnected = -1;
    private int failedRounds;
    private long pauseUntil;
    private boolean isReadingKey;
    private UUID epoch;
    private volatile ServerInfo server;
    /** The greatest position in the log of a cluster that was seen; null before the first. */
    private volatile ClusterPosition position;

    Connections(CallDispatcher dispatcher) {
        this.dispatcher = dispatcher;
        options = dispatcher.options;
        for (Address address : options.addresses) {
            targets.add(new Target(targets.size(), address));
        }
    }

    Connection current() {
        return current;
    }

    boolean isOpen() {
        return current != null && current.isOpen();
    }

    ServerInfo server() {
        return server;
    }

    ClusterPosition position() {
        return position;
    }

    /** Keeps the position that a node has sent, and passes it on to another node (CONTRACT.md, POS-2, POS-3). */
    void reported(Connection connection, ClusterPosition found) {
        if (keepIfNewer(found) && current != connection) {
            sendPosition(current);
        }
    }

    /** Keeps a position that the program has from another client (POS-4). */
    void readAfter(ClusterPosition found) {
        if (current != null && current.isOpen() && !found.cluster().equals(current.session.cluster())) {
            return;
        }
        if (keepIfNewer(found)) {
            sendPosition(current);
        }
    }

    /** Keeps a position that is newer than the known one; returns true if it has kept it (POS-2). */
    private boolean keepIfNewer(ClusterPosition found) {
        boolean isNewer = found.isNewerThan(position);
        if (isNewer) {
            position = found;
        }
        return isNewer;
    }

    private void sendPosition(Connection connection) {
        if (position != null && connection != null && connection.isOpen()
            && position.cluster().equals(connection.session.cluster())) {
            connection.session.sendPosition(position.number());
        }
    }

    /**
     * Leaves a node that is behind if there is another address: that node may have what this client has seen (POS-5).
     */
    void leaveBehind(Connection connection, Failure failure) {
        if (current == connection && dispatcher.options.addresses.size() > 1) {
            drain(connection, failure.message(), Math.max(0, failure.retryAfterMs()), CallDispatcher.now());
        }
    }

    List<Connection> all() {
        List<Connection> all = new ArrayList<>(draining);
        if (current != null) {
            all.add(current);
        }
        return all;
    }

    int freeRoom() {
        return isOpen() ? current.session.freeRoom() : 0;
    }

    // Time

    /** Returns when {@link #tick} or {@link #connectIfNeeded} has something to do; {@link Long#MAX_VALUE} if never. */
    long nextWake(long now) {
        long next = Long.MAX_VALUE;
        for (Connection connection : all()) {
            next = Math.min(next, connection.isOpen() ? connection.session.nextTick() : connection.givesUpAt);
        }
        if (current == null && dispatcher.wantsConnection(now)) {
            next = pauseUntil > now ? Math.min(next, pauseUntil) : next;
            for (Target target : targets) {
                long from = Math.max(target.notBefore, target.refusal == null ? 0 : target.refusedUntil);
                next = from > now ? Math.min(next, from) : next;
            }
        }
        return next;
    }

    /** Ends attempts that have taken too long, and sends the PINGs that are due. */
    void tick(long now) {
        for (Connection connection : all()) {
            if (!connection.isOpen() && now >= connection.givesUpAt) {
                connectionEnded(connection, Failure.cannotConnect("the server does not answer in time"), 0, now);
            } else if (connection.isOpen()) {
                tick(connection, now);
            }
        }
    }

    private void tick(Connection connection, long now) {
        try {
            connection.session.tick(now);
            if (connection.session.hasUrgent()) {
                connection.wakeWriter();
            }
        } catch (SessionException reason) {
            dispatcher.sessionEnded(connection, reason, now);
        }
    }

    /**
     * Returns the random part of a pause, from half of b to b: it spreads clients that were refused at the same moment
     * (RET-5).
     */
    long randomPause(int count) {
        long limit = Options.nanos(options.maximumBackoff);
        long whole = count > 40 ? limit : Math.min(limit, Options.nanos(options.backoff) * (1L << count - 1));
        whole = whole <= 0 ? limit : whole;
        return ThreadLocalRandom.current().nextLong(whole / 2, whole + 1);
    }

    // Connecting

    /** Begins an attempt if a connection is wanted and an address may be asked. */
    void connectIfNeeded(long now) {
        if (current != null || isReadingKey || dispatcher.isClosing() || !dispatcher.wantsConnection(now)) {
            return;
        }
        for (Target target : targets) {
            if (target.refusal != null && now >= target.refusedUntil) {
                target.refusal = null;
            }
        }
        if (targets.stream().allMatch(target -> target.refusal != null)) {
            allRefused();
            return;
        }
        if (now >= pauseUntil) {
            attempt(nextTarget(now), now);
        }
        dispatcher.timekeeper.wakeBy(nextWake(now));
    }

    private void attempt(Target target, long now) {
        if (target == null) {
            return;
        }
        current = new Connection(dispatcher, target, now + Options.nanos(options.connectTimeout));
        dispatcher.observer.stateChanged(StateReport.of(StateReport.State.CONNECTING, target.address, null));
        current.start();
    }

    /** Returns the next address of the round, or the first of a new one; null if none may be asked now (ADR-4). */
    private Target nextTarget(long now) {
        round.removeIf(target -> !target.isAvailable(now));
        if (round.isEmpty()) {
            for (int offset = 1; offset <= targets.size(); offset++) {
                Target target = targets.get(Math.floorMod(lastConnected + offset, targets.size()));
                if (target.isAvailable(now)) {
                    round.add(target);
                }
            }
        }
        return round.poll();
    }

    /** Fails everything that waits, unless the key can have changed: then reads it again (CRED-3, CRED-4). */
    private void allRefused() {
        if (!options.apiKey.canChange() || targets.stream().noneMatch(Target::isRefusedKey)) {
            failRefused();
            return;
        }
        isReadingKey = true;
        new ClientThread("key", this::readKey).start();
    }

    /** Reads the key again: another one ends the refusals of the old one. */
    private void readKey() {
        byte[] key = null;
        try {
            key = options.apiKey.read();
        } catch (IOException | RuntimeException error) {
            // Without a key the refusals stay.
        }
        byte[] read = key;
        dispatcher.locked(now -> {
            isReadingKey = false;
            lift(read);
            if (targets.stream().allMatch(target -> target.refusal != null)) {
                failRefused();
            }
            dispatcher.sendWaiting(now);
        });
    }

    /** Ends the refusals of other keys than this one. */
    private void lift(byte[] key) {
        for (Target target : targets) {
            if (key != null && target.isRefusedKey() && !Arrays.equals(key, target.refusedKey)) {
                target.refusal = null;
            }
        }
    }

    private void failRefused() {
        Target first = targets.stream().min(Comparator.comparingLong(target -> target.refusedUntil)).orElseThrow();
        dispatcher.failRefused(first.refusal);
    }

    /** Makes the session of an attempt whose key was read; returns false if the attempt was given up meanwhile. */
    boolean keyRead(Connection connection, byte[] key, long now) {
        if (connection.hasEnded) {
            return false;
        }
        connection.key = key;
        lift(key);
        connection.session = new Session<>(new Session.Settings(
            options.software, options.maximumReceiveBytes, options.maximumInFlight,
            Options.nanos(options.probeAfter), Options.nanos(options.pingTimeout)), key, now);
        return true;
    }

    /** Reports that a connection has opened, and whether its server has another history. */
    void opened(Connection connection) {
        connection.hasOpened = true;
        lastConnected = connection.target.index;
        UUID now = connection.session.hello().epoch();
        server = ServerInfo.of(connection.session);
        dispatcher.observer.stateChanged(
            StateReport.connected(connection.target.address, connection.session.hello().software(), now));
        if (epoch != null && !epoch.equals(now)) {
            dispatcher.observer.stateChanged(StateReport.newHistory(connection.target.address, epoch, now));
        }
        epoch = now;
        sendPosition(connection);
    }

    /**
     * A connection that has worked ends the row of failed rounds. One that was only opened does not: a server that
     * accepts and closes would be asked in a loop (CON-15).
     */
    void connectionWorked(Connection connection) {
        if (connection == current && connection.session != null && connection.session.hasWorked()) {
            failedRounds = 0;
            round.clear();
            causes = new ArrayList<>();
            lastCauses = List.of();
            lastCause = null;
        }
    }

    /** Returns why there is no connection, with the causes of the latest round. */
    Failure cannotConnect() {
        String message = lastCause == null ? "no connection in time" : lastCause.message();
        Failure failure = Failure.cannotConnect(message).withCauses(causes.isEmpty() ? lastCauses : causes);
        return lastCause == null ? failure : failure.withCause(lastCause.cause());
    }

    // The end of connections

    /** Closes a connection. */
    void drop(Connection connection) {
        connection.end();
        draining.remove(connection);
        if (current == connection) {
            current = null;
        }
    }

    /** Closes a draining connection when its last request is answered or no longer waited for (GO-4). */
    void dropIfIdle(Connection connection) {
        if (!connection.hasEnded && connection.isDraining && connection.session.isIdle()) {
            drop(connection);
        }
    }

    /**
     * Ends a connection that is gone. The failure is that of the request with the id {@code named}; of all other
     * requests without an answer the effect is unknown.
     */
    void connectionEnded(Connection connection, Failure failure, long named, long now) {
        if (connection.hasEnded) {
            return;
        }
        connectionWorked(connection);
        boolean wasCurrent = current == connection;
        boolean hasWorked = connection.session != null && connection.session.hasWorked();
        drop(connection);
        dispatcher.retries.attemptsLost(connection, failure, named);
        dispatcher.streams.lost(connection);
        if (wasCurrent) {
            Failure reason = connection.hasOpened || failure.code() != Code.CONNECTION_LOST ? failure
                : Failure.cannotConnect(failure.message()).withCause(failure.cause());
            dispatcher.observer.stateChanged(StateReport.of(
                connection.hasOpened ? StateReport.State.DISCONNECTED : StateReport.State.FAILED,
                connection.target.address, reason));
        }
        if (failure.isFinal() && !connection.hasOpened) {
            refuse(connection, failure, now);
        } else if (failure.retryAfterMs() > 0 && (failure.scope() == Scope.CONNECTION || !connection.hasOpened)) {
            connection.target.notBefore = Math.max(connection.target.notBefore,
                now + failure.retryAfterMs() * NANOS_PER_MS);
        }
        if (wasCurrent && !hasWorked) {
            attemptOfRoundFailed(connection, failure, now);
        }
        dispatcher.sendWaiting(now);
    }

    /** Rules an address out for the refusal pause: the same key would be refused again (CRED-3). */
    private void refuse(Connection connection, Failure failure, long now) {
        Target target = connection.target;
        target.refusal = failure.with(Effect.NOT_EXECUTED);
        target.refusedKey = connection.key;
        target.refusedUntil = now + Options.nanos(options.refusalPause);
        dispatcher.observer.stateChanged(StateReport.of(StateReport.State.REFUSED, target.address, target.refusal));
    }

    /**
     * Records an attempt to connect that has failed. After the last attempt of a round there is a pause, and the calls
     * of {@code connect} that wait fail (ADR-8).
     */
    private void attemptOfRoundFailed(Connection connection, Failure failure, long now) {
        causes.add(connection.target.address + ": " + failure.codeName() + " " + failure.message());
        lastCause = failure;
        round.removeIf(target -> !target.isAvailable(now));
        if (!round.isEmpty()) {
            return;
        }
        failedRounds++;
        pauseUntil = now + randomPause(failedRounds);
        lastCauses = causes;
        causes = new ArrayList<>();
        Failure refusal = targets.stream().filter(target -> target.refusal != null)
            .min(Comparator.comparingLong(target -> target.refusedUntil)).map(target -> target.refusal).orElse(null);
        dispatcher.failConnects(refusal != null ? refusal : cannotConnect());
    }

    // GOAWAY

    void goingAway(Connection connection, GoAway goaway, long now) {
        if (Code.of(goaway.code()) == Code.AUTHENTICATION_FAILED && connection.target.refusal == null) {
            refuse(connection, Failure.of(Code.AUTHENTICATION_FAILED, goaway.reason()), now);
        }
        drain(connection, goaway.reason(), goaway.reconnectAfterMs(), now);
    }

    /**
     * Writes no new request on a connection, because its server is going to close it (GO-1), and does not connect to
     * its address for the time that the server has asked for (GO-2).
     */
    void drain(Connection connection, String reason, long waitMs, long now) {
        connectionWorked(connection);
        connection.session.drain();
        connection.isDraining = true;
        connection.target.notBefore = Math.max(connection.target.notBefore, now + waitMs * NANOS_PER_MS);
        dispatcher.streams.lost(connection);
        if (current != connection) {
            return;
        }
        current = null;
        draining.add(connection);
        dispatcher.observer.stateChanged(StateReport.draining(connection.target.address, reason));
        if (!connection.session.hasWorked()) {
            attemptOfRoundFailed(connection, Failure.of(Code.DRAINING, Effect.NOT_EXECUTED, 0, reason), now);
        }
    }
}
