package carillon.client;

/** What is to become of a running message (§8.6). */
public final class Steering {
    /** No attempt starts any more. */
    public static final Steering CANCEL = new Steering(1, null);
    /** No attempt starts until it is resumed. */
    public static final Steering PAUSE = new Steering(2, null);
    /** It goes on; a scheduled message starts. It is never repeated by itself, because a second resume does more. */
    public static final Steering RESUME = new Steering(3, null);
    /** No bound of deliveries a second. */
    public static final Steering NO_PACE = new Steering(4, null);
    final int action;
    final Long pace;

    private Steering(int action, Long pace) {
        this.action = action;
        this.pace = pace;
    }

    /**
     * Bounds the deliveries a second.
     *
     * @param deliveries at least 1
     * @return the steering
     */
    public static Steering pace(long deliveries) {
        return new Steering(4, deliveries);
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
