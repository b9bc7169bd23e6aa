package carillon.client;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/** What a stream of events returns (CONTRACT.md, EVT-1). */
public sealed interface StreamElement {
    /**
     * An event.
     *
     * @param sequence its number, for {@link EventStream#acknowledge}
     * @param at when it happened
     * @param kind what happened
     * @param app the app that it concerns
     * @param messageId the message
     * @param deviceId the device
     * @param outcome the outcome
     * @param count how many devices
     * @param text a detail whose meaning depends on the kind (§16.6); never a secret or a whole token
     * @param traceparent the distributed trace of the message
     */
    record Event(long sequence, Instant at, EventKind kind, Optional<String> app, OptionalLong messageId,
        OptionalLong deviceId, Optional<Outcome> outcome, OptionalLong count,
        Optional<String> text, Optional<String> traceparent) implements StreamElement {
    }

    /**
     * Events that were removed before they could be sent.
     *
     * @param sequence the last number that is missed, for {@link EventStream#acknowledge}
     * @param missedFrom the first number that is missed
     * @param missedTo the first number that is not missed
     */
    record Gap(long sequence, long missedFrom, long missedTo) implements StreamElement {
    }

    /**
     * The server has another history: numbers of before mean nothing any more.
     *
     * @param epoch the new epoch
     */
    record NewHistory(UUID epoch) implements StreamElement {
    }
}
