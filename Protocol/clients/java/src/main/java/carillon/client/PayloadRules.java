package carillon.client;

import java.util.Map;

/**
 * The rules of §16.4 that the fields of a notification can break; their types keep the others. The field of a fault is
 * the path.
 */
final class PayloadRules {
    private static final int LIMIT = 4096;
    private static final int VOIP_LIMIT = 5120;

    private PayloadRules() {
    }

    static void check(Map<String, Object> object, int size, PushType pushType) {
        need(size <= (pushType.equals(PushType.VOIP) ? VOIP_LIMIT : LIMIT), "", "is too long");
        Map<?, ?> aps = object.get("aps") instanceof Map<?, ?> found ? found : Map.of();
        switch (pushType.number()) {
            case 2 -> background(aps);
            case 6 -> fileProvider(object);
            case 7 -> need(object.get("mdm") instanceof String, ".mdm", "is missing");
            case 8 -> liveActivity(aps);
            case 10, 11 -> need(aps.containsKey("content-changed"), ".aps.content-changed", "is missing");
            default -> { }
        }
        need(!(aps.get("badge") instanceof Long badge) || badge >= 0, ".aps.badge", "is negative");
        sound(".aps.sound", aps.get("sound"));
        if (aps.get("alert") instanceof Map<?, ?> alert) {
            sound(".aps.alert.sound", alert.get("sound"));
        }
        boolean isAny = pushType.equals(PushType.LIVEACTIVITY);
        need(isAny || isPart(aps.get("relevance-score")), ".aps.relevance-score", "is not from 0 to 1");
    }

    private static void need(boolean holds, String path, String message) {
        if (!holds) {
            throw CarillonException.invalid("payload" + path, message);
        }
    }

    private static boolean isPart(Object value) {
        return !(value instanceof Double number) || number >= 0 && number <= 1;
    }

    private static void sound(String path, Object sound) {
        if (sound instanceof Map<?, ?> critical) {
            need(isPart(critical.get("volume")), path + ".volume", "is not from 0 to 1");
        }
    }

    private static void background(Map<?, ?> aps) {
        need(aps.containsKey("content-available"), ".aps.content-available", "is missing");
        for (String name : new String[] {"alert", "badge", "sound"}) {
            need(!aps.containsKey(name), ".aps." + name, "is not allowed in a background push");
        }
    }

    private static void fileProvider(Map<String, Object> object) {
        need(!object.containsKey("aps"), ".aps", "is not allowed in a fileprovider push");
        for (String name : new String[] {"container-identifier", "domain"}) {
            need(object.get(name) instanceof String, "." + name, "is missing");
        }
    }

    private static void liveActivity(Map<?, ?> aps) {
        need(aps.containsKey("timestamp"), ".aps.timestamp", "is missing");
        need(aps.containsKey("event"), ".aps.event", "is missing");
        boolean isEnd = "end".equals(aps.get("event"));
        need(isEnd || aps.containsKey("content-state"), ".aps.content-state", "is missing");
        if ("start".equals(aps.get("event"))) {
            for (String name : new String[] {"attributes-type", "attributes", "alert"}) {
                need(aps.containsKey(name), ".aps." + name, "is missing");
            }
        }
    }
}
