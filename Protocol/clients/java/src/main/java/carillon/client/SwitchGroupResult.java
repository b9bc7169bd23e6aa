package carillon.client;

import java.util.OptionalLong;

/**
 * The answer to a SWITCH.
 *
 * @param deviceId the id of the device
 * @param changed what has changed, as bits; 0 if nothing has
 * @param messageId the message of the announcement, if there is one
 */
public record SwitchGroupResult(long deviceId, int changed, OptionalLong messageId) {
    private static final int LEFT = 1;
    private static final int JOINED = 2;

    /**
     * Returns whether the device was in the first group.
     *
     * @return true if it has left that group
     */
    public boolean hasLeft() {
        return (changed & LEFT) != 0;
    }

    /**
     * Returns whether the device was not yet in the second group.
     *
     * @return true if it has joined that group
     */
    public boolean hasJoined() {
        return (changed & JOINED) != 0;
    }
}
