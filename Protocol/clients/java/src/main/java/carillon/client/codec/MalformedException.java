package carillon.client.codec;

/**
 * Bytes of the server that are not as the protocol says. The connection on which they came is closed (CONTRACT.md,
 * CON-8).
 */
public final class MalformedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Makes the exception; the message says what is wrong. */
    public MalformedException(String message) {
        super(message, null, false, false);
    }
}
