package carillon.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The payloads of `vectors/payloads.json`. */
final class PayloadTest {
    private static final int PAYLOADS = 95;

    private static PushType pushType(String name) {
        for (int number = 1; number <= 11; number++) {
            if (new PushType(number).toString().equals(name)) {
                return new PushType(number);
            }
        }
        throw new AssertionError(name);
    }

    private static Text text(Object value) {
        if (value instanceof String plain) {
            return Text.of(plain);
        }
        Map<String, Object> key = TestJson.object(value);
        return new Text.Key((String) key.get("loc_key"),
            TestJson.list(key.getOrDefault("loc_args", List.of())).stream().map(each -> (String) each).toList());
    }

    private static Sound sound(Object value) {
        if (value instanceof String name) {
            return Sound.of(name);
        }
        Map<String, Object> critical = TestJson.object(value);
        return critical.containsKey("volume")
            ? Sound.critical((String) critical.get("name"), ((Number) critical.get("volume")).doubleValue())
            : Sound.critical((String) critical.get("name"));
    }

    private static Instant seconds(Object value) {
        return Instant.ofEpochSecond(((Number) value).longValue());
    }

    private static LiveActivity activity(Map<String, Object> fields) {
        LiveActivity made = new LiveActivity();
        fields.forEach((name, value) -> {
            switch (name) {
                case "timestamp" -> made.timestamp(seconds(value));
                case "event" ->
                    made.event(LiveActivity.Event.valueOf(((String) value).toUpperCase(java.util.Locale.ROOT)));
                case "content_state" -> made.contentState(TestJson.object(value));
                case "stale_date" -> made.staleDate(seconds(value));
                case "dismissal_date" -> made.dismissalDate(seconds(value));
                case "attributes_type" -> made.attributesType((String) value);
                case "attributes" -> made.attributes(TestJson.object(value));
                case "input_push_channel" -> made.inputPushChannel((String) value);
                case "input_push_token" -> made.inputPushToken((Boolean) value);
                default -> throw new AssertionError(name);
            }
        });
        return made;
    }

    private static Notification notification(Map<String, Object> fields) {
        Notification made = new Notification();
        fields.forEach((name, value) -> {
            switch (name) {
                case "title" -> made.title(text(value));
                case "subtitle" -> made.subtitle(text(value));
                case "body" -> made.body(text(value));
                case "launch_image" -> made.launchImage((String) value);
                case "badge" -> made.badge(((Number) value).longValue());
                case "sound" -> made.sound(sound(value));
                case "thread_id" -> made.threadId((String) value);
                case "category" -> made.category((String) value);
                case "content_available" -> made.contentAvailable((Boolean) value);
                case "mutable_content" -> made.mutableContent((Boolean) value);
                case "interruption_level" -> made.interruptionLevel(java.util.Arrays.stream(InterruptionLevel.values())
                    .filter(each -> each.toString().equals(value)).findFirst().orElseThrow());
                case "relevance_score" -> made.relevanceScore(((Number) value).doubleValue());
                case "target_content_id" -> made.targetContentId((String) value);
                case "filter_criteria" -> made.filterCriteria((String) value);
                case "content_changed" -> made.contentChanged((Boolean) value);
                case "url_args" -> made.urlArgs(TestJson.list(value).stream().map(each -> (String) each).toList());
                case "live_activity" -> made.liveActivity(activity(TestJson.object(value)));
                case "mdm" -> made.mdm((String) value);
                case "data" -> made.data(TestJson.object(value));
                default -> throw new AssertionError(name);
            }
        });
        return made;
    }

    private static Translation translation(Map<String, Object> fields) {
        Translation made = new Translation();
        fields.forEach((name, value) -> {
            switch (name) {
                case "title" -> made.title(text(value));
                case "subtitle" -> made.subtitle(text(value));
                case "body" -> made.body(text(value));
                case "launch_image" -> made.launchImage((String) value);
                default -> throw new AssertionError(name);
            }
        });
        return made;
    }

