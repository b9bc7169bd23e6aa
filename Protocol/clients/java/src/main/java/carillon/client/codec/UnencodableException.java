package carillon.client.codec;

/**
 * An argument that has no form on the wire. A call that is given one fails with INVALID_ARGUMENT (CONTRACT.md, ERR-7).
 */
public final class UnencodableException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final String field;

    /** Makes the exception; the message goes on after the name of the argument. */
    public UnencodableException(String field, String message) {
        super(message, null, false, false);
        this.field = field;
    }

    /** Returns the name of the argument. */
    public String field() {
        return field;
    }
}
