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
    /** The device was not registered at acceptance, or no longer when the server was about to deliver. */
    public static final Outcome UNREGISTERED = new Outcome(2);
    /** {@code not_after} or the time of {@code expiration} passed. */
    public static final Outcome EXPIRED = new Outcome(3);
    /** The delivery was attempted as often and as long as the limits allow, or waited so long. */
    public static final Outcome GAVE_UP = new Outcome(4);
    /** The push type does not fit the token kind. */
    public static final Outcome WRONG_KIND = new Outcome(5);
    /** There is no usable credential for the app and environment. */
    public static final Outcome NO_CREDENTIAL = new Outcome(6);
    /** The provider had declared the token dead before. */
    public static final Outcome QUARANTINED = new Outcome(7);
    /** The device or a group of it is muted. */
    public static final Outcome MUTED = new Outcome(8);
    /** There is no body in the language of the device, and no body without a language. */
    public static final Outcome NO_LANGUAGE = new Outcome(9);
    /** The message was cancelled before the delivery. */
    public static final Outcome CANCELLED = new Outcome(10);
    /** There were more silent pushes than the silent-push budget of the device allows. */
    public static final Outcome OVER_BUDGET = new Outcome(11);
    /** The device was in the audience when its page was read, and had left it before the delivery. */
    public static final Outcome LEFT = new Outcome(12);
    /** APNs: 410 Unregistered. FCM: UNREGISTERED. Of a browser: 404 or 410. */
    public static final Outcome TOKEN_UNREGISTERED = new Outcome(32);
    /** APNs: 410 ExpiredToken. */
    public static final Outcome TOKEN_EXPIRED = new Outcome(33);
    /** APNs: 400 BadDeviceToken. FCM: INVALID_ARGUMENT of the token. */
    public static final Outcome BAD_TOKEN = new Outcome(34);
    /** APNs: 400 DeviceTokenNotForTopic. */
    public static final Outcome TOKEN_NOT_FOR_TOPIC = new Outcome(35);
    /** Any provider: 413. */
    public static final Outcome PAYLOAD_TOO_LARGE = new Outcome(36);
    /** APNs: 400 TopicDisallowed. */
    public static final Outcome TOPIC_DISALLOWED = new Outcome(37);
    /** APNs: 400 BadTopic or MissingTopic. */
    public static final Outcome BAD_TOPIC = new Outcome(38);
    /** The provider refused another part of the request. */
    public static final Outcome BAD_REQUEST = new Outcome(39);
    /**
     * APNs: 403 Forbidden. FCM: the token is not of this project. Of a browser: the subscription is not of this
     * VAPID key.
     */
    public static final Outcome FORBIDDEN = new Outcome(40);
    /** APNs: 400 ChannelNotRegistered: the broadcast channel does not exist, or no longer. */
    public static final Outcome NO_CHANNEL = new Outcome(41);
    /** The provider refused for a reason unknown to the server. */
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