    private static Object special(String name) {
        if (name.startsWith("nested-")) {
            List<Object> inner = List.of();
            for (int depth = 1; depth < Integer.parseInt(name.substring(7)); depth++) {
                inner = List.of(inner);
            }
            return inner;
        }
        return switch (name) {
            case "nan" -> Double.NaN;
            case "infinity" -> Double.POSITIVE_INFINITY;
            case "-infinity" -> Double.NEGATIVE_INFINITY;
            case "lone-surrogate" -> "\uD800";
            default -> Map.of("\uD800", 1);
        };
    }

    private static Map<String, Object> withSpecial(Map<String, Object> special) {
        Object value = special((String) special.get("value"));
        List<Object> path = TestJson.list(special.get("path"));
        for (int index = path.size() - 1; index >= 0; index--) {
            value = path.get(index) instanceof String name ? new HashMap<>(Map.of(name, value)) : List.of(value);
        }
        return TestJson.object(value);
    }

    private static Map<String, Object> result(Map<String, Object> vector) {
        Map<String, Object> made = new LinkedHashMap<>();
        try {
            Notification notification = notification(TestJson.object(vector.get("fields")));
            if (vector.containsKey("special")) {
                notification.data(withSpecial(TestJson.object(vector.get("special"))));
            }
            Content content = Content.of(notification);
            TestJson.object(vector.getOrDefault("translations", Map.of()))
                .forEach((tag, fields) -> content.translation(tag, translation(TestJson.object(fields))));
            if (Boolean.FALSE.equals(vector.get("default"))) {
                content.withoutDefault();
            }
            PushType pushType = pushType((String) vector.get("push_type"));
            byte[] payload = content.payload(pushType);
            made.put("payload", payload.length == 0 ? null : new String(payload, StandardCharsets.UTF_8));
            if (vector.containsKey("translations")) {
                List<Object> bodies = new ArrayList<>();
                content.bodies(pushType)
                    .forEach(body -> bodies.add(List.of(body.language(),
                            new String(body.payload(), StandardCharsets.UTF_8))));
                made.put("bodies", bodies);
            }
        } catch (CarillonException error) {
            assertEquals(Code.INVALID_ARGUMENT, error.code());
            return Map.of("fault", error.field().orElseThrow());
        }
        return made;
    }

    @Test
    void payloadsAreThoseOfTheVectors() {
        List<Object> vectors = TestJson.list(TestJson.read(Vectors.PROTOCOL.resolve("vectors/payloads.json")));
        assertEquals(PAYLOADS, vectors.size());
        for (Object each : vectors) {
            Map<String, Object> vector = TestJson.object(each);
            Map<String, Object> expected = new LinkedHashMap<>(vector);
            expected.keySet().retainAll(List.of("payload", "bodies", "fault"));
            assertEquals(expected, result(vector), (String) vector.get("name"));
        }
    }

    @Test
    void doublesAreWrittenInTheFewestDigitsThatReadBack() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 20_000; round++) {
            double value = Double.longBitsToDouble(random.nextLong());
            if (Double.isFinite(value)) {
                assertEquals(value, Double.parseDouble(Json.ecmaScript(value)));
                assertEquals(true, digits(Json.ecmaScript(value)) <= digits(Double.toString(value)));
            }
        }
        assertEquals("2e-322", Json.ecmaScript(2.0E-322));
        assertEquals("5.684341886080802e-14", Json.ecmaScript(Math.pow(2, -44)));
        assertEquals("9.5367431640625e-7", Json.ecmaScript(Math.pow(2, -20)));
        assertEquals("2.2250738585072014e-308", Json.ecmaScript(Double.MIN_NORMAL));
    }

    private static int digits(String text) {
        return text.replaceAll("[eE].*", "").replaceAll("[^0-9]", "").replaceAll("^0+|0+$", "").length();
    }

    @Test
    void valuesOfJavaAreWrittenAsJSON() {
        assertEquals("payload of 18 bytes", Payload.of(Map.of("b", 1, "a", List.of(true))).toString());
        CarillonException error = assertThrows(CarillonException.class, () -> Payload.of(Map.of("x", new Object())));
        assertEquals("payload.x", error.field().orElseThrow());
        assertThrows(CarillonException.class, () -> Payload.of((String) null));
    }
}
