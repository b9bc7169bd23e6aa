package carillon.client;

import java.util.List;
import java.util.OptionalLong;

/**
 * The answer to a JOIN.
 *
 * @param joined devices that were not members before
 * @param messageId the message of the announcement, if there is one
 * @param unknown indices of devices that are not registered
 */
public record JoinResult(long joined, OptionalLong messageId, List<Integer> unknown) {
}
