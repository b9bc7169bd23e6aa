package carillon.client;

import java.util.Map;

/**
 * The rules of §16.4 that the fields of a notification can break; their types keep the others. The field of a fault is
 * the path.
 */
final class PayloadRules {
    private static final int MAXIMUM_BYTES = 4096;
    private static final int MAXIMUM_VOIP_BYTES = 5120;

    private PayloadRules() {
    }

    static void check(Map<String, Object> object, int size, PushType pushType) {
        require(size <= (pushType.equals(PushType.VOIP) ? MAXIMUM_VOIP_BYTES : MAXIMUM_BYTES), "", "is too long");
        Map<?, ?> aps = object.get("aps") instanceof Map<?, ?> found ? found : Map.of();
        if (pushType.equals(PushType.BACKGROUND)) {
            checkBackground(aps);
        } else if (pushType.equals(PushType.FILEPROVIDER)) {
            checkFileProvider(object);
        } else if (pushType.equals(PushType.MDM)) {
            require(object.get("mdm") instanceof String, ".mdm", "is missing");
        } else if (pushType.equals(PushType.LIVEACTIVITY)) {
            checkLiveActivity(aps);
        } else if (pushType.equals(PushType.WIDGETS) || pushType.equals(PushType.CONTROLS)) {
            require(aps.containsKey("content-changed"), ".aps.content-changed", "is missing");
        }
        require(!(aps.get("badge") instanceof Long badge) || badge >= 0, ".aps.badge", "is negative");
        checkSound(".aps.sound", aps.get("sound"));
        if (aps.get("alert") instanceof Map<?, ?> alert) {
            checkSound(".aps.alert.sound", alert.get("sound"));
        }
        boolean hasAnyScore = pushType.equals(PushType.LIVEACTIVITY);
        require(hasAnyScore || isFractionOrAbsent(aps.get("relevance-score")), ".aps.relevance-score",
            "is not from 0 to 1");
    }

    private static void require(boolean holds, String path, String message) {
        if (!holds) {
            throw CarillonException.invalid("payload" + path, message);
        }
    }

    private static boolean isFractionOrAbsent(Object value) {
        return !(value instanceof Double number) || number >= 0 && number <= 1;
    }

    private static void checkSound(String path, Object sound) {
        if (sound instanceof Map<?, ?> critical) {
            require(isFractionOrAbsent(critical.get("volume")), path + ".volume", "is not from 0 to 1");
        }
    }

    private static void checkBackground(Map<?, ?> aps) {
        require(aps.containsKey("content-available"), ".aps.content-available", "is missing");
        for (String name : new String[] {"alert", "badge", "sound"}) {
            require(!aps.containsKey(name), ".aps." + name, "is not allowed in a background push");
        }
    }

    private static void checkFileProvider(Map<String, Object> object) {
        require(!object.containsKey("aps"), ".aps", "is not allowed in a fileprovider push");
        for (String name : new String[] {"container-identifier", "domain"}) {
            require(object.get(name) instanceof String, "." + name, "is missing");
        }
    }

    private static void checkLiveActivity(Map<?, ?> aps) {
        require(aps.containsKey("timestamp"), ".aps.timestamp", "is missing");
        require(aps.containsKey("event"), ".aps.event", "is missing");
        boolean isEnd = "end".equals(aps.get("event"));
        require(isEnd || aps.containsKey("content-state"), ".aps.content-state", "is missing");
        if ("start".equals(aps.get("event"))) {
            for (String name : new String[] {"attributes-type", "attributes", "alert"}) {
                require(aps.containsKey(name), ".aps." + name, "is missing");
            }
        }
    }
}
