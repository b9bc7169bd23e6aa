package carillon.client.session;

import carillon.client.codec.ErrorFrame;

/** Why a session has ended: what the server has sent could not be read, or it has sent an error. */
public final class SessionException extends RuntimeException {
    /** What has happened. */
    public enum Reason { UNREADABLE, SILENT, ERROR, NO_KEY, DRAINING }

    private static final long serialVersionUID = 1;
    private final Reason reason;
    private final transient ErrorFrame error;
    private final long named;
    private final transient GoAway goaway;

    private SessionException(Reason reason, String message, ErrorFrame error, long named, GoAway goaway) {
        super(message, null, false, false);
        this.reason = reason;
        this.error = error;
        this.named = named;
        this.goaway = goaway;
    }

    static SessionException of(Reason reason, String message) {
        return new SessionException(reason, message, null, 0, null);
    }

    static SessionException of(ErrorFrame error, long named) {
        return new SessionException(Reason.ERROR, error.message(), error, named, null);
    }

    static SessionException of(GoAway goaway) {
        return new SessionException(Reason.DRAINING, goaway.reason(), null, 0, goaway);
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

    /** Returns the GOAWAY that has ended the handshake; null if there is none. */
    public GoAway goaway() {
        return goaway;
    }
}
