package carillon.client;

import java.util.Map;

/**
 * What a DELETE_CHANNEL did (§14.4). A number that this version does not know is kept (CONTRACT.md, TYP-3).
 *
 * @param number the number of the protocol
 */
public record DeleteChannelResult(int number) {
    /** The channel is gone. */
    public static final DeleteChannelResult DELETED = new DeleteChannelResult(1);
    /** There was none. */
    public static final DeleteChannelResult NO_SUCH_CHANNEL = new DeleteChannelResult(2);
    private static final Map<Integer, String> NAMES = Map.ofEntries(
        Map.entry(1, "deleted"),
        Map.entry(2, "no-such-channel"));

    /**
     * Returns the name of the protocol.
     *
     * @return the name, such as {@code deleted}, or {@code unknown-} and the number
     */
    @Override
    public String toString() {
        return NAMES.getOrDefault(number, "unknown-" + number);
    }
}
