package carillon.client;

/**
 * Whether a call that failed took effect, over all its attempts; in the order in which they are worse (CONTRACT.md,
 * ERR-3).
 */
public enum Effect {
    /** Nothing has happened. */
    NOT_EXECUTED,
    /** It may have happened. */
    UNKNOWN,
    /** It has happened. */
    EXECUTED;

    /**
     * Returns the name of the contract.
     *
     * @return small letters, such as {@code not_executed}
     */
    @Override
    public String toString() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    /** Returns the worse of two effects. */
    Effect worse(Effect other) {
        return compareTo(other) >= 0 ? this : other;
    }
}
