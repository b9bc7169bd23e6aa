package carillon.client;

import carillon.client.codec.Request;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * A stream over any number of connections (CONTRACT.md, EVT): its position, the elements that wait to be taken, its
 * credit and its acknowledgements. Guarded by the lock of its client.
 */
final class Subscription {
    /** The state of a stream: whether it has a subscription on a connection. */
    enum State { WAITING, SUBSCRIBING, SUBSCRIBED, UNSUBSCRIBING, ENDED }

    final EventOptions options;
    /** Its requests go out in the order of this time and that of calls (CONTRACT.md, PIP-2). */
    final long beganAt;
    final long deadline;
    /** The stream for the program, when the server has accepted the subscription. */
    final CompletableFuture<EventStream> acceptance;
    final Queue<ElementWaiter> waiters = new ArrayDeque<>();
    final List<CompletableFuture<Void>> flushes = new ArrayList<>();
    final CompletableFuture<Void> ended = new CompletableFuture<>();
    State state = State.WAITING;
    Connection connection;
    long id;
    long notBefore;
    int failures;
    boolean isAccepted;
    boolean isClosing;
    Failure failure;
    private final Queue<StreamElement> queue = new ArrayDeque<>();
    private UUID epoch;
    private Long start;
    private boolean hasPosition;
    private long position;
    private long returned;
    /** The frames that the server may send and those that it has sent, since the subscription began. */
    private long grantedCount;
    private long receivedCount;
    /**
     * The elements that the program has taken, or that were dropped as old, since the subscription began. Elements of
     * an earlier subscription that are still in memory count against the window (EVT-3): they are subtracted at first.
     */
    private long takenCount;
    private long acknowledged;
    private long durable;
    /** Credit was granted and is not written yet. */
    private boolean isCreditGranted;
    /** An EVENT_CREDIT is not answered, and has this acknowledgement. */
    private boolean isCreditPending;
    private long pendingAck;

    Subscription(EventOptions options, long beganAt, long deadline, CompletableFuture<EventStream> acceptance) {
        this.options = options;
        this.beganAt = beganAt;
        this.deadline = deadline;
        this.acceptance = acceptance;
        start = options.start;
    }

    /** Returns true while the program waits for the server to accept the subscription. */
    boolean isAwaited() {
        return !isAccepted && !isClosing && state != State.ENDED;
    }

    // Subscribing

    /** Returns the SUBSCRIBE_EVENTS for a server of this epoch. */
    Request<?> subscribe(Connection on, UUID serverEpoch) {
        if (epoch != null && !epoch.equals(serverEpoch)) {
            forgetHistory(serverEpoch);
        }
        epoch = serverEpoch;
        state = State.SUBSCRIBING;
        connection = on;
        receivedCount = 0;
        takenCount = -queue.size();
        grantedCount = nextCredit();
        isCreditPending = false;
        isCreditGranted = false;
        return Requests.subscribeEvents(options.name, from(), options.apps, options.kinds, grantedCount);
    }

    /** Another history: numbers mean nothing any more (EVT-8). */
    private void forgetHistory(UUID serverEpoch) {
        hasPosition = false;
        position = 0;
        acknowledged = 0;
        durable = 0;
        returned = 0;
        if (start != null && start != EventOptions.FROM_NOW && start != EventOptions.FROM_OLDEST) {
            start = null;
        }
        queue.add(new StreamElement.NewHistory(serverEpoch));
    }

    /** Returns {@code from}: the position, or what the program has asked for (EVT-2, EVT-7). */
    private long from() {
        if (hasPosition) {
            return position == 0 ? EventOptions.FROM_OLDEST : position;
        }
        if (start != null) {
            return start;
        }
        return options.name.isEmpty() ? EventOptions.FROM_NOW : 0;
    }

