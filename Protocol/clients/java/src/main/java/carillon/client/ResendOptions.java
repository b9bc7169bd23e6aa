package carillon.client;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/** How a message is sent again (§10.7). */
public final class ResendOptions {
    /** As the time of {@link #notAfter}: no limit. */
    public static final Instant NO_LIMIT = Unsigned.instant(-1);
    List<Outcome> outcomes = List.of();
    UUID key;
    Instant notAfter;

    /** Makes options for every outcome that a second attempt can improve. */
    public ResendOptions() {
    }

    /**
     * Sets the outcomes whose devices get it again.
     *
     * @param values at least one
     * @return this
     */
    public ResendOptions outcomes(Collection<Outcome> values) {
        outcomes = ArgumentChecks.nonEmptyList("outcomes", values);
        return this;
    }

    /**
     * Sets the idempotency key; the client makes a random one without it.
     *
     * @param value the key, for example that of an error
     * @return this
     */
    public ResendOptions key(UUID value) {
        key = ArgumentChecks.value("key", value);
        return this;
    }

    /**
     * Sends without an idempotency key.
     *
     * @return this
     */
    public ResendOptions noKey() {
        key = Message.NO_KEY;
        return this;
    }

    /**
     * Sets the time after which no attempt starts; that of the old message without it.
     *
     * @param time the time, or {@link #NO_LIMIT}
     * @return this
     */
    public ResendOptions notAfter(Instant time) {
        notAfter = ArgumentChecks.value("not_after", time);
        return this;
    }
}
