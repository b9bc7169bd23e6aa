package carillon.client;

import java.util.Map;

/**
 * How the delivery to a device ended (§16.5). A number that this version does not know is kept (CONTRACT.md, TYP-3).
 *
 * @param number the number of the protocol
 */
public record Outcome(int number) {
    /** It has not ended yet. */
    public static final Outcome PENDING = new Outcome(0);
    /** The provider has accepted the push. */
    public static final Outcome DELIVERED = new Outcome(1);
    /** The device was not registered. */
    public static final Outcome UNREGISTERED = new Outcome(2);
    /** The time of the message was over. */
    public static final Outcome EXPIRED = new Outcome(3);
    /** It was attempted as often and as long as the limits allow. */
    public static final Outcome GAVE_UP = new Outcome(4);
    /** The push type does not fit the token. */
    public static final Outcome WRONG_KIND = new Outcome(5);
    /** There is no usable credential. */
    public static final Outcome NO_CREDENTIAL = new Outcome(6);
    /** The provider had declared the token dead before. */
    public static final Outcome QUARANTINED = new Outcome(7);
    /** The device or a group of it is muted. */
    public static final Outcome MUTED = new Outcome(8);
    /** There is no body in its language. */
    public static final Outcome NO_LANGUAGE = new Outcome(9);
    /** The message was cancelled. */
    public static final Outcome CANCELLED = new Outcome(10);
    /** Its silent-push budget is spent. */
    public static final Outcome OVER_BUDGET = new Outcome(11);
    /** It left the audience before the delivery. */
    public static final Outcome LEFT = new Outcome(12);
    /** APNs: Unregistered. */
    public static final Outcome TOKEN_UNREGISTERED = new Outcome(32);
    /** APNs: ExpiredToken. */
    public static final Outcome TOKEN_EXPIRED = new Outcome(33);
    /** APNs: BadDeviceToken. */
    public static final Outcome BAD_TOKEN = new Outcome(34);
    /** APNs: DeviceTokenNotForTopic. */
    public static final Outcome TOKEN_NOT_FOR_TOPIC = new Outcome(35);
    /** APNs: PayloadTooLarge. */
    public static final Outcome PAYLOAD_TOO_LARGE = new Outcome(36);
    /** APNs: TopicDisallowed. */
    public static final Outcome TOPIC_DISALLOWED = new Outcome(37);
    /** APNs: BadTopic or MissingTopic. */
    public static final Outcome BAD_TOPIC = new Outcome(38);
    /** The provider refused another part of the request. */
    public static final Outcome BAD_REQUEST = new Outcome(39);
    /** APNs: Forbidden. */
    public static final Outcome FORBIDDEN = new Outcome(40);
    /** APNs: there is no such broadcast channel. */
    public static final Outcome NO_CHANNEL = new Outcome(41);
    /** The provider refused for a reason that the server does not know. */
    public static final Outcome REFUSED = new Outcome(63);
    private static final Map<Integer, String> NAMES = Map.ofEntries(
        Map.entry(0, "pending"),
        Map.entry(1, "delivered"),
        Map.entry(2, "unregistered"),
        Map.entry(3, "expired"),
        Map.entry(4, "gave-up"),
        Map.entry(5, "wrong-kind"),
        Map.entry(6, "no-credential"),
        Map.entry(7, "quarantined"),
        Map.entry(8, "muted"),
        Map.entry(9, "no-language"),
        Map.entry(10, "cancelled"),
        Map.entry(11, "over-budget"),
        Map.entry(12, "left"),
        Map.entry(32, "token-unregistered"),
        Map.entry(33, "token-expired"),
        Map.entry(34, "bad-token"),
        Map.entry(35, "token-not-for-topic"),
        Map.entry(36, "payload-too-large"),
        Map.entry(37, "topic-disallowed"),
        Map.entry(38, "bad-topic"),
        Map.entry(39, "bad-request"),
        Map.entry(40, "forbidden"),
        Map.entry(41, "no-channel"),
        Map.entry(63, "refused"));

    /**
     * Returns the name of the protocol.
     *
     * @return the name, such as {@code refused}, or {@code unknown-} and the number
     */
    @Override
    public String toString() {
        return NAMES.getOrDefault(number, "unknown-" + number);
    }
}
