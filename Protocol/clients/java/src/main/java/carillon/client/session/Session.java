package carillon.client.session;

import carillon.client.codec.ErrorFrame;
import carillon.client.codec.Frames;
import carillon.client.codec.MalformedException;
import carillon.client.codec.Operation;
import carillon.client.codec.Reader;
import carillon.client.codec.Request;
import carillon.client.codec.Request.Repetition;
import carillon.client.codec.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * One connection without a socket and without a clock: prefaces, HELLO, AUTH, ids, answers, PING (CONTRACT.md, CON,
 * PIP). It is not safe for threads. Times are nanoseconds of one monotonic clock.
 *
 * @param <E> what a request is for its owner
 */
public final class Session<E extends OutstandingRequest> {
    /** Bytes of one write, unless one request is longer (CONTRACT.md, PIP-3). */
    public static final int MAXIMUM_WRITE_BYTES = 1 << 16;
    /**
     * The bound of what waits to be written before requests: a server that sends PINGs and reads no answers reaches it.
     */
    private static final int MAXIMUM_URGENT_BYTES = 1 << 16;
    private static final long NANOS_PER_MS = 1_000_000;

    /** What a session tells its owner. */
    public interface Handler<E> {
        /** Requests may be written now. */
        void opened();

        /** A request was answered; the payload must be read before this returns. */
        void answered(E ownerRequest, Reader payload);

        /** A request was refused. */
        void refused(E ownerRequest, ErrorFrame error);

        /** An event has come; the payload must be read before this returns, if the subscription is known. */
        void event(long subscription, Reader payload);

        /** A GOAWAY has come. */
        void goingAway(GoAway goaway);

        /** The node of a cluster has said how far it is (POS-2). */
        void position(UUID cluster, long position);

        /** The PING of the client was answered. */
        void pong();
    }

    private enum Phase { PREFACE, HELLO, AUTH, OPEN, CLOSED }

    /** What the session needs of the options. */
    public record Settings(
        String software, int maximumReceiveBytes, int maximumInFlight, long probeAfter, long pingTimeout) {
    }

    private final Settings settings;
    private final byte[] key;
    private final OutstandingRequests outstanding = new OutstandingRequests();
    private final Writer urgent = new Writer();
    private Phase phase = Phase.PREFACE;
    private boolean isVersionRefused;
    private boolean isDraining;
    private boolean hasWorked;
    private Hello hello;
    private Principal principal;
    private int inFlightLimit;
    private int abandonedCount;
    private long lastId;
    private final ReceiveBuffer input = new ReceiveBuffer();
    private int prefaceBytes;
    private long receivedAt;
    private boolean isPinging;
    private long pingData;
    private long pingAt = Long.MIN_VALUE;
    /** Since when requests that are not waited for occupy all room: the server answers only PINGs (PIP-5). */
    private long stuckSince = Long.MAX_VALUE;

    /** Makes the session of a new connection; the key is null if there is none. */
    public Session(Settings settings, byte[] key, long now) {
        this.settings = settings;
        this.key = key;
        receivedAt = now;
        Frames.preface(urgent);
        Writer out = new Writer();
        out.str("software", settings.software);
        out.u32("receive_limit", settings.maximumReceiveBytes);
        handshake(new Request<>(Operation.HELLO, out, Repetition.NEVER, null, Hello::read));
    }

    private void handshake(Request<?> request) {
        Frames.request(urgent, request, ++lastId, -1);
    }

    /** Returns true if requests may be written and answered. */
    public boolean isOpen() {
        return phase == Phase.OPEN;
    }

    /** Returns true if an answer other than those of the handshake, an event or an ACK has come (CON-15). */
    public boolean hasWorked() {
        return hasWorked;
    }

    /** Returns true if the server speaks no version of this client (CON-3). */
    public boolean isVersionRefused() {
        return isVersionRefused;
    }

    /** Returns the answer to HELLO. */
    public Hello hello() {
        return hello;
    }

    /** Returns the answer to AUTH; null if a certificate has opened the connection. */
    public Principal principal() {
        return principal;
    }

    /** Lets no new request go out: the server is going to close the connection (GO-1). */
    public void drain() {
        isDraining = true;
    }

