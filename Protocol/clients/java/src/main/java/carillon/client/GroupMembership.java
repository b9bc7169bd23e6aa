package carillon.client;

/**
 * A group that a device is in.
 *
 * @param group the group
 * @param muted true if the group is muted
 */
public record GroupMembership(String group, boolean muted) {
}
