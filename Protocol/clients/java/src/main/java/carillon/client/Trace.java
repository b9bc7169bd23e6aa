package carillon.client;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Why a device did or did not get a message (§10.8).
 *
 * @param deviceId the id of the device
 * @param state the state of the message
 * @param addressing whether the device is a recipient
 * @param outcome how the delivery ended
 * @param flags a sum: 1 quarantined, 2 the device itself is muted, 4 a body fits its language
 * @param sources what puts the device into the audience
 * @param mutedGroups muted groups of the device
 * @param language the language of the body that fits
 * @param silentBudgetLeft how many more silent pushes the device may get now
 * @param attempts the remembered attempts, the oldest first
 * @param nextAttemptAt when the next attempt may start
 * @param uniqueIds what APNs calls each attempt, empty where it gave no id; an empty list if it gave none at all
 */
public record Trace(
    long deviceId, MessageState state, Addressing addressing, Outcome outcome, int flags,
    List<AudienceSource> sources, List<String> mutedGroups, Optional<String> language, OptionalLong silentBudgetLeft,
    List<Attempt> attempts, Optional<Instant> nextAttemptAt, List<String> uniqueIds) {
}
