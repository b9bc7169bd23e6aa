package carillon.client;

import java.util.List;
import java.util.Optional;

/**
 * A page of the groups and topics of a device.
 *
 * @param deviceId the id of the device
 * @param muted a sum: 1 the device itself is muted, 2 a group of it is
 * @param groups all its groups
 * @param topics its topics of this page
 * @param next {@code after} of the next page; empty = this was the last
 */
public record Memberships(
    long deviceId, int muted, List<GroupMembership> groups, List<TopicMembership> topics, Optional<String> next) {
}
