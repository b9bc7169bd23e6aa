package carillon.client;

import java.util.Map;

/**
 * The state of a message (§10.2). A number that this version does not know is kept (CONTRACT.md, TYP-3).
 *
 * @param number the number of the protocol
 */
public record MessageState(int number) {
    /** Nothing was attempted yet. */
    public static final MessageState WAITING = new MessageState(1);
    /** It is being sent. */
    public static final MessageState SENDING = new MessageState(2);
    /** Each device has its outcome. */
    public static final MessageState FINISHED = new MessageState(3);
    /** It waits for its time. */
    public static final MessageState SCHEDULED = new MessageState(4);
    /** It waits for a resume. */
    public static final MessageState PAUSED = new MessageState(5);
    private static final Map<Integer, String> NAMES = Map.ofEntries(
        Map.entry(1, "waiting"),
        Map.entry(2, "sending"),
        Map.entry(3, "finished"),
        Map.entry(4, "scheduled"),
        Map.entry(5, "paused"));

    /**
     * Returns the name of the protocol.
     *
     * @return the name, such as {@code paused}, or {@code unknown-} and the number
     */
    @Override
    public String toString() {
        return NAMES.getOrDefault(number, "unknown-" + number);
    }
}
