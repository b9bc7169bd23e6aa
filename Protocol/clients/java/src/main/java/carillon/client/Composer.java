package carillon.client;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Composes the JSON values of a notification ({@code Payloads.md} §1 to §3). */
final class Composer {
    private Composer() {
    }

    static Map<String, Object> compose(Notification from) {
        Map<String, Object> object = new TreeMap<>();
        if (from.data != null) {
            if (from.data.containsKey("aps") || from.mdm != null && from.data.containsKey("mdm")) {
                throw CarillonException.invalid(from.data.containsKey("aps") ? "data.aps" : "data.mdm",
                    "is a name of APNs");
            }
            object.putAll(from.data);
        }
        set(object, "mdm", from.mdm);
        Map<String, Object> aps = aps(from);
        if (!aps.isEmpty()) {
            object.put("aps", aps);
        }
        return object;
    }

    private static void set(Map<String, Object> object, String name, Object value) {
        if (value != null) {
            object.put(name, value);
        }
    }

    /** Sets a member to 1, as APNs writes what is true; leaves it out if it is not. */
    private static void setOne(Map<String, Object> object, String name, boolean isSet) {
        if (isSet) {
            object.put(name, 1L);
        }
    }

    private static Map<String, Object> aps(Notification from) {
        Map<String, Object> aps = new TreeMap<>();
        set(aps, "badge", from.badge);
        set(aps, "thread-id", from.threadId);
        set(aps, "category", from.category);
        setOne(aps, "content-available", from.contentAvailable);
        setOne(aps, "mutable-content", from.mutableContent);
        set(aps, "interruption-level", from.interruptionLevel == null ? null : from.interruptionLevel.toString());
        set(aps, "relevance-score", from.relevanceScore);
        set(aps, "target-content-id", from.targetContentId);
        set(aps, "filter-criteria", from.filterCriteria);
        set(aps, "content-changed", from.contentChanged ? true : null);
        set(aps, "url-args", from.urlArgs);
        if (from.liveActivity == null) {
            set(aps, "sound", sound(from.sound));
            set(aps, "alert", alert(from));
        } else {
            activity(aps, from.liveActivity);
            set(aps, "alert", activityAlert(from));
        }
        return aps;
    }

    private static Object sound(Sound sound) {
        if (sound instanceof Sound.Critical critical) {
            Map<String, Object> object = new TreeMap<>(Map.of("critical", 1L, "name", critical.name()));
            critical.volume().ifPresent(volume -> object.put("volume", volume));
            return object;
        }
        return sound instanceof Sound.Named named ? named.name() : null;
    }

    private static Object alert(Notification from) {
        Map<String, Object> alert = new TreeMap<>();
        set(alert, "launch-image", from.launchImage);
        text(alert, "title", "title-", from.title);
        text(alert, "subtitle", "subtitle-", from.subtitle);
        text(alert, "body", "", from.body);
        if (alert.size() == 1 && alert.containsKey("body")) {
            return alert.get("body");
        }
        return alert.isEmpty() ? null : alert;
    }

    private static void text(Map<String, Object> alert, String name, String prefix, Text text) {
        if (text instanceof Text.Plain plain) {
            alert.put(name, plain.text());
        } else if (text instanceof Text.Key key) {
            alert.put(prefix + "loc-key", key.key());
            set(alert, prefix + "loc-args", arguments(key));
        }
    }

    private static List<String> arguments(Text.Key key) {
        return key.arguments().isEmpty() ? null : key.arguments();
    }

    private static Object activityAlert(Notification from) {
        if (from.launchImage != null) {
            throw CarillonException.invalid("payload.aps.alert.launch-image", "a Live Activity has none");
        }
        Map<String, Object> alert = new TreeMap<>();
        set(alert, "title", activityText(from.title));
        set(alert, "subtitle", activityText(from.subtitle));
        set(alert, "body", activityText(from.body));
        if (alert.isEmpty() && from.sound != null) {
            throw CarillonException.invalid("payload.aps.sound", "the sound of a Live Activity needs a text");
        }
        set(alert, "sound", sound(from.sound));
        return alert.isEmpty() ? null : alert;
    }

    private static Object activityText(Text text) {
        if (text instanceof Text.Key key) {
            Map<String, Object> object = new TreeMap<>(Map.of("loc-key", key.key()));
            set(object, "loc-args", arguments(key));
            return object;
        }
        return text instanceof Text.Plain plain ? plain.text() : null;
    }

    private static void activity(Map<String, Object> aps, LiveActivity from) {
        set(aps, "timestamp", seconds("timestamp", from.timestamp));
        set(aps, "event", from.event == null ? null : from.event.name().toLowerCase(Locale.ROOT));
        set(aps, "content-state", from.contentState);
        set(aps, "stale-date", seconds("stale-date", from.staleDate));
        set(aps, "dismissal-date", seconds("dismissal-date", from.dismissalDate));
        set(aps, "attributes-type", from.attributesType);
        set(aps, "attributes", from.attributes);
        set(aps, "input-push-channel", from.inputPushChannel);
        setOne(aps, "input-push-token", from.inputPushToken);
    }

    private static Long seconds(String name, Instant time) {
        return time == null ? null : Unsigned.seconds("payload.aps." + name, time);
    }
}
