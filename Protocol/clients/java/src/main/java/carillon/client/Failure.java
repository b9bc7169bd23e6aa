package carillon.client;

import carillon.client.codec.ErrorFrame;
import carillon.client.codec.Frames;
import carillon.client.session.Fault;
import carillon.client.session.Goaway;
import java.util.List;

/**
 * Why an attempt or a call failed, without a stack. {@code retryAfterMs} is negative for never; {@code item},
 * {@code limit}, {@code column} and {@code reason} are null if the error does not have them.
 */
record Failure(Code code, int number, Effect effect, Scope scope, long retryAfterMs, String message, String field,
    Long item, Long limit, Long column, String reason, List<String> causes, Throwable cause)
    implements java.io.Serializable {
    static final long NEVER = -1;

    /** Makes a failure of the client's own (CONTRACT.md, ERR-2). */
    static Failure of(Code code, Effect effect, long retryAfterMs, String message) {
        boolean isOfConnection = code == Code.CANNOT_CONNECT || code == Code.CONNECTION_LOST || code == Code.UNTRUSTED;
        return new Failure(code, code.number(), effect, isOfConnection ? Scope.CONNECTION : Scope.REQUEST, retryAfterMs,
            message, null, null, null, null, null, List.of(), null);
    }

    static Failure of(Code code, String message) {
        return of(code, Effect.NOT_EXECUTED, NEVER, message);
    }

    static Failure lost(String message) {
        return of(Code.CONNECTION_LOST, Effect.UNKNOWN, 0, message);
    }

    static Failure cannotConnect(String message) {
        return of(Code.CANNOT_CONNECT, Effect.NOT_EXECUTED, 0, message);
    }

    static Failure invalid(String field, String message) {
        return of(Code.INVALID_ARGUMENT, field + " " + message).withField(field);
    }

    /** Makes the failure of an error frame; unknown effects count as unknown, unknown scopes as request (ERR-5). */
    static Failure of(ErrorFrame frame) {
        Effect effect = frame.effect() == 0 ? Effect.NOT_EXECUTED : frame.effect() == 2 ? Effect.EXECUTED
            : Effect.UNKNOWN;
        return new Failure(Code.of(frame.code()), frame.code(), effect,
            frame.isOfConnection() ? Scope.CONNECTION : Scope.REQUEST,
            frame.retryAfterMs() == Frames.NEVER ? NEVER : frame.retryAfterMs(), frame.message(), frame.field(),
            frame.item(), frame.limit(), frame.column(), frame.reason(), List.of(), null);
    }

    /** Makes the failure of a session that has ended. */
    static Failure of(Fault fault) {
        return switch (fault.reason()) {
            case ERROR -> of(fault.error());
            case NO_KEY -> of(Code.AUTHENTICATION_FAILED, fault.getMessage());
            case DRAINING -> of(fault.goaway());
            default -> lost(fault.getMessage());
        };
    }

    /** Makes the failure of a handshake that a GOAWAY has ended; a refused key is a refusal (GO-7). */
    private static Failure of(Goaway goaway) {
        boolean isRefusal = Code.of(goaway.code()) == Code.AUTHENTICATION_FAILED;
        Failure failure = isRefusal ? of(Code.AUTHENTICATION_FAILED, goaway.reason())
            : of(Code.DRAINING, Effect.NOT_EXECUTED, goaway.reconnectAfterMs(), goaway.reason());
        return failure.ofConnection();
    }

    /** Returns the name of the code: `UNKNOWN_4711` for a number without one. */
    String codeName() {
        return code == Code.UNKNOWN ? "UNKNOWN_" + number : code.name();
    }

    boolean isFinal() {
        return retryAfterMs < 0;
    }

    Failure with(Effect other) {
        return new Failure(code, number, other, scope, retryAfterMs, message, field, item, limit, column, reason,
            causes, cause);
    }

    Failure withField(String other) {
        return new Failure(code, number, effect, scope, retryAfterMs, message, other, item, limit, column, reason,
            causes, cause);
    }

    Failure withLimit(long other) {
        return new Failure(code, number, effect, scope, retryAfterMs, message, field, item, other, column, reason,
            causes, cause);
    }

    Failure withCauses(List<String> other) {
        return new Failure(code, number, effect, scope, retryAfterMs, message, field, item, limit, column, reason,
            List.copyOf(other), cause);
    }

    Failure withCause(Throwable other) {
        return new Failure(code, number, effect, scope, retryAfterMs, message, field, item, limit, column, reason,
            causes, other);
    }

    Failure ofConnection() {
        return new Failure(code, number, effect, Scope.CONNECTION, retryAfterMs, message, field, item, limit, column,
            reason, causes, cause);
    }
}
