package carillon.client;

import java.util.List;
import java.util.Optional;

/**
 * A page of the groups and topics of a device.
 *
 * @param deviceId the id of the device
 * @param muted why the device is muted, as bits; 0 if it is not
 * @param groups all its groups
 * @param topics its topics of this page
 * @param next {@code after} of the next page; empty after the last page
 */
public record Memberships(
    long deviceId, int muted, List<GroupMembership> groups, List<TopicMembership> topics, Optional<String> next) {
    private static final int ITSELF = 1;
    private static final int BY_GROUP = 2;

    /**
     * Returns whether the device itself is muted.
     *
     * @return true if it is
     */
    public boolean isMutedItself() {
        return (muted & ITSELF) != 0;
    }

    /**
     * Returns whether a group of the device is muted.
     *
     * @return true if one is
     */
    public boolean isMutedByGroup() {
        return (muted & BY_GROUP) != 0;
    }
}
