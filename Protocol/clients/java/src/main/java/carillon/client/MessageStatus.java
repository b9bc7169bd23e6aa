package carillon.client;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The state of a message (§10.2).
 *
 * @param state its state
 * @param acceptedAt when it was accepted
 * @param finishedAt when it was finished
 * @param total devices addressed
 * @param outcomes devices by outcome, ascending; the sum is {@code total}
 * @param sendAt when it is or was scheduled
 * @param pace deliveries a second at most
 * @param rate devices that ended in the last second, about
 * @param remaining the time until it ends at this rate
 * @param received devices that have received it
 * @param opened devices on which it was opened
 * @param audience the audience as a condition
 * @param label its label
 * @param sender the principal that sent it
 * @param obstacles why devices wait
 * @param traceparent the distributed trace that it belongs to
 */
public record MessageStatus(
    MessageState state, Instant acceptedAt, Optional<Instant> finishedAt, long total, Map<Outcome, Long> outcomes,
    Optional<Instant> sendAt, OptionalLong pace, OptionalLong rate, Optional<Duration> remaining, long received,
    long opened, Optional<String> audience, Optional<String> label, Optional<String> sender,
    List<Obstacle> obstacles, Optional<String> traceparent) {
}
