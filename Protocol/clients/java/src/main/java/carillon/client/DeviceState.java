package carillon.client;

import java.util.Map;

/**
 * The state of a device (§7.4). A number that this version does not know is kept (CONTRACT.md, TYP-3).
 *
 * @param number the number of the protocol
 */
public record DeviceState(int number) {
    /** It gets pushes. */
    public static final DeviceState ACTIVE = new DeviceState(1);
    /** The provider has declared its token dead. */
    public static final DeviceState QUARANTINED = new DeviceState(2);
    private static final Map<Integer, String> NAMES = Map.ofEntries(
        Map.entry(1, "active"),
        Map.entry(2, "quarantined"));

    /**
     * Returns the name of the protocol.
     *
     * @return the name, such as {@code quarantined}, or {@code unknown-} and the number
     */
    @Override
    public String toString() {
        return NAMES.getOrDefault(number, "unknown-" + number);
    }
}