    /** Returns true if no answer is waited for. */
    public boolean isIdle() {
        return outstanding.size() == abandonedCount;
    }

    /** Ends the session: what comes later is not read. */
    public void close() {
        phase = Phase.CLOSED;
    }

    // Writing

    /** Returns true if a request may be written now: fewer are outstanding than server and program allow (PIP-4). */
    public boolean hasRoom() {
        return phase == Phase.OPEN && !isDraining && outstanding.size() < inFlightLimit;
    }

    /** Returns how many requests may be written now. */
    public int freeRoom() {
        return hasRoom() ? inFlightLimit - outstanding.size() : 0;
    }

    /** Returns true if there is something to write besides requests. */
    public boolean hasUrgent() {
        return urgent.size() > 0;
    }

    /** Writes what goes before all requests: the handshake, PINGs and answers to them (CON-11). */
    public void writeUrgent(Writer out) {
        out.raw(urgent.array(), 0, urgent.size());
        urgent.clear();
    }

    /** Returns the cluster of the server; null if it belongs to none, and before the connection is open (POS-1). */
    public UUID cluster() {
        return phase == Phase.OPEN ? hello.cluster() : null;
    }

    /** Lets the requests that follow see what this client has seen at another node (POS-3). */
    public void sendPosition(long position) {
        Frames.position(urgent, position);
    }

    /** Writes a request and returns its id. */
    public long write(Writer out, Request<?> request, E ownerRequest, long deadlineMs, long now) {
        long id = ++lastId;
        Frames.request(out, request, id, deadlineMs);
        outstanding.add(ownerRequest, id, request.operation().opcode(), now);
        return id;
    }

    /**
     * The answer is not waited for any more. The request keeps its room until the answer comes, because the server
     * still counts it (PIP-5).
     */
    public void abandon(E ownerRequest, long now) {
        ownerRequest.isAbandoned = true;
        abandonedCount++;
        if (abandonedCount >= inFlightLimit && stuckSince == Long.MAX_VALUE) {
            stuckSince = now;
        }
    }

    /** Removes the requests above an id, and returns those that are waited for, ascending (GO-3). */
    public List<E> takeAbove(long lastId) {
        List<E> above = new ArrayList<>();
        for (OutstandingRequest request = outstanding.oldest(); request != null;) {
            OutstandingRequest next = request.newer;
            if (Long.compareUnsigned(request.id, lastId) > 0) {
                outstanding.remove(request);
                if (request.isAbandoned) {
                    abandonedCount--;
                } else {
                    above.add(ofOwner(request));
                }
            }
            request = next;
        }
        return above;
    }

    // Time

    /** Returns when {@link #tick} has something to do. */
    public long nextTick() {
        if (phase != Phase.OPEN) {
            return Long.MAX_VALUE;
        }
        long next = stuckSince == Long.MAX_VALUE ? Long.MAX_VALUE : stuckSince + settings.pingTimeout;
        return Math.min(next, isPinging ? pingAt + settings.pingTimeout : pingDueAt());
    }

    private long pingDueAt() {
        long interval = hello.pingIntervalMs() * NANOS_PER_MS;
        long due = hello.keepaliveMs() == 0 ? Long.MAX_VALUE
            : receivedAt + Math.max(hello.keepaliveMs() * NANOS_PER_MS, interval);
        if (outstanding.size() > 0) {
            due = Math.min(due, Math.max(receivedAt, outstanding.oldest().writtenAt) + settings.probeAfter);
        }
        return pingAt == Long.MIN_VALUE || due == Long.MAX_VALUE ? due : Math.max(due, pingAt + interval);
    }

    /** Sends the PING that is due (CON-12), or finds that nothing has come since one: the server is dead (CON-13). */
    public void tick(long now) {
        if (phase != Phase.OPEN) {
            return;
        }
        if (stuckSince != Long.MAX_VALUE && now >= stuckSince + settings.pingTimeout) {
            throw close(SessionException.of(SessionException.Reason.SILENT, "the server answers no requests"));
        }
        if (isPinging && now >= pingAt + settings.pingTimeout) {
            if (receivedAt <= pingAt) {
                throw close(SessionException.of(SessionException.Reason.SILENT, "the server is silent"));
            }
            isPinging = false;
        }
        if (!isPinging && now >= pingDueAt()) {
            ping(now);
        }
    }

