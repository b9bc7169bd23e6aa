package carillon.client;

import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A position in the log of a cluster (§6.5). A node that has applied the log up to it has every change that was
 * answered before it. Pass it to another process as text: {@link #toString} and {@link #parse}.
 *
 * @param cluster names the cluster: a position of one means nothing in another
 * @param number the number of the entry, unsigned
 */
public record ClusterPosition(UUID cluster, long number) {
    private static final Pattern TEXT = Pattern.compile("([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):([0-9]{1,20})");

    /**
     * Reads the text of a position.
     *
     * @param text what {@link #toString} has given
     * @return the position
     * @throws CarillonException INVALID_ARGUMENT if the text is none
     */
    public static ClusterPosition parse(String text) {
        Matcher parts = TEXT.matcher(text == null ? "" : text);
        try {
            if (parts.matches()) {
                return new ClusterPosition(UUID.fromString(parts.group(1)), Long.parseUnsignedLong(parts.group(2)));
            }
        } catch (NumberFormatException tooLarge) {
            throw CarillonException.invalid("position", "has a number above 2^64");
        }
        throw CarillonException.invalid("position", "is not a text of a position");
    }

    /** Returns true if it is greater than what was seen, or of another cluster; `seen` can be null (POS-2). */
    boolean isNewerThan(ClusterPosition seen) {
        return seen == null || !seen.cluster.equals(cluster) || Long.compareUnsigned(seen.number, number) < 0;
    }

    @Override
    public String toString() {
        return cluster + ":" + Long.toUnsignedString(number);
    }
}
