package carillon.client;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The fields of a push of a Live Activity ({@code Payloads.md} §3).
 */
public final class LiveActivity {
    Instant timestamp;
    Event event;
    Map<String, Object> contentState;
    Instant staleDate;
    Instant dismissalDate;
    String attributesType;
    Map<String, Object> attributes;
    String inputPushChannel;
    boolean inputPushToken;

    /** Makes content without any field. */
    public LiveActivity() {
    }

    /**
     * Sets when the push was made; required.
     *
     * @param time the time; whole seconds count
     * @return this
     */
    public LiveActivity timestamp(Instant time) {
        timestamp = ArgumentChecks.value("timestamp", time);
        return this;
    }

    /**
     * Sets what happens; required.
     *
     * @param value start, update or end
     * @return this
     */
    public LiveActivity event(Event value) {
        event = ArgumentChecks.value("event", value);
        return this;
    }

    /**
     * Sets the state of the content.
     *
     * @param members JSON values by name
     * @return this
     */
    public LiveActivity contentState(Map<String, ?> members) {
        contentState = new LinkedHashMap<>(ArgumentChecks.value("content_state", members));
        return this;
    }

    /**
     * Sets when the content is out of date.
     *
     * @param time the time; whole seconds count
     * @return this
     */
    public LiveActivity staleDate(Instant time) {
        staleDate = ArgumentChecks.value("stale_date", time);
        return this;
    }

    /**
     * Sets when an activity that has ended disappears.
     *
     * @param time the time; whole seconds count
     * @return this
     */
    public LiveActivity dismissalDate(Instant time) {
        dismissalDate = ArgumentChecks.value("dismissal_date", time);
        return this;
    }

    /**
     * Sets the type of the attributes; for a start.
     *
     * @param name the type
     * @return this
     */
    public LiveActivity attributesType(String name) {
        attributesType = ArgumentChecks.value("attributes_type", name);
        return this;
    }

    /**
     * Sets the attributes; for a start.
     *
     * @param members JSON values by name
     * @return this
     */
    public LiveActivity attributes(Map<String, ?> members) {
        attributes = new LinkedHashMap<>(ArgumentChecks.value("attributes", members));
        return this;
    }

    /**
     * Sets the channel on which updates come.
     *
     * @param channel the channel
     * @return this
     */
    public LiveActivity inputPushChannel(String channel) {
        inputPushChannel = ArgumentChecks.value("input_push_channel", channel);
        return this;
    }

    /**
     * Asks for a token for updates.
     *
     * @param isSet true to do so
     * @return this
     */
    public LiveActivity inputPushToken(boolean isSet) {
        inputPushToken = isSet;
        return this;
    }

    /** What happens to a Live Activity. */
    public enum Event {
        /** It begins. */
        START,
        /** It changes. */
        UPDATE,
        /** It ends. */
        END
    }

    @Override
    public String toString() {
        return "Live Activity";
    }
}
