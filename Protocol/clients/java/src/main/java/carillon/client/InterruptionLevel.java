package carillon.client;

/** How much a notification interrupts. */
public enum InterruptionLevel {
    /** It lights no screen. */
    PASSIVE("passive"),
    /** It is shown at once. */
    ACTIVE("active"),
    /** It is shown at once, also in a Focus that allows it. */
    TIME_SENSITIVE("time-sensitive"),
    /** It is heard although the device is silent. */
    CRITICAL("critical");

    private final String text;

    InterruptionLevel(String text) {
        this.text = text;
    }

    /**
     * Returns the name of APNs.
     *
     * @return such as {@code time-sensitive}
     */
    @Override
    public String toString() {
        return text;
    }
}