    /** Returns when a PING of the program may be sent; {@link Long#MAX_VALUE} while one is under way. */
    public long pingAllowedAt() {
        if (isPinging || phase != Phase.OPEN) {
            return Long.MAX_VALUE;
        }
        return pingAt == Long.MIN_VALUE ? 0 : pingAt + hello.pingIntervalMs() * NANOS_PER_MS;
    }

    /** Sends a PING. */
    public void ping(long now) {
        isPinging = true;
        pingAt = now;
        pingData = ThreadLocalRandom.current().nextLong();
        Frames.ping(urgent, pingData, false);
    }

    // Receiving

    /** Returns the array into which the socket reads. */
    public byte[] input() {
        return input.array();
    }

    /** Returns where in {@link #input} the next byte goes; there is room for one at least. */
    public int inputOffset() {
        return input.end();
    }

    /** Closes the session and returns why, to be thrown. */
    private SessionException close(SessionException reason) {
        phase = Phase.CLOSED;
        return reason;
    }

    /**
     * Reads bytes that were put into {@link #input}, in any division (CON-14).
     *
     * @throws SessionException if the connection must be closed
     */
    public void received(int count, long now, Handler<E> handler) {
        input.received(count);
        receivedAt = now;
        try {
            while (phase != Phase.CLOSED && readOne(handler)) {
                // A frame was read.
            }
        } catch (MalformedException error) {
            throw close(SessionException.of(SessionException.Reason.UNREADABLE,
                "the server has sent what cannot be read: " + error.getMessage()));
        }
        input.makeRoom(phase != Phase.PREFACE && input.left() >= Frames.HEADER);
    }

    /** Reads the preface or one frame; false if bytes are missing. */
    private boolean readOne(Handler<E> handler) {
        if (phase == Phase.PREFACE) {
            return readPreface();
        }
        if (input.left() < Frames.HEADER) {
            return false;
        }
        byte[] in = input.array();
        int at = input.start();
        Frames.check(in, at, settings.maximumReceiveBytes);
        int length = (int) Frames.length(in, at);
        if (input.left() - Frames.HEADER < length) {
            return false;
        }
        input.remove(Frames.HEADER + length);
        frame(in, at, new Reader(in, at + Frames.HEADER, length), handler);
        return true;
    }

    private boolean readPreface() {
        while (prefaceBytes < Frames.PREFACE && input.left() > 0) {
            byte value = input.next();
            if (!Frames.isPreface(prefaceBytes, value)) {
                throw new MalformedException("the peer does not speak the protocol of Carillon");
            }
            isVersionRefused |= prefaceBytes == 8 && value == 0;
            prefaceBytes++;
        }
        if (prefaceBytes < Frames.PREFACE) {
            return false;
        }
        phase = Phase.HELLO;
        return true;
    }

    /** Reads a whole frame whose header was checked. */
    private void frame(byte[] in, int at, Reader payload, Handler<E> handler) {
        int opcode = Frames.opcode(in, at);
        long id = Frames.id(in, at);
        boolean isLayout1 = (in[at + 5] & 0xF0) == 0;
        switch (in[at + 4]) {
            case Frames.ANSWER -> answer(opcode, id, isLayout1, payload, handler);
            case Frames.ERROR -> error(opcode, id, isLayout1, payload, handler);
            case Frames.EVENT -> {
                if (phase != Phase.OPEN) {
                    throw new MalformedException("an event out of its phase");
                }
                hasWorked = true;
                if (opcode == Operation.SUBSCRIBE_EVENTS.opcode() && isLayout1) {
                    handler.event(id, payload);
                }
            }
            default -> {
                if (isLayout1) {
                    control(opcode, (in[at + 5] & Frames.ACK) != 0, payload, handler);
                }
            }
        }
    }

