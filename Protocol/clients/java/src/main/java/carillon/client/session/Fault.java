package carillon.client.session;

import carillon.client.codec.ErrorFrame;

/** Why a session has ended: what the server has sent could not be read, or it has sent an error. */
public final class Fault extends RuntimeException {
    /** What has happened. */
    public enum Reason { UNREADABLE, SILENT, ERROR, NO_KEY, DRAINING }

    private static final long serialVersionUID = 1;
    private final Reason reason;
    private final transient ErrorFrame error;
    private final long named;
    private final long retryAfterMs;

    private Fault(Reason reason, String message, ErrorFrame error, long named, long retryAfterMs) {
        super(message, null, false, false);
        this.reason = reason;
        this.error = error;
        this.named = named;
        this.retryAfterMs = retryAfterMs;
    }

    static Fault of(Reason reason, String message) {
        return new Fault(reason, message, null, 0, 0);
    }

    static Fault of(ErrorFrame error, long named) {
        return new Fault(Reason.ERROR, error.message(), error, named, 0);
    }

    static Fault draining(long retryAfterMs) {
        return new Fault(Reason.DRAINING, "the server drains", null, 0, retryAfterMs);
    }

    /** Returns what has happened. */
    public Reason reason() {
        return reason;
    }

    /** Returns the error of the server; null if there is none. */
    public ErrorFrame error() {
        return error;
    }

    /** Returns the id of the request that the error names; 0 if there is none. */
    public long named() {
        return named;
    }

    /** Returns after how many milliseconds a draining server may be asked again. */
    public long retryAfterMs() {
        return retryAfterMs;
    }
}
