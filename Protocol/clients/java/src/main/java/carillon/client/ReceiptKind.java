package carillon.client;

import java.util.Map;

/**
 * What an app reports about a push (§12). A number that this version does not know is kept (CONTRACT.md, TYP-3).
 *
 * @param number the number of the protocol
 */
public record ReceiptKind(int number) {
    /** The app has received it. */
    public static final ReceiptKind RECEIVED = new ReceiptKind(1);
    /** The user has opened it. */
    public static final ReceiptKind OPENED = new ReceiptKind(2);
    private static final Map<Integer, String> NAMES = Map.ofEntries(
        Map.entry(1, "received"),
        Map.entry(2, "opened"));

    /**
     * Returns the name of the protocol.
     *
     * @return the name, such as {@code opened}, or {@code unknown-} and the number
     */
    @Override
    public String toString() {
        return NAMES.getOrDefault(number, "unknown-" + number);
    }
}
