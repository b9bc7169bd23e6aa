package carillon.client;

import java.util.Map;

/**
 * Whether a device is a recipient of a message (§10.8). A number that this version does not know is kept (CONTRACT.md,
 * TYP-3).
 *
 * @param number the number of the protocol
 */
public record Addressing(int number) {
    /** It is. */
    public static final Addressing RECIPIENT = new Addressing(1);
    /** It is not, and will not become one. */
    public static final Addressing NO_RECIPIENT = new Addressing(2);
    /** Its page is not fixed yet; it would be one now. */
    public static final Addressing WOULD_BE_RECIPIENT = new Addressing(3);
    /** Its page is not fixed yet; it would be none now. */
    public static final Addressing WOULD_BE_NO_RECIPIENT = new Addressing(4);
    private static final Map<Integer, String> NAMES = Map.ofEntries(
        Map.entry(1, "recipient"),
        Map.entry(2, "no-recipient"),
        Map.entry(3, "would-be-recipient"),
        Map.entry(4, "would-be-no-recipient"));

    /**
     * Returns the name of the protocol.
     *
     * @return the name, such as {@code would-be-no-recipient}, or {@code unknown-} and the number
     */
    @Override
    public String toString() {
        return NAMES.getOrDefault(number, "unknown-" + number);
    }
}
