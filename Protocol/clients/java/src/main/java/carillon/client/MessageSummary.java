package carillon.client;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A message, as MESSAGES lists it.
 *
 * @param messageId its id
 * @param state its state
 * @param acceptedAt when it was accepted
 * @param pushType its push type
 * @param lane its lane
 * @param total devices addressed
 * @param ended of these, how many have an outcome
 * @param delivered devices with the outcome delivered; empty if the server does not say it
 * @param failed devices with another outcome; empty if the server does not say it
 * @param label its label
 * @param sender the principal that sent it, if it is known
 */
public record MessageSummary(
    long messageId, MessageState state, Instant acceptedAt, PushType pushType, Lane lane, long total, long ended,
    OptionalLong delivered, OptionalLong failed, Optional<String> label, Optional<String> sender) {
}
