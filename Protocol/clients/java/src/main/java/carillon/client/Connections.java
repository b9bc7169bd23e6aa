package carillon.client;

import carillon.client.session.Fault;
import carillon.client.session.Goaway;
import carillon.client.session.Session;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Which address is asked when, and which connection takes requests (ADR, GO, CRED). Guarded by the lock of the core.
 */
final class Connections {
    private static final long MS = 1_000_000;
    private final Core core;
    private final Options options;
    private final List<Target> targets = new ArrayList<>();
    private final List<Link> draining = new ArrayList<>();
    /** The targets that are left in this round. */
    private final Deque<Target> round = new ArrayDeque<>();
    private List<String> causes = new ArrayList<>();
    private List<String> lastCauses = List.of();
    private Failure lastCause;
    private Link current;
    private int lastConnected = -1;
    private int failedRounds;
    private long pauseUntil;
    private boolean isReadingKey;
    private UUID epoch;
    private volatile ServerInfo server;

    Connections(Core core) {
        this.core = core;
        options = core.options;
        for (Address address : options.addresses) {
            targets.add(new Target(targets.size(), address));
        }
    }

    Link current() {
        return current;
    }

    boolean isOpen() {
        return current != null && current.isOpen();
    }

    ServerInfo server() {
        return server;
    }

    List<Link> links() {
        List<Link> links = new ArrayList<>(draining);
        if (current != null) {
            links.add(current);
        }
        return links;
    }

    int freeRoom() {
        return isOpen() ? current.session.freeRoom() : 0;
    }

    // Time

    long nextWake(long now) {
        long next = Long.MAX_VALUE;
        for (Link link : links()) {
            next = Math.min(next, link.isOpen() ? link.session.nextTick() : link.givesUpAt);
        }
        if (current == null && core.wantsConnection(now)) {
            next = pauseUntil > now ? Math.min(next, pauseUntil) : next;
            for (Target target : targets) {
                long from = Math.max(target.notBefore, target.refusal == null ? 0 : target.refusedUntil);
                next = from > now ? Math.min(next, from) : next;
            }
        }
        return next;
    }

    void tick(long now) {
        for (Link link : links()) {
            if (!link.isOpen() && now >= link.givesUpAt) {
                lost(link, Failure.cannotConnect("the server does not answer in time"), 0, now);
            } else if (link.isOpen()) {
                tick(link, now);
            }
        }
    }

    private void tick(Link link, long now) {
        try {
            link.session.tick(now);
            if (link.session.hasUrgent()) {
                link.wakeWriter();
            }
        } catch (Fault fault) {
            core.faulted(link, fault, now);
        }
    }

    /** Returns the random part of a pause: from half of b to b (RET-5). */
    long spread(int count) {
        long limit = Options.nanos(options.backoffLimit);
        long whole = count > 40 ? limit : Math.min(limit, Options.nanos(options.backoff) * (1L << count - 1));
        whole = whole <= 0 ? limit : whole;
        return ThreadLocalRandom.current().nextLong(whole / 2, whole + 1);
    }

    // Connecting

