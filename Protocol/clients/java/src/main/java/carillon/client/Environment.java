package carillon.client;

import java.util.Map;

/**
 * The environment of APNs in which a token is valid. A number that this version does not know is kept (CONTRACT.md,
 * TYP-3).
 *
 * @param number the number of the protocol
 */
public record Environment(int number) {
    /** Apps of the App Store and of TestFlight. */
    public static final Environment PRODUCTION = new Environment(1);
    /** Apps that a developer runs. */
    public static final Environment SANDBOX = new Environment(2);
    private static final Map<Integer, String> NAMES = Map.ofEntries(
        Map.entry(1, "production"),
        Map.entry(2, "sandbox"));

    /**
     * Returns the name of the protocol.
     *
     * @return the name, such as {@code sandbox}, or {@code unknown-} and the number
     */
    @Override
    public String toString() {
        return NAMES.getOrDefault(number, "unknown-" + number);
    }
}
