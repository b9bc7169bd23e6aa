package carillon.client;

/**
 * What a principal may do in an app.
 *
 * @param app the app, or {@code *} for every app
 * @param roles what it may do, as bits
 */
public record Grant(String app, int roles) {
    private static final int REGISTER = 1;
    private static final int SEND = 2;
    private static final int OBSERVE = 4;
    private static final int ADMIN = 8;

    /**
     * Returns whether the principal may register devices.
     *
     * @return true if it has the role {@code register}
     */
    public boolean mayRegister() {
        return (roles & REGISTER) != 0;
    }

    /**
     * Returns whether the principal may send messages.
     *
     * @return true if it has the role {@code send}
     */
    public boolean maySend() {
        return (roles & SEND) != 0;
    }

    /**
     * Returns whether the principal may read what is stored, and subscribe to events.
     *
     * @return true if it has the role {@code observe}
     */
    public boolean mayObserve() {
        return (roles & OBSERVE) != 0;
    }

    /**
     * Returns whether the principal may administer the app.
     *
     * @return true if it has the role {@code admin}
     */
    public boolean mayAdminister() {
        return (roles & ADMIN) != 0;
    }
}
