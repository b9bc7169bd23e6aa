package carillon.client;

import java.util.List;

/**
 * The answer to a LEAVE.
 *
 * @param left devices that were members
 * @param unknown indices of devices that are not registered
 */
public record LeaveResult(long left, List<Integer> unknown) {
}
