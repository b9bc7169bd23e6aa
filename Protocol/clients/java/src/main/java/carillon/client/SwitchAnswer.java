package carillon.client;

import java.util.OptionalLong;

/**
 * The answer to a SWITCH.
 *
 * @param deviceId the id of the device
 * @param changed a sum: 1 it was in the first group, 2 it was not in the second
 * @param messageId the message of the announcement, if there is one
 */
public record SwitchAnswer(long deviceId, int changed, OptionalLong messageId) {
}
