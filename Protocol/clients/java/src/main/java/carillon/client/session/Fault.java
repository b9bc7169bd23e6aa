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
    private final transient Goaway goaway;

    private Fault(Reason reason, String message, ErrorFrame error, long named, Goaway goaway) {
        super(message, null, false, false);
        this.reason = reason;
        this.error = error;
        this.named = named;
        this.goaway = goaway;
    }

    static Fault of(Reason reason, String message) {
        return new Fault(reason, message, null, 0, null);
    }

    static Fault of(ErrorFrame error, long named) {
        return new Fault(Reason.ERROR, error.message(), error, named, null);
    }

    static Fault of(Goaway goaway) {
        return new Fault(Reason.DRAINING, goaway.reason(), null, 0, goaway);
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
    public Goaway goaway() {
        return goaway;
    }
}
