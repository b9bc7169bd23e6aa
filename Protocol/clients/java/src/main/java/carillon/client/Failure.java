package carillon.client;

import carillon.client.codec.ErrorFrame;
import carillon.client.codec.Frames;
import carillon.client.session.GoAway;
import carillon.client.session.SessionException;
import java.io.Serializable;
import java.util.List;

/**
 * Why an attempt or a call failed, without a stack. Immutable once made: each {@code with} method returns a changed
 * copy.
 */
final class Failure implements Serializable {
    static final long NEVER = -1;
    private static final long serialVersionUID = 1;

    private final Code code;
    private final int number;
    private final String message;
    private Effect effect;
    private Scope scope;
    private long retryAfterMs;
    private String field;
    private Long item;
    private Long limit;
    private Long column;
    private String reason;
    private List<String> causes = List.of();
    private Throwable cause;

    private Failure(Code code, int number, Effect effect, Scope scope, long retryAfterMs, String message) {
        this.code = code;
        this.number = number;
        this.effect = effect;
        this.scope = scope;
        this.retryAfterMs = retryAfterMs;
        this.message = message;
    }

    private Failure(Failure other) {
        this(other.code, other.number, other.effect, other.scope, other.retryAfterMs, other.message);
        field = other.field;
        item = other.item;
        limit = other.limit;
        column = other.column;
        reason = other.reason;
        causes = other.causes;
        cause = other.cause;
    }

    /** Makes a failure of the client's own (CONTRACT.md, ERR-2). */
    static Failure of(Code code, Effect effect, long retryAfterMs, String message) {
        boolean isOfConnection = code == Code.CANNOT_CONNECT || code == Code.CONNECTION_LOST || code == Code.UNTRUSTED;
        Scope scope = isOfConnection ? Scope.CONNECTION : Scope.REQUEST;
        return new Failure(code, code.number(), effect, scope, retryAfterMs, message);
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
        Effect effect = switch (frame.effect()) {
            case 0 -> Effect.NOT_EXECUTED;
            case 2 -> Effect.EXECUTED;
            default -> Effect.UNKNOWN;
        };
        Scope scope = frame.isOfConnection() ? Scope.CONNECTION : Scope.REQUEST;
        long retryAfterMs = frame.retryAfterMs() == Frames.NEVER ? NEVER : frame.retryAfterMs();
        Failure failure =
            new Failure(Code.of(frame.code()), frame.code(), effect, scope, retryAfterMs, frame.message());
        failure.field = frame.field();
        failure.item = frame.item();
        failure.limit = frame.limit();
        failure.column = frame.column();
        failure.reason = frame.reason();
        return failure;
    }

    /** Makes the failure of a session that has ended. */
    static Failure of(SessionException end) {
        return switch (end.reason()) {
            case ERROR -> of(end.error());
            case NO_KEY -> of(Code.AUTHENTICATION_FAILED, end.getMessage());
            case DRAINING -> of(end.goaway());
            default -> lost(end.getMessage());
        };
    }

    /** Makes the failure of a handshake that a GOAWAY has ended; a refused key is a refusal (GO-7). */
    private static Failure of(GoAway goaway) {
        boolean isRefusal = Code.of(goaway.code()) == Code.AUTHENTICATION_FAILED;
        Failure failure = isRefusal ? of(Code.AUTHENTICATION_FAILED, goaway.reason())
            : of(Code.DRAINING, Effect.NOT_EXECUTED, goaway.reconnectAfterMs(), goaway.reason());
        return failure.ofConnection();
    }

    Failure with(Effect other) {
        Failure copy = new Failure(this);
        copy.effect = other;
        return copy;
    }

    Failure withField(String other) {
        Failure copy = new Failure(this);
        copy.field = other;
        return copy;
    }

    Failure withLimit(long other) {
        Failure copy = new Failure(this);
        copy.limit = other;
        return copy;
    }

    Failure withCauses(List<String> other) {
        Failure copy = new Failure(this);
        copy.causes = List.copyOf(other);
        return copy;
    }

    Failure withCause(Throwable other) {
        Failure copy = new Failure(this);
        copy.cause = other;
        return copy;
    }

    Failure ofConnection() {
        Failure copy = new Failure(this);
        copy.scope = Scope.CONNECTION;
        return copy;
    }

    Code code() {
        return code;
    }

    /** Returns the number of the protocol; 0 for a code of the client's own without one. */
    int number() {
        return number;
    }

    /** Returns the name of the code: {@code UNKNOWN_4711} for a number without one. */
    String codeName() {
        return code == Code.UNKNOWN ? "UNKNOWN_" + number : code.name();
    }

    String message() {
        return message;
    }

    Effect effect() {
        return effect;
    }

    Scope scope() {
        return scope;
    }

    /** Returns the pause before the same call; negative if the call will fail again. */
    long retryAfterMs() {
        return retryAfterMs;
    }

    boolean isFinal() {
        return retryAfterMs < 0;
    }

    /** Returns the name of the field at fault. This and the next four are null if the error does not have them. */
    String field() {
        return field;
    }

    Long item() {
        return item;
    }

    Long limit() {
        return limit;
    }

    Long column() {
        return column;
    }

    /** Returns the reason that APNs gave. */
    String reason() {
        return reason;
    }

    /** Returns why each address that was tried has failed; empty for a code other than CANNOT_CONNECT. */
    List<String> causes() {
        return causes;
    }

    /** Returns what was thrown; null if nothing was. */
    Throwable cause() {
        return cause;
    }
}
