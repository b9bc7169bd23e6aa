package carillon.client;

/**
 * The answer to a REGISTER.
 *
 * @param deviceId the id of the device
 * @param result what was done
 */
public record RegisterResult(long deviceId, RegisterResultKind result) {
}