    /** Reads an answer. One to a request that was given up only frees its room. */
    private void answer(int opcode, long id, boolean isLayout1, Reader payload, Handler<E> handler) {
        if (phase != Phase.OPEN) {
            handshakeAnswer(opcode, id, isLayout1, payload, handler);
            return;
        }
        hasWorked = true;
        OutstandingRequest request = outstanding.get(id);
        if (request == null) {
            return;
        }
        if (request.opcode != opcode || !isLayout1) {
            throw new MalformedException("the answer has another opcode than its request");
        }
        if (!request.isAbandoned) {
            handler.answered(ofOwner(request), payload);
        }
        completed(request);
    }

    @SuppressWarnings("unchecked") // only requests of the owner are added
    private E ofOwner(OutstandingRequest request) {
        return (E) request;
    }

    private void completed(OutstandingRequest request) {
        outstanding.remove(request);
        if (request.isAbandoned) {
            abandonedCount--;
            stuckSince = Long.MAX_VALUE;
        }
    }

    private void handshakeAnswer(int opcode, long id, boolean isLayout1, Reader payload, Handler<E> handler) {
        boolean isExpected = isLayout1 && !isVersionRefused && (phase == Phase.HELLO
            ? id == 1 && opcode == Operation.HELLO.opcode() : id == 2 && opcode == Operation.AUTH.opcode());
        if (!isExpected) {
            throw new MalformedException("an answer out of its phase");
        }
        if (phase == Phase.AUTH) {
            principal = Principal.read(payload);
        } else {
            hello = Hello.read(payload);
            inFlightLimit = (int) Math.min(Math.max(1, hello.inFlightLimit()), settings.maximumInFlight);
            if (!hello.isAuthenticated()) {
                authenticate();
                return;
            }
        }
        phase = Phase.OPEN;
        handler.opened();
    }

    private void authenticate() {
        if (key == null) {
            throw close(SessionException.of(SessionException.Reason.NO_KEY,
                "the server requires a key, and none is configured"));
        }
        phase = Phase.AUTH;
        Writer out = new Writer();
        out.u8("method", 1);
        out.bytes("credential", key);
        handshake(new Request<>(Operation.AUTH, out, Repetition.NEVER, null, Principal::read));
    }

    /** Reads an error: of the handshake, of the connection, or of a request. */
    private void error(int opcode, long id, boolean isLayout1, Reader payload, Handler<E> handler) {
        ErrorFrame error = ErrorFrame.read(payload);
        boolean isHandshake = phase != Phase.OPEN;
        OutstandingRequest request = isHandshake ? null : outstanding.get(id);
        if (!isLayout1 || request != null && !error.isOfConnection() && request.opcode != opcode) {
            throw new MalformedException("the error has another opcode than its request");
        }
        if (isHandshake || error.isOfConnection()) {
            throw close(SessionException.of(error, id));
        }
        if (id == 0) {
            throw new MalformedException("an error of scope request with id 0");
        }
        hasWorked = true;
        if (request != null) {
            completed(request);
            if (!request.isAbandoned) {
                handler.refused(ofOwner(request), error);
            }
        }
    }

    /** Reads a PING, its answer, a POSITION or a GOAWAY; others are ignored. */
    private void control(int opcode, boolean isAck, Reader payload, Handler<E> handler) {
        if (opcode == Frames.PING) {
            if (payload.left() != 8) {
                throw new MalformedException("a PING of " + payload.left() + " bytes");
            }
            ping(payload.u64(), isAck, handler);
        } else if (opcode == Frames.POSITION) {
            if (payload.left() != 8) {
                throw new MalformedException("a POSITION of " + payload.left() + " bytes");
            }
            long position = payload.u64();
            if (cluster() != null) {
                handler.position(cluster(), position);
            }
        } else if (opcode == Frames.GOAWAY) {
            GoAway goaway = GoAway.read(payload);
            if (phase != Phase.OPEN) {
                throw close(SessionException.of(goaway));
            }
            isDraining = true;
            handler.goingAway(goaway);
        }
    }

    private void ping(long data, boolean isAck, Handler<E> handler) {
        if (!isAck) {
            if (urgent.size() > MAXIMUM_URGENT_BYTES) {
                throw new MalformedException("more PINGs than their answers can be written");
            }
            Frames.ping(urgent, data, true);
        } else if (isPinging && data == pingData) {
            isPinging = false;
            hasWorked = true;
            handler.pong();
        }
    }
}