    /** SUBSCRIBE_EVENTS was answered. */
    void subscribeAnswered(long after) {
        state = State.SUBSCRIBED;
        isAccepted = true;
        failures = 0;
        position = hasPosition ? Unsigned.max(position, after) : after;
        hasPosition = true;
        grant();
    }

    /** The subscription has ended, but not the stream: it subscribes again at that time, on any connection. */
    void subscriptionEnded(long retryAt) {
        if (state == State.SUBSCRIBING || state == State.SUBSCRIBED) {
            state = State.WAITING;
            connection = null;
            notBefore = retryAt;
        }
    }

    // Events

    /** Receives an event; false if the server had no credit for it (EVT-4). */
    boolean receive(StreamElement element) {
        if (++receivedCount > grantedCount) {
            return false;
        }
        boolean isGap = element instanceof StreamElement.Gap;
        long sequence = isGap ? ((StreamElement.Gap) element).sequence() : ((StreamElement.Event) element).sequence();
        if (Unsigned.compare(sequence, position) <= 0) {
            takenCount++;
            grant();
            return true;
        }
        if (element instanceof StreamElement.Gap gap) {
            queue.add(new StreamElement.Gap(sequence, Unsigned.max(gap.missedFrom(), position + 1), gap.missedTo()));
        } else {
            queue.add(element);
        }
        position = sequence;
        return true;
    }

    boolean hasElement() {
        return !queue.isEmpty();
    }

    /** Returns the next element; only if there is one. */
    StreamElement take() {
        StreamElement element = queue.remove();
        takenCount++;
        if (element instanceof StreamElement.Event event) {
            returned = Unsigned.max(returned, event.sequence());
        } else if (element instanceof StreamElement.Gap gap) {
            returned = Unsigned.max(returned, gap.sequence());
        }
        grant();
        return element;
    }

    void dropElements() {
        queue.clear();
    }

    // Credit and acknowledgements

    private long nextCredit() {
        return Math.max(0, takenCount + options.window);
    }

    private boolean hasNewAck() {
        return Unsigned.compare(acknowledged, durable) > 0;
    }

    boolean isFlushed() {
        return !hasNewAck();
    }

    /** Grants credit when half of it is taken: sooner, each event would cost a request (EVT-3). One at a time. */
    private void grant() {
        boolean isSubscribed = (state == State.SUBSCRIBED || state == State.SUBSCRIBING) && !isClosing;
        if (isSubscribed && !isCreditPending && !isCreditGranted && grantedCount - takenCount <= options.window / 2) {
            grantedCount = nextCredit();
            isCreditGranted = true;
        }
    }

    /** Returns true if an EVENT_CREDIT is due (EVT-3, EVT-5). */
    boolean isCreditDue() {
        return state == State.SUBSCRIBED && !isCreditPending && (hasNewAck() || isCreditGranted && !isClosing);
    }

    boolean isCreditPending() {
        return isCreditPending;
    }

    /** Returns the EVENT_CREDIT that is due. */
    Request<?> credit() {
        isCreditGranted = false;
        isCreditPending = true;
        pendingAck = hasNewAck() ? acknowledged : 0;
        return Requests.eventCredit(id, grantedCount, pendingAck);
    }

    /** EVENT_CREDIT was answered. */
    void creditAnswered() {
        isCreditPending = false;
        failures = 0;
        durable = Unsigned.max(durable, pendingAck);
        grant();
    }

    /** EVENT_CREDIT was refused for a time: it is sent again. */
    void creditRefused(long retryAt) {
        isCreditPending = false;
        isCreditGranted = true;
        notBefore = retryAt;
    }

    /** Everything up to the number is processed (EVT-5). */
    void acknowledge(long sequence) {
        if (Unsigned.compare(sequence, returned) > 0) {
            throw CarillonException.invalid("sequence", Unsigned.toString(sequence) + " was not returned");
        }
        if (!options.name.isEmpty()) {
            acknowledged = Unsigned.max(acknowledged, sequence);
        }
    }
}
