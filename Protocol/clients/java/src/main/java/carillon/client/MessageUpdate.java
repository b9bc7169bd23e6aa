package carillon.client;

/** A change of an accepted message (§10.6). */
public final class MessageUpdate {
    /** No attempt starts any more. */
    public static final MessageUpdate CANCEL = new MessageUpdate(1, null);
    /** No attempt starts until it is resumed. */
    public static final MessageUpdate PAUSE = new MessageUpdate(2, null);
    /** It goes on; a scheduled message starts. It is never repeated by itself, because a second resume does more. */
    public static final MessageUpdate RESUME = new MessageUpdate(3, null);
    /** No bound of deliveries a second. */
    public static final MessageUpdate NO_PACE = new MessageUpdate(4, null);
    final int action;
    final Long pace;

    private MessageUpdate(int action, Long pace) {
        this.action = action;
        this.pace = pace;
    }

    /**
     * Bounds the deliveries a second.
     *
     * @param deliveries at least 1
     * @return the update
     */
    public static MessageUpdate pace(long deliveries) {
        return new MessageUpdate(4, deliveries);
    }

    @Override
    public String toString() {
        return switch (action) {
            case 1 -> "cancel";
            case 2 -> "pause";
            case 3 -> "resume";
            default -> pace == null ? "no pace" : "pace " + pace;
        };
    }
}
