package carillon.client;

import java.util.Collection;
import java.util.List;

/**
 * Who gets a message: exactly one of six kinds. Only {@link #allDevices} means every device of the app; a list or a
 * name that is null or empty is refused (CONTRACT.md, AUD).
 */
public sealed interface Audience {
    /**
     * Devices that are named one by one.
     *
     * @param devices at least one
     */
    record Devices(List<DeviceReference> devices) implements Audience {
        /**
         * Refuses an empty list.
         *
         * @param devices at least one
         */
        public Devices {
            devices = ArgumentChecks.nonEmptyList(FIELD, devices);
        }
    }

    /**
     * Every device of any of some groups, once.
     *
     * @param groups at least one
     */
    record Groups(List<String> groups) implements Audience {
        /**
         * Refuses an empty list.
         *
         * @param groups at least one
         */
        public Groups {
            groups = ArgumentChecks.nonEmptyList(FIELD, groups);
        }
    }

    /**
     * Every device of a topic.
     *
     * @param topic the topic
     */
    record Topic(String topic) implements Audience {
        /**
         * Refuses an empty name.
         *
         * @param topic the topic
         */
        public Topic {
            notEmpty(topic);
        }
    }

    /**
     * Every device for which a condition holds.
     *
     * @param condition the condition
     */
    record Condition(String condition) implements Audience {
        /**
         * Refuses an empty condition.
         *
         * @param condition the condition
         */
        public Condition {
            notEmpty(condition);
        }
    }

    /**
     * The devices that are subscribed to a broadcast channel at APNs.
     *
     * @param environment the environment of APNs
     * @param channel the id of the channel
     */
    record Channel(Environment environment, String channel) implements Audience {
        /**
         * Refuses an empty id.
         *
         * @param environment the environment of APNs
         * @param channel the id of the channel
         */
        public Channel {
            ArgumentChecks.value(FIELD, environment);
            notEmpty(channel);
        }
    }

    /** Every device of the app. */
    record All() implements Audience {
    }

    /** The name of the argument in errors. */
    String FIELD = "audience";

    private static void notEmpty(String text) {
        if (text == null || text.isEmpty()) {
            throw CarillonException.invalid(FIELD, "is null or empty");
        }
    }

    /**
     * Addresses devices that are named one by one.
     *
     * @param devices at least one
     * @return the audience
     * @throws CarillonException INVALID_ARGUMENT if there is none
     */
    static Audience devices(Collection<? extends DeviceReference> devices) {
        return new Devices(ArgumentChecks.nonEmptyList(FIELD, devices));
    }

    /**
     * Addresses one device.
     *
     * @param device the device
     * @return the audience
     */
    static Audience device(DeviceReference device) {
        return new Devices(List.of(ArgumentChecks.value(FIELD, device)));
    }

    /**
     * Addresses every device of any of some groups.
     *
     * @param groups at least one
     * @return the audience
     * @throws CarillonException INVALID_ARGUMENT if there is none
     */
    static Audience groups(Collection<String> groups) {
        return new Groups(ArgumentChecks.nonEmptyList(FIELD, groups));
    }

    /**
     * Addresses every device of a group.
     *
     * @param group the group
     * @return the audience
     */
    static Audience group(String group) {
        return new Groups(List.of(ArgumentChecks.value(FIELD, group)));
    }

    /**
     * Addresses every device of a topic.
     *
     * @param topic the topic
     * @return the audience
     * @throws CarillonException INVALID_ARGUMENT if it is empty
     */
    static Audience topic(String topic) {
        return new Topic(topic);
    }

    /**
     * Addresses every device for which a condition holds.
     *
     * @param condition such as {@code 'raids' in topics && locale == 'de'}
     * @return the audience
     * @throws CarillonException INVALID_ARGUMENT if it is empty
     */
    static Audience condition(String condition) {
        return new Condition(condition);
    }

    /**
     * Addresses the devices that are subscribed to a broadcast channel at APNs. The push type is LIVEACTIVITY, the
     * event of the payload update or end, and an expiration is needed.
     *
     * @param environment the environment of APNs
     * @param channel the id of the channel
     * @return the audience
     * @throws CarillonException INVALID_ARGUMENT if it is empty
     */
    static Audience channel(Environment environment, String channel) {
        return new Channel(environment, channel);
    }

    /**
     * Addresses every device of the app.
     *
     * @return the audience
     */
    static Audience allDevices() {
        return new All();
    }
}
