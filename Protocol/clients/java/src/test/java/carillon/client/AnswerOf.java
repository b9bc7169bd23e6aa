package carillon.client;

import carillon.client.codec.Reader;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads the answer of an operation as the client does. */
final class AnswerOf {
    private AnswerOf() {
    }

    static Object read(String operation, Reader payload) {
        return Bridge.request(operation, example(operation)).answer(payload);
    }

    /** Returns fields that make any request of an operation; only its answer is of interest. */
    private static Map<String, Object> example(String operation) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (Object part : TestJson.list(LayoutCodec.layout("client", operation).get("fixed"))) {
            Object type = TestJson.list(part).get(1);
            Object value = type instanceof Map ? java.util.List.of() : switch ((String) type) {
                case "u8", "u16", "u32" -> 5L;
                case "u64" -> "7";
                case "uuid" -> "00".repeat(16);
                case "device" -> Map.of("id", "7");
                case "bytes" -> "7b7d";
                default -> "01";
            };
            fields.put((String) TestJson.list(part).get(0), value);
        }
        return fields;
    }
}
