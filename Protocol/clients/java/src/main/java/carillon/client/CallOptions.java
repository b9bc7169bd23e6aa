package carillon.client;

import java.time.Duration;

/** Options of calls: {@code client.with(CallOptions.timeout(…))}. Immutable. */
public final class CallOptions {
    /** The deadline of the client, with retries. */
    public static final CallOptions DEFAULT = new CallOptions(null, true);
    final Duration timeout;
    final boolean isRepeated;

    private CallOptions(Duration timeout, boolean isRepeated) {
        this.timeout = timeout;
        this.isRepeated = isRepeated;
    }

    /**
     * Sets the deadline, which bounds a whole call: waiting, connecting, all attempts and pauses.
     *
     * @param timeout more than 0
     * @return options with this deadline
     * @throws CarillonException INVALID_ARGUMENT if it is not above 0
     */
    public static CallOptions timeout(Duration timeout) {
        return new CallOptions(Options.positive("timeout", timeout), true);
    }

    /**
     * Switches repeating off: a call has one attempt at most.
     *
     * @return options with the same deadline
     */
    public CallOptions withoutRetries() {
        return new CallOptions(timeout, false);
    }
}
