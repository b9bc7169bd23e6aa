package carillon.client;

/**
 * An item of a REGISTER_BATCH.
 *
 * @param app the app
 * @param registration the registration of a device
 */
public record BatchRegistration(String app, Registration registration) {
    /**
     * Refuses what is missing.
     *
     * @param app the app
     * @param registration the registration of a device
     */
    public BatchRegistration {
        ArgumentChecks.value("items", app);
        ArgumentChecks.value("items", registration);
    }
}
