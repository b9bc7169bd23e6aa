package carillon.client;

import java.util.Optional;

/**
 * A topic that a device has, and from where.
 *
 * @param topic the topic
 * @param source the group through which the device has it; empty if it is of the device itself
 */
public record TopicMembership(String topic, Optional<String> source) {
}
