package carillon.client;

import java.util.LinkedHashMap;
import java.util.Map;

/** What is to be changed of a device (§7.5). What is not set stays. */
public final class DeviceUpdate {
    String locale;
    String timeZone;
    Map<String, String> attributes;
    Boolean muted;

    /** Makes an update that changes nothing. */
    public DeviceUpdate() {
    }

    /**
     * Sets the language.
     *
     * @param tag a language tag; the empty string forgets it
     * @return this
     */
    public DeviceUpdate locale(String tag) {
        locale = ArgumentChecks.value("locale", tag);
        return this;
    }

    /**
     * Sets the time zone.
     *
     * @param name a name of the IANA database; the empty string forgets it
     * @return this
     */
    public DeviceUpdate timeZone(String name) {
        timeZone = ArgumentChecks.value("time_zone", name);
        return this;
    }

    /**
     * Sets an attribute; others stay.
     *
     * @param name its name
     * @param value its value; the empty string removes the attribute
     * @return this
     */
    public DeviceUpdate attribute(String name, String value) {
        attributes = attributes == null ? new LinkedHashMap<>() : attributes;
        attributes.put(ArgumentChecks.value("attributes", name), ArgumentChecks.value("attributes", value));
        return this;
    }

    /**
     * Mutes the device or ends that.
     *
     * @param isMuted true: it gets no pushes
     * @return this
     */
    public DeviceUpdate muted(boolean isMuted) {
        muted = isMuted;
        return this;
    }
}
