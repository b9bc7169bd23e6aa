package carillon.client;

import java.util.Map;

/**
 * What an event reports (§16.6). A number that this version does not know is kept (CONTRACT.md, TYP-3).
 *
 * @param number the number of the protocol
 */
public record EventKind(int number) {
    /** Each device of a message has its outcome. */
    public static final EventKind MESSAGE_FINISHED = new EventKind(1);
    /** A device has an outcome other than delivered, or many have. */
    public static final EventKind DELIVERY_FAILED = new EventKind(2);
    /** A provider has declared a token dead. */
    public static final EventKind DEVICE_QUARANTINED = new EventKind(3);
    /** A device has another token. */
    public static final EventKind TOKEN_REPLACED = new EventKind(4);
    /** A device is in the other environment now. */
    public static final EventKind DEVICE_MOVED = new EventKind(5);
    /** A message was cancelled, paused, resumed or paced. */
    public static final EventKind MESSAGE_UPDATED = new EventKind(6);
    /** A connection to a provider works. */
    public static final EventKind CONNECTION_UP = new EventKind(7);
    /** A connection to a provider has ended. */
    public static final EventKind CONNECTION_DOWN = new EventKind(8);
    /** A provider has refused a credential. */
    public static final EventKind CREDENTIAL_REFUSED = new EventKind(9);
    /** A provider declares too many tokens bad. */
    public static final EventKind BAD_TOKENS_BEGAN = new EventKind(10);
    /** The state of {@link #BAD_TOKENS_BEGAN} is over. */
    public static final EventKind BAD_TOKENS_ENDED = new EventKind(11);
    /** A pool has had no connection to its provider for 10 seconds. */
    public static final EventKind POOL_UNREACHABLE = new EventKind(12);
    /** The state of {@link #POOL_UNREACHABLE} is over. */
    public static final EventKind POOL_REACHABLE = new EventKind(13);
    private static final Map<Integer, String> NAMES = Map.ofEntries(
        Map.entry(1, "message-finished"),
        Map.entry(2, "delivery-failed"),
        Map.entry(3, "device-quarantined"),
        Map.entry(4, "token-replaced"),
        Map.entry(5, "device-moved"),
        Map.entry(6, "message-updated"),
        Map.entry(7, "connection-up"),
        Map.entry(8, "connection-down"),
        Map.entry(9, "credential-refused"),
        Map.entry(10, "bad-tokens-began"),
        Map.entry(11, "bad-tokens-ended"),
        Map.entry(12, "pool-unreachable"),
        Map.entry(13, "pool-reachable"));

    /**
     * Returns the name of the protocol.
     *
     * @return the name, such as {@code pool-reachable}, or {@code unknown-} and the number
     */
    @Override
    public String toString() {
        return NAMES.getOrDefault(number, "unknown-" + number);
    }
}
