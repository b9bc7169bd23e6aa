package carillon.client;

import java.time.Instant;
import java.util.UUID;

/**
 * What is sent, and how (§10.1). Who gets it is an argument of its own, {@link Audience}. A time is a point in time,
 * not a delay from now: so all attempts of a call have the same one (CONTRACT.md, RET-3).
 */
public final class Message {
    static final UUID NO_KEY = new UUID(0, 0);
    final Content content;
    PushType pushType = PushType.ALERT;
    int priority;
    UUID key;
    Long expirationSeconds;
    String collapseId;
    Instant notAfter;
    Lane lane;
    DeviceReference excludedDevice;
    boolean dryRun;
    Instant sendAt;
    Long pace;
    Integer overBudget;
    String idKey;
    String label;
    byte[] android;
    byte[] androidRaw;
    byte[] web;
    byte[] webRaw;
    String traceparent;

    private Message(Content content) {
        this.content = content;
    }

    /**
     * Begins with a payload.
     *
     * @param payload what all devices get
     * @return an alert without options
     */
    public static Message of(Payload payload) {
        return new Message(Content.of(payload));
    }

    /**
     * Begins with a payload and other languages.
     *
     * @param content what devices get
     * @return an alert without options
     */
    public static Message of(Content content) {
        return new Message(ArgumentChecks.value("payload", content));
    }

    /**
     * Begins with an alert whose body is a text.
     *
     * @param body the text
     * @return an alert without options
     */
    public static Message of(String body) {
        return new Message(Content.of(body));
    }

    /**
     * Sets the push type; an alert without it.
     *
     * @param type the push type
     * @return this
     */
    public Message pushType(PushType type) {
        pushType = ArgumentChecks.value("push_type", type);
        return this;
    }

    /**
     * Sets the priority; the usual one of the push type without it.
     *
     * @param value 10, 5 or 1
     * @return this
     */
    public Message priority(int value) {
        priority = value;
        return this;
    }

    /**
     * Sets the idempotency key; the client makes a random one without it.
     *
     * @param value the key, for example that of an error
     * @return this
     */
    public Message key(UUID value) {
        key = ArgumentChecks.value("key", value);
        return this;
    }

    /**
     * Sends without an idempotency key: the call is not repeated when it is unknown whether it took effect.
     *
     * @return this
     */
    public Message noKey() {
        key = NO_KEY;
        return this;
    }

    /**
     * Sets until when the provider stores the push.
     *
     * @param time the time; whole seconds count
     * @return this
     */
    public Message expiration(Instant time) {
        expirationSeconds = Unsigned.seconds("expiration", time);
        return this;
    }

    /**
     * Says that the provider tries once and does not store the push.
     *
     * @return this
     */
    public Message notStored() {
        expirationSeconds = 0L;
        return this;
    }

    /**
     * Sets which earlier push this one replaces on the device.
     *
     * @param id 1 to 64 bytes
     * @return this
     */
    public Message collapseId(String id) {
        collapseId = ArgumentChecks.value("collapse_id", id);
        return this;
    }

    /**
     * Sets the time after which no attempt starts.
     *
     * @param time the time; whole milliseconds count
     * @return this
     */
    public Message notAfter(Instant time) {
        notAfter = ArgumentChecks.value("not_after", time);
        return this;
    }

    /**
     * Sets the lane; interactive without it.
     *
     * @param value the lane
     * @return this
     */
    public Message lane(Lane value) {
        lane = ArgumentChecks.value("lane", value);
        return this;
    }

    /**
     * Leaves a device out of the audience.
     *
     * @param device the device
     * @return this
     */
    public Message excluding(DeviceReference device) {
        excludedDevice = ArgumentChecks.value("except", device);
        return this;
    }

    /**
     * Checks and counts everything, and sends nothing.
     *
     * @return this
     */
    public Message dryRun() {
        dryRun = true;
        return this;
    }

    /**
     * Sets when it is sent; at once without it.
     *
     * @param time the time; whole milliseconds count
     * @return this
     */
    public Message sendAt(Instant time) {
        sendAt = ArgumentChecks.value("send_at", time);
        return this;
    }

    /**
     * Bounds the deliveries a second.
     *
     * @param deliveries at least 1
     * @return this
     */
    public Message pace(long deliveries) {
        pace = deliveries;
        return this;
    }

    /**
     * Lets devices wait whose silent-push budget is spent; they are dropped without it.
     *
     * @return this
     */
    public Message waitOverBudget() {
        overBudget = 2;
        return this;
    }

    /**
     * Puts the id of the message into each payload.
     *
     * @param name the name of the member
     * @return this
     */
    public Message idKey(String name) {
        idKey = ArgumentChecks.value("id_key", name);
        return this;
    }

    /**
     * Sets a short description for listings and the log of the server.
     *
     * @param text 1 to 100 bytes
     * @return this
     */
    public Message label(String text) {
        label = ArgumentChecks.value("label", text);
        return this;
    }

    /**
     * Overrides what Android devices get: members of {@code message.android} of FCM (§10.1.6).
     *
     * @param json a JSON object in UTF-8
     * @return this
     */
    public Message android(byte[] json) {
        android = ArgumentChecks.value("android", json).clone();
        return this;
    }

    /**
     * Sets all that Android devices get: {@code message} of FCM without its target.
     *
     * @param json a JSON object in UTF-8
     * @return this
     */
    public Message androidRaw(byte[] json) {
        androidRaw = ArgumentChecks.value("android_raw", json).clone();
        return this;
    }

    /**
     * Overrides what browsers get: {@code notification}, {@code mutable}, {@code ttl}, {@code urgency} and
     * {@code topic} (§10.1.7).
     *
     * @param json a JSON object in UTF-8
     * @return this
     */
    public Message web(byte[] json) {
        web = ArgumentChecks.value("web", json).clone();
        return this;
    }

    /**
     * Sets all that browsers get: what the service worker reads.
     *
     * @param json a JSON object in UTF-8
     * @return this
     */
    public Message webRaw(byte[] json) {
        webRaw = ArgumentChecks.value("web_raw", json).clone();
        return this;
    }

    /**
     * Sets the distributed trace that the message belongs to: the log of the server, the status and events have it.
     *
     * @param value as W3C Trace Context writes it
     * @return this
     */
    public Message traceparent(String value) {
        traceparent = ArgumentChecks.value("traceparent", value);
        return this;
    }

    @Override
    public String toString() {
        return "message of type " + pushType + (label == null ? "" : ", " + label);
    }
}
