package carillon.client;

import java.util.Map;

/**
 * What APNs stores of the messages of a broadcast channel. A number that this version does not know is kept
 * (CONTRACT.md, TYP-3).
 *
 * @param number the number of the protocol
 */
public record StoragePolicy(int number) {
    /** No message: only devices that are connected get one. */
    public static final StoragePolicy NONE = new StoragePolicy(1);
    /** The most recent message, for 8 hours at most. */
    public static final StoragePolicy MOST_RECENT = new StoragePolicy(2);
    private static final Map<Integer, String> NAMES = Map.ofEntries(
        Map.entry(1, "none"),
        Map.entry(2, "most-recent"));

    /**
     * Returns the name of the protocol.
     *
     * @return the name, such as {@code most-recent}, or {@code unknown-} and the number
     */
    @Override
    public String toString() {
        return NAMES.getOrDefault(number, "unknown-" + number);
    }
}
