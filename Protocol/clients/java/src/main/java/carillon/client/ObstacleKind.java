package carillon.client;

import java.util.Map;

/**
 * Why devices of a message wait for a pool (§10.2). A number that this version does not know is kept (CONTRACT.md,
 * TYP-3).
 *
 * @param number the number of the protocol
 */
public record ObstacleKind(int number) {
    /** There is no working connection, and the last attempt to connect has failed. */
    public static final ObstacleKind UNREACHABLE = new ObstacleKind(1);
    /** The credential is refused. */
    public static final ObstacleKind CREDENTIAL_REFUSED = new ObstacleKind(2);
    private static final Map<Integer, String> NAMES = Map.ofEntries(
        Map.entry(1, "unreachable"),
        Map.entry(2, "credential-refused"));

    /**
     * Returns the name of the protocol.
     *
     * @return the name, such as {@code unreachable}, or {@code unknown-} and the number
     */
    @Override
    public String toString() {
        return NAMES.getOrDefault(number, "unknown-" + number);
    }
}
