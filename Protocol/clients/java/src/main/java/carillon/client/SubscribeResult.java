package carillon.client;

import java.util.List;

/**
 * The answer to a SUBSCRIBE or UNSUBSCRIBE.
 *
 * @param changed sources that are new, or gone
 * @param unknown indices of devices that are not registered
 */
public record SubscribeResult(long changed, List<Integer> unknown) {
}
