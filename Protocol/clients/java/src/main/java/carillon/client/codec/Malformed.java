package carillon.client.codec;

/**
 * Bytes of the server that are not as the protocol says. The connection on which they came is closed (CONTRACT.md,
 * CON-8).
 */
public final class Malformed extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Makes the fault. */
    public Malformed(String message) {
        super(message, null, false, false);
    }
}
