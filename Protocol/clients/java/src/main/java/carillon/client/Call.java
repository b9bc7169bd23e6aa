package carillon.client;

import carillon.client.codec.Request;
import carillon.client.session.Hello;
import java.util.UUID;

/**
 * One use of a method, from its beginning to its one result, over all its attempts. Guarded by the lock of its client.
 */
final class Call<T> extends ConnectionRequest implements Runnable {
    /** The state of a call, as CONTRACT.md names it. */
    enum State { WAITING, WRITTEN, PAUSING, DONE }

    final CallDispatcher dispatcher;
    final Request<T> request;
    final CallFuture<T> future = new CallFuture<>(this::cancel);
    final long startedAt;
    final long deadline;
    final boolean isRepeated;
    State state = State.WAITING;
    Connection connection;
    /** The address of the last attempt; null if there was none. */
    Address address;
    int attempts;
    Failure lastFailure;
    long resumesAt;
    /** Members of a {@link CallList}. */
    CallList list;
    Call<?> before;
    Call<?> after;
    private Effect effect = Effect.NOT_EXECUTED;
    private long firstWrittenAt = -1;
    private UUID firstEpoch;
    private boolean isKeyForgotten;
    private T value;
    private CarillonException error;

    Call(CallDispatcher dispatcher, Request<T> request, long now, CallOptions options, long defaultTimeout) {
        this.dispatcher = dispatcher;
        this.request = request;
        startedAt = now;
        deadline = now + (options.timeout == null ? defaultTimeout : Options.nanos(options.timeout));
        isRepeated = options.isRepeated;
    }

    private void cancel() {
        dispatcher.cancel(this);
    }

    /** Returns the name of the operation. */
    String operation() {
        return request.operation().toString();
    }

    /** Records that the request was written on a connection. */
    void written(Connection on, long now) {
        state = State.WRITTEN;
        connection = on;
        address = on.target.address;
        attempts++;
        if (firstWrittenAt < 0) {
            firstWrittenAt = now;
            firstEpoch = on.session.hello().epoch();
        }
    }

    /** Returns the failure of a request that the limits of the server forbid; null if it may be written (CON-7). */
    Failure refusal(Hello hello) {
        if (!hello.serves(request.operation())) {
            return Failure.of(Code.UNSUPPORTED_OPCODE, "the server does not serve " + request.operation());
        }
        if (request.payloadSize() > hello.frameLimit()) {
            return Failure.of(Code.FRAME_TOO_LARGE, request.payloadSize() + " bytes").withLimit(hello.frameLimit());
        }
        return null;
    }

    /** Returns false if the server could have forgotten the key of an earlier attempt (CONTRACT.md, RET-4). */
    boolean isKeyRemembered(Connection on, long now) {
        if (request.key() == null || request.isReadOnly() || effect != Effect.UNKNOWN) {
            return true;
        }
        long window = on.session.hello().idempotencyWindowS() * 1_000_000_000L;
        isKeyForgotten = !on.session.hello().epoch().equals(firstEpoch) || now - firstWrittenAt >= window;
        return !isKeyForgotten;
    }

    /** Remembers why an attempt failed. */
    void failed(Failure failure) {
        lastFailure = failure;
        effect = effect.worse(failure.effect());
    }

    /**
     * Returns true if the request may be made again after this failure of an attempt: it had no effect, or a second
     * request does no harm (RET-1).
     */
    boolean mayRepeat(Failure failure) {
        if (!isRepeated || failure.isFinal()) {
            return false;
        }
        return failure.effect() == Effect.NOT_EXECUTED || failure.effect() == Effect.UNKNOWN && request.isRepeatable();
    }

    void succeed(T result) {
        state = State.DONE;
        value = result;
    }

    /** Ends the call with the worst effect of all its attempts: an earlier one may have taken effect (ERR-3). */
    void fail(Failure failure) {
        state = State.DONE;
        Effect worst = request.isReadOnly() ? Effect.NOT_EXECUTED : effect.worse(failure.effect());
        boolean isSafeToRetry = worst == Effect.NOT_EXECUTED
            || worst == Effect.UNKNOWN && request.isRepeatable() && !isKeyForgotten;
        error = new CarillonException(failure.with(worst), request.key(), attempts, isSafeToRetry);
    }

    /** Gives the program the result; outside of the lock. */
    @Override
    public void run() {
        dispatcher.observer.callEnded(this, error);
        if (error == null) {
            future.complete(value);
        } else {
            future.completeExceptionally(error);
        }
    }
}
