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
 * @param flags the state of the device now, as bits
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
    List<TraceSource> sources, List<String> mutedGroups, Optional<String> language, OptionalLong silentBudgetLeft,
    List<TraceAttempt> attempts, Optional<Instant> nextAttemptAt, List<String> uniqueIds) {
    private static final int QUARANTINED = 1;
    private static final int MUTED = 2;
    private static final int HAS_BODY = 4;

    /**
     * Returns whether the device is in quarantine now.
     *
     * @return true if it is
     */
    public boolean isQuarantined() {
        return (flags & QUARANTINED) != 0;
    }

    /**
     * Returns whether the device itself is muted now.
     *
     * @return true if it is
     */
    public boolean isMuted() {
        return (flags & MUTED) != 0;
    }

    /**
     * Returns whether a body of the message fits the language of the device.
     *
     * @return true if one fits
     */
    public boolean hasBody() {
        return (flags & HAS_BODY) != 0;
    }
}
