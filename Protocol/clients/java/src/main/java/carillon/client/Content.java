package carillon.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * A payload and what devices of other languages get (§10.1.5, {@code Payloads.md} §5): payloads of their own, or
 * translations of the texts of a notification.
 */
public final class Content {
    /** A payload for devices of a language. */
    record Body(String language, byte[] payload) {
    }

    private static final Pattern TAG = Pattern.compile("[A-Za-z0-9-]{2,35}");
    private final Payload payload;
    private final Map<String, Payload> languages = new LinkedHashMap<>();
    private final Map<String, Translation> translations = new LinkedHashMap<>();
    private boolean hasDefault = true;

    private Content(Payload payload) {
        this.payload = payload;
    }

    /**
     * Begins with the payload of devices without a fitting language.
     *
     * @param payload the default payload
     * @return content without other languages
     */
    public static Content of(Payload payload) {
        return new Content(ArgumentChecks.value("payload", payload));
    }

    /**
     * Begins with a notification whose body is a text.
     *
     * @param body the text
     * @return content without other languages
     */
    public static Content of(String body) {
        return of(new Notification().body(body));
    }

    /**
     * Adds a payload for a language.
     *
     * @param tag the language tag
     * @param body what its devices get
     * @return this
     */
    public Content language(String tag, Payload body) {
        add(languages, tag, ArgumentChecks.value("bodies", body));
        return this;
    }

    /**
     * Adds a translation of the notification.
     *
     * @param tag the language tag
     * @param texts the texts that differ
     * @return this
     * @throws CarillonException INVALID_ARGUMENT if the content is not a notification
     */
    public Content translation(String tag, Translation texts) {
        if (!(payload instanceof Notification)) {
            throw CarillonException.invalid("bodies", "translations need a notification");
        }
        add(translations, tag, ArgumentChecks.value("bodies", texts));
        return this;
    }

    private static <T> void add(Map<String, T> map, String tag, T value) {
        if (map.putIfAbsent(ArgumentChecks.value("bodies", tag), value) != null) {
            throw CarillonException.invalid("bodies." + tag, "occurs twice");
        }
    }

    /**
     * Leaves out the default: devices without a fitting language get no push.
     *
     * @return this
     */
    public Content withoutDefault() {
        hasDefault = false;
        return this;
    }

    /** Returns the default payload; empty if there is none. */
    byte[] payload(PushType pushType) {
        return hasDefault ? payload.json(pushType) : new byte[0];
    }

    /** Returns the payloads of languages: those given, in their order, then those of translations by their tags. */
    List<Body> bodies(PushType pushType) {
        List<Body> bodies = new ArrayList<>();
        languages.forEach((tag, body) -> bodies.add(new Body(tag, body.json(pushType))));
        SortedMap<String, String> tags = new TreeMap<>();
        for (String tag : new TreeSet<>(translations.keySet())) {
            if (!TAG.matcher(tag).matches() || tags.put(tag.toLowerCase(Locale.ROOT), tag) != null) {
                throw CarillonException.invalid("bodies." + tag, "is not a language tag, or occurs twice");
            }
        }
        tags.values().forEach(tag -> bodies.add(new Body(tag, translated(tag, pushType))));
        return bodies;
    }

    private byte[] translated(String tag, PushType pushType) {
        try {
            return translations.get(tag).of((Notification) payload).json(pushType);
        } catch (CarillonException error) {
            String path = error.field().orElse("payload");
            String inner = path.startsWith("payload") ? path.substring("payload".length()) : "." + path;
            throw CarillonException.invalid("bodies." + tag + inner, "is not allowed");
        }
    }
}
