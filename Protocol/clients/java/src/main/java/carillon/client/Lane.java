package carillon.client;

import java.util.Map;

/**
 * How urgent a message is. A number that this version does not know is kept (CONTRACT.md, TYP-3).
 *
 * @param number the number of the protocol
 */
public record Lane(int number) {
    /** It goes before all bulk messages. */
    public static final Lane INTERACTIVE = new Lane(1);
    /** It waits for interactive messages. */
    public static final Lane BULK = new Lane(2);
    private static final Map<Integer, String> NAMES = Map.ofEntries(
        Map.entry(1, "interactive"),
        Map.entry(2, "bulk"));

    /**
     * Returns the name of the protocol.
     *
     * @return the name, such as {@code bulk}, or {@code unknown-} and the number
     */
    @Override
    public String toString() {
        return NAMES.getOrDefault(number, "unknown-" + number);
    }
}
