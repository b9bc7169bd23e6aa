package carillon.client;

/**
 * The answer to an UNREGISTER.
 *
 * @param deviceId the id that the device had; 0 if there was none
 * @param result what was done
 */
public record UnregisterResult(long deviceId, UnregisterResultKind result) {
}
