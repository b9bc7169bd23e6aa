package carillon.client;

/** Why a call failed: the codes of the protocol (§15) and those of the client (CONTRACT.md, ERR-2). */
public enum Code {
    /** Bytes that are not as the protocol says. */
    MALFORMED(1),
    /** A frame above the limit. */
    FRAME_TOO_LARGE(2),
    /** A version or a layout that the server does not speak. */
    UNSUPPORTED_VERSION(3),
    /** A request that the server does not serve. */
    UNSUPPORTED_OPCODE(4),
    /** An odd tag that the server does not know. */
    UNSUPPORTED_FIELD(5),
    /** A request out of its phase. */
    WRONG_PHASE(6),
    /** An id that is 0, repeated or smaller. */
    BAD_REQUEST_ID(7),
    /** The credential is not accepted, or none is configured. */
    AUTHENTICATION_FAILED(8),
    /** The principal lacks the role for this app. */
    FORBIDDEN(9),
    /** There is no such thing. */
    NOT_FOUND(10),
    /** An argument is not allowed; also one that the client refuses. */
    INVALID_ARGUMENT(11),
    /** Something newer is stored. */
    STALE(12),
    /** The idempotency key was used with another message. */
    IDEMPOTENCY_CONFLICT(13),
    /** A payload above the limit of its push type. */
    TOO_LARGE(14),
    /** The principal's rate limit is reached. */
    RATE_LIMITED(15),
    /** A queue is full, of the server or of this client. */
    OVERLOADED(16),
    /** The disk is nearly full. */
    STORAGE_FULL(17),
    /** The disk failed. */
    STORAGE_FAILED(18),
    /** The deadline passed before the server began. */
    DEADLINE(19),
    /** The server is stopping. */
    DRAINING(20),
    /** PINGs came too often. */
    TOO_MANY_PINGS(21),
    /** The connection has caused too many errors. */
    TOO_MANY_ERRORS(22),
    /** A handshake, a silence or a frame took too long. */
    TIMEOUT(23),
    /** A fault of the server. */
    INTERNAL(24),
    /** The server has no room for a connection. */
    TOO_MANY_CONNECTIONS(25),
    /** APNs refuses the request; {@link CarillonException#reason} is its word. */
    APNS_REFUSED(26),
    /** APNs gave no answer, or one that says to ask again later. */
    APNS_UNAVAILABLE(27),
    /** This node of a cluster may be behind the others: another one may answer. */
    BEHIND(28),
    /** No connection was opened. */
    CANNOT_CONNECT(0),
    /** The connection ended before the answer. */
    CONNECTION_LOST(0),
    /** The deadline has passed. */
    NO_ANSWER(0),
    /** The program has cancelled the call. */
    CANCELLED(0),
    /** The client was closed. */
    CLOSED(0),
    /** TLS: the server's certificate was not accepted. */
    UNTRUSTED(0),
    /** A number that this version does not know; {@link CarillonException#number} has it. */
    UNKNOWN(-1);

    private static final Code[] NUMBERED = values();
    private final int number;

    Code(int number) {
        this.number = number;
    }

    /**
     * Returns the code of a number of the protocol.
     *
     * @param number the number of an error or of an item of a batch
     * @return the code; {@link #UNKNOWN} for a number that has none
     */
    public static Code of(int number) {
        return number >= 1 && number <= BEHIND.number ? NUMBERED[number - 1] : UNKNOWN;
    }

    /**
     * Returns the number of the protocol.
     *
     * @return 0 for a code of the client, -1 for {@link #UNKNOWN}
     */
    public int number() {
        return number;
    }
}
