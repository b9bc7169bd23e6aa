package carillon.client;

/**
 * A group and its size.
 *
 * @param group the group
 * @param devices how many devices it has
 * @param muted true if it is muted
 */
public record GroupSummary(String group, long devices, boolean muted) {
}
