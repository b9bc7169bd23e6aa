package carillon.client;

import java.util.Map;

/**
 * What a FORGET_SUBSCRIBER did (§11.5). A number that this version does not know is kept (CONTRACT.md, TYP-3).
 *
 * @param number the number of the protocol
 */
public record ForgetResult(int number) {
    /** The name is gone. */
    public static final ForgetResult FORGOTTEN = new ForgetResult(1);
    /** There was none. */
    public static final ForgetResult NO_SUCH_NAME = new ForgetResult(2);
    private static final Map<Integer, String> NAMES = Map.ofEntries(
        Map.entry(1, "forgotten"),
        Map.entry(2, "no-such-name"));

    /**
     * Returns the name of the protocol.
     *
     * @return the name, such as {@code no-such-name}, or {@code unknown-} and the number
     */
    @Override
    public String toString() {
        return NAMES.getOrDefault(number, "unknown-" + number);
    }
}
