package carillon.client;

import java.util.Map;

/**
 * What puts a device into an audience (§10.8). A number that this version does not know is kept (CONTRACT.md, TYP-3).
 *
 * @param number the number of the protocol
 */
public record SourceKind(int number) {
    /** The message names the device. */
    public static final SourceKind DEVICE = new SourceKind(1);
    /** A group of the audience. */
    public static final SourceKind GROUP = new SourceKind(2);
    /** The topic of the audience. */
    public static final SourceKind TOPIC = new SourceKind(3);
    /** A term of the condition. */
    public static final SourceKind TERM = new SourceKind(4);
    /** Every device of the app is addressed. */
    public static final SourceKind ALL = new SourceKind(5);
    private static final Map<Integer, String> NAMES = Map.ofEntries(
        Map.entry(1, "device"),
        Map.entry(2, "group"),
        Map.entry(3, "topic"),
        Map.entry(4, "term"),
        Map.entry(5, "all"));

    /**
     * Returns the name of the protocol.
     *
     * @return the name, such as {@code all}, or {@code unknown-} and the number
     */
    @Override
    public String toString() {
        return NAMES.getOrDefault(number, "unknown-" + number);
    }
}
