package carillon.client;

/**
 * The result of one item of a REGISTER_BATCH.
 *
 * @param code 0 if it is done, else the number of an error; see {@link Code#of}
 * @param deviceId the id of the device; 0 if it failed
 * @param result what was done; number 0 if it failed
 */
public record BatchResult(int code, long deviceId, RegisterResultKind result) {
}
