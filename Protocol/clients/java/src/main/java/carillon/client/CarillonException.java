package carillon.client;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * Why a call failed. {@link #code} and {@link #number} say what is wrong, {@link #effect} whether the call took effect,
 * {@link #retryAfter} when it may be tried again.
 *
 * <p>A future fails with it: {@code join()} wraps it in a {@code CompletionException}, the blocking methods throw it.
 * On a thread of the client a blocking method makes no call, but throws an {@code IllegalStateException}. A
 * {@code CarillonException} never contains a key, a payload or a whole token.
 */
public final class CarillonException extends RuntimeException {
    private static final long serialVersionUID = 1;
    /** What is wrong. */
    private final Failure failure;
    /** The idempotency key; null if there was none. */
    private final UUID key;
    /** How many requests were written. */
    private final int attempts;
    /** True if the same call can be made again without doing it twice. */
    private final boolean isSafeToRetry;

    CarillonException(Failure failure, UUID key, int attempts, boolean isSafeToRetry) {
        super(failure.codeName() + ", " + failure.effect() + ": " + failure.message(), failure.cause());
        this.failure = failure;
        this.key = key;
        this.attempts = attempts;
        this.isSafeToRetry = isSafeToRetry;
    }

    CarillonException(Failure failure) {
        this(failure, null, 0, failure.effect() == Effect.NOT_EXECUTED);
    }

    static CarillonException invalid(String field, String message) {
        return new CarillonException(Failure.invalid(field, message));
    }

    /** Returns the same error with the stack of the calling thread, for the blocking methods. */
    CarillonException here() {
        return new CarillonException(failure, key, attempts, isSafeToRetry);
    }

    Failure failure() {
        return failure;
    }

    /**
     * Returns the code.
     *
     * @return {@link Code#UNKNOWN} for a number that this version does not know
     */
    public Code code() {
        return failure.code();
    }

    /**
     * Returns the number of the protocol.
     *
     * @return 0 for the client's own codes without one
     */
    public int number() {
        return Math.max(0, failure.number());
    }

    /**
     * Returns the name of the code.
     *
     * @return such as {@code NOT_FOUND}; {@code UNKNOWN_4711} for a number without a name
     */
    public String codeName() {
        return failure.codeName();
    }

    /**
     * Returns whether the call took effect, over all its attempts.
     *
     * @return the worst effect of its attempts
     */
    public Effect effect() {
        return failure.effect();
    }

    /**
     * Returns what the error concerns.
     *
     * @return the request or the connection
     */
    public Scope scope() {
        return failure.scope();
    }

    /**
     * Returns when the same call may be made again.
     *
     * @return a pause; empty if the call will fail again
     */
    public Optional<Duration> retryAfter() {
        return failure.isFinal() ? Optional.empty() : Optional.of(Duration.ofMillis(failure.retryAfterMs()));
    }

    /**
     * Returns the name of the field at fault.
     *
     * @return a name of the protocol, an option or a path in a payload; empty if the error has none
     */
    public Optional<String> field() {
        return Optional.ofNullable(failure.field());
    }

    /**
     * Returns the index of the item of the list {@link #field} that is at fault.
     *
     * @return from 0; empty if the error has none
     */
    public OptionalLong item() {
        return optional(failure.item());
    }

    /**
     * Returns the limit that was exceeded.
     *
     * @return the limit, unsigned; empty if the error has none
     */
    public OptionalLong limit() {
        return optional(failure.limit());
    }

    /**
     * Returns where the fault of a condition is.
     *
     * @return in bytes, the first is 1; empty if the error has none
     */
    public OptionalLong column() {
        return optional(failure.column());
    }

    /**
     * Returns the reason that APNs gave to a request about broadcast channels, or the server's own word for an end
     * without an answer of APNs.
     *
     * @return the reason; empty if APNs was not asked
     */
    public Optional<String> reason() {
        return Optional.ofNullable(failure.reason());
    }

    private static OptionalLong optional(Long value) {
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }

    /**
     * Returns the idempotency key of a SEND or RESEND: give it to {@link Message#key} to repeat the call.
     *
     * @return the key; empty if there was none
     */
    public Optional<UUID> key() {
        return Optional.ofNullable(key);
    }

    /**
     * Returns how many requests were written for the call.
     *
     * @return 0 if nothing has left the client
     */
    public int attempts() {
        return attempts;
    }

    /**
     * Returns why each address that was tried has failed.
     *
     * @return with CANNOT_CONNECT one text for each address, else none
     */
    public List<String> causes() {
        return failure.causes();
    }

    /**
     * Returns true if the call certainly had no effect.
     *
     * @return true for effect {@link Effect#NOT_EXECUTED}
     */
    public boolean isNotExecuted() {
        return failure.effect() == Effect.NOT_EXECUTED;
    }

    /**
     * Returns true if the same call, with {@link #key}, can be made again without doing it twice (CONTRACT.md, ERR-4).
     *
     * @return false if that could do it twice
     */
    public boolean isSafeToRetry() {
        return isSafeToRetry;
    }

    /**
     * Returns true if the same call can succeed later.
     *
     * @return false if {@link #retryAfter} is never
     */
    public boolean isTransient() {
        return !failure.isFinal();
    }
}