    /** Begins an attempt if a connection is wanted and an address may be asked. */
    void pump(long now) {
        if (current != null || isReadingKey || core.isClosing() || !core.wantsConnection(now)) {
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
        core.timekeeper.wakeBy(nextWake(now));
    }

    private void attempt(Target target, long now) {
        if (target == null) {
            return;
        }
        current = new Link(core, target, now + Options.nanos(options.connectTimeout));
        core.observer.changed(StateReport.of(StateReport.State.CONNECTING, target.address, null));
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

    /** Everything fails, unless another key than the refused ones is there now (CRED-3, CRED-4). */
    private void allRefused() {
        if (!options.credential.canChange() || targets.stream().noneMatch(Target::isRefusedKey)) {
            failRefused();
            return;
        }
        isReadingKey = true;
        new ClientThread("key", this::readKey).start();
    }

    private void readKey() {
        byte[] key = null;
        try {
            key = options.credential.read();
        } catch (IOException | RuntimeException error) {
            // Without a key the refusals stay.
        }
        byte[] read = key;
        core.locked(now -> {
            isReadingKey = false;
            lift(read);
            if (targets.stream().allMatch(target -> target.refusal != null)) {
                failRefused();
            }
            core.pump(now);
        });
    }

    private void lift(byte[] key) {
        for (Target target : targets) {
            if (key != null && target.isRefusedKey() && !Core.isSame(key, target.refusedKey)) {
                target.refusal = null;
            }
        }
    }

    private void failRefused() {
        Target first = targets.stream().min(Comparator.comparingLong(target -> target.refusedUntil)).orElseThrow();
        core.failRefused(first.refusal);
    }

    /** The key of an attempt was read: makes its session. False if the attempt was given up. */
    boolean begin(Link link, byte[] key, long now) {
        if (link.hasEnded) {
            return false;
        }
        link.key = key;
        lift(key);
        link.session = new Session<>(new Session.Settings(options.software, options.receiveLimit, options.inFlight,
            Options.nanos(options.probeAfter), Options.nanos(options.pingTimeout)), key, now);
        return true;
    }

    void opened(Link link) {
        link.wasOpen = true;
        lastConnected = link.target.index;
        UUID now = link.session.hello().epoch();
        server = Servers.info(link.session);
        core.observer.changed(StateReport.connected(link.target.address, link.session.hello().software(), now));
        if (epoch != null && !epoch.equals(now)) {
            core.observer.changed(StateReport.newHistory(link.target.address, epoch, now));
        }
        epoch = now;
    }

    /** A connection that has worked ends the row of failed rounds (CON-15). */
    void noteWork(Link link) {
        if (link == current && link.session != null && link.session.hasWorked()) {
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
    void drop(Link link) {
        link.end();
        draining.remove(link);
        if (current == link) {
            current = null;
        }
    }

    /** Closes a draining connection when its last request is answered or no longer waited for (GO-4). */
    void dropIfIdle(Link link) {
        if (!link.hasEnded && link.isDraining && link.session.isIdle()) {
            drop(link);
        }
    }

    /** The connection is gone. `failure` is that of the request `named`; of the others the effect is unknown. */
    void lost(Link link, Failure failure, long named, long now) {
        if (link.hasEnded) {
            return;
        }
        noteWork(link);
        boolean wasCurrent = current == link;
        boolean hasWorked = link.session != null && link.session.hasWorked();
        drop(link);
        core.attempts.lost(link, failure, named);
        core.streams.lost(link);
        if (wasCurrent) {
            Failure reason = link.wasOpen || failure.code() != Code.CONNECTION_LOST ? failure
                : Failure.cannotConnect(failure.message()).withCause(failure.cause());
            core.observer.changed(StateReport.of(
                link.wasOpen ? StateReport.State.DISCONNECTED : StateReport.State.FAILED, link.target.address, reason));
        }
        if (failure.isFinal() && !link.wasOpen) {
            refuse(link, failure, now);
        } else if (failure.retryAfterMs() > 0 && (failure.scope() == Scope.CONNECTION || !link.wasOpen)) {
            link.target.notBefore = Math.max(link.target.notBefore, now + failure.retryAfterMs() * MS);
        }
        if (wasCurrent && !hasWorked) {
            attemptFailed(link, failure, now);
        }
        core.pump(now);
    }

    /** Rules an address out (CRED-3). */
    private void refuse(Link link, Failure failure, long now) {
        Target target = link.target;
        target.refusal = failure.with(Effect.NOT_EXECUTED);
        target.refusedKey = link.key;
        target.refusedUntil = now + Options.nanos(options.refusalPause);
        core.observer.changed(StateReport.of(StateReport.State.REFUSED, target.address, target.refusal));
    }

    private void attemptFailed(Link link, Failure failure, long now) {
        causes.add(link.target.address + ": " + failure.codeName() + " " + failure.message());
        lastCause = failure;
        round.removeIf(target -> !target.isAvailable(now));
        if (!round.isEmpty()) {
            return;
        }
        failedRounds++;
        pauseUntil = now + spread(failedRounds);
        lastCauses = causes;
        causes = new ArrayList<>();
        Failure refusal = targets.stream().filter(target -> target.refusal != null)
            .min(Comparator.comparingLong(target -> target.refusedUntil)).map(target -> target.refusal).orElse(null);
        core.failConnects(refusal != null ? refusal : cannotConnect());
    }

    // GOAWAY

    void goingAway(Link link, Goaway goaway, long now) {
        if (Code.of(goaway.code()) == Code.AUTHENTICATION_FAILED && link.target.refusal == null) {
            refuse(link, Failure.of(Code.AUTHENTICATION_FAILED, goaway.reason()), now);
        }
        drain(link, goaway.reason(), goaway.reconnectAfterMs(), now);
    }

    /** No new request on this connection (GO-1, GO-2). */
    void drain(Link link, String reason, long waitMs, long now) {
        noteWork(link);
        link.session.drain();
        link.isDraining = true;
        link.target.notBefore = Math.max(link.target.notBefore, now + waitMs * MS);
        core.streams.lost(link);
        if (current != link) {
            return;
        }
        current = null;
        draining.add(link);
        core.observer.changed(StateReport.draining(link.target.address, reason));
        if (!link.session.hasWorked()) {
            attemptFailed(link, Failure.of(Code.DRAINING, Effect.NOT_EXECUTED, 0, reason), now);
        }
    }
}
