package carillon.client;

import java.util.List;

/**
 * The answer to a SUBSCRIBE or UNSUBSCRIBE.
 *
 * @param changed subscriptions that are new, or have ended: one for each topic and each device or group
 * @param unknown indices of devices that are not registered
 */
public record SubscribeResult(long changed, List<Integer> unknown) {
}
