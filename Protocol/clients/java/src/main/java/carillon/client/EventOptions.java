package carillon.client;

import java.util.Collection;
import java.util.List;

/** Which events a stream returns, and from where (CONTRACT.md, EVT-1). */
public final class EventOptions {
    static final long FROM_NOW = -1;
    static final long FROM_OLDEST = -2;
    String name = "";
    /** Null: after what the name has acknowledged. */
    Long start;
    List<String> apps = List.of();
    List<EventKind> kinds = List.of();
    int window = 256;

    /** Makes options for all events from now on. */
    public EventOptions() {
    }

    /**
     * Sets the name under which the server keeps what is acknowledged. The next stream with that name begins after it.
     *
     * @param value 1 to 64 bytes
     * @return this
     */
    public EventOptions name(String value) {
        if (ArgumentChecks.value("name", value).isEmpty()) {
            throw CarillonException.invalid("name", "is empty");
        }
        name = value;
        return this;
    }

    /**
     * Begins now, whatever the name has acknowledged.
     *
     * @return this
     */
    public EventOptions fromNow() {
        start = FROM_NOW;
        return this;
    }

    /**
     * Begins with the oldest event that the server keeps.
     *
     * @return this
     */
    public EventOptions fromOldest() {
        start = FROM_OLDEST;
        return this;
    }

    /**
     * Begins after an event.
     *
     * @param sequence its number, unsigned; 0 to begin with the oldest event
     * @return this
     */
    public EventOptions after(long sequence) {
        start = sequence == 0 ? FROM_OLDEST : sequence;
        return this;
    }

    /**
     * Returns only events of some apps; of all that the principal may observe without it.
     *
     * @param values at least one
     * @return this
     */
    public EventOptions apps(Collection<String> values) {
        apps = ArgumentChecks.nonEmptyList("apps", values);
        return this;
    }

    /**
     * Returns only events of some kinds; of all without it. Gaps are always returned.
     *
     * @param values at least one
     * @return this
     */
    public EventOptions kinds(Collection<EventKind> values) {
        kinds = ArgumentChecks.nonEmptyList("kinds", values);
        return this;
    }

    /**
     * Sets how many elements may be in memory; 256 without it.
     *
     * @param elements at least 2
     * @return this
     */
    public EventOptions window(int elements) {
        if (elements < 2) {
            throw CarillonException.invalid("window", "must be at least 2");
        }
        window = elements;
        return this;
    }

    EventOptions copy() {
        EventOptions copy = new EventOptions();
        copy.name = name;
        copy.start = start;
        copy.apps = apps;
        copy.kinds = kinds;
        copy.window = window;
        return copy;
    }
}
