package carillon.client;

import java.util.Map;

/**
 * What an UNREGISTER did (§7.3). A number that this version does not know is kept (CONTRACT.md, TYP-3).
 *
 * @param number the number of the protocol
 */
public record UnregisterResultKind(int number) {
    /** The device is gone. */
    public static final UnregisterResultKind REMOVED = new UnregisterResultKind(1);
    /** There was none. */
    public static final UnregisterResultKind NOT_REGISTERED = new UnregisterResultKind(2);
    private static final Map<Integer, String> NAMES = Map.ofEntries(
        Map.entry(1, "removed"),
        Map.entry(2, "not-registered"));

    /**
     * Returns the name of the protocol.
     *
     * @return the name, such as {@code not-registered}, or {@code unknown-} and the number
     */
    @Override
    public String toString() {
        return NAMES.getOrDefault(number, "unknown-" + number);
    }
}
