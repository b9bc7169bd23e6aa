package carillon.client;

import java.util.Map;

/**
 * What a REGISTER did (§7.1). A number that this version does not know is kept (CONTRACT.md, TYP-3).
 *
 * @param number the number of the protocol
 */
public record RegisterResultKind(int number) {
    /** There is a new device. */
    public static final RegisterResultKind CREATED = new RegisterResultKind(1);
    /** The device was known. */
    public static final RegisterResultKind REFRESHED = new RegisterResultKind(2);
    /** The device has another token now. */
    public static final RegisterResultKind REPLACED = new RegisterResultKind(3);
    private static final Map<Integer, String> NAMES = Map.ofEntries(
        Map.entry(1, "created"),
        Map.entry(2, "refreshed"),
        Map.entry(3, "replaced"));

    /**
     * Returns the name of the protocol.
     *
     * @return the name, such as {@code replaced}, or {@code unknown-} and the number
     */
    @Override
    public String toString() {
        return NAMES.getOrDefault(number, "unknown-" + number);
    }
}
