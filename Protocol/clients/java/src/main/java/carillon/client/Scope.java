package carillon.client;

/** What an error concerns. */
public enum Scope {
    /** The request; the connection goes on. */
    REQUEST,
    /** The connection, which has ended. */
    CONNECTION;

    /**
     * Returns the name of the contract.
     *
     * @return small letters
     */
    @Override
    public String toString() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
