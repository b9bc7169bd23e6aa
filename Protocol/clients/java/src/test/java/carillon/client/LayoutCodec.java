package carillon.client;

import carillon.client.codec.MalformedException;
import carillon.client.codec.Reader;
import carillon.client.codec.Writer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Reads and writes the payload of any message by `layouts.json`, with the reader and the writer of the client. */
final class LayoutCodec {
    static final Map<String, Object> LAYOUTS = TestJson.object(TestJson.read(Vectors.PROTOCOL.resolve("layouts.json")));

    private LayoutCodec() {
    }

    /** Returns the layout of a message; null if there is none. */
    static Map<String, Object> layout(String from, String message) {
        if (LAYOUTS.get(message) instanceof Map<?, ?> found) {
            return TestJson.object(found);
        }
        for (Object each : TestJson.list(LAYOUTS.get("requests"))) {
            Map<String, Object> request = TestJson.object(each);
            if (request.get("name").equals(message)) {
                return TestJson.object(request.get(from.equals("client") ? "request" : "answer"));
            }
        }
        return null;
    }

    /** Returns the tags that a message may have, ascending. */
    private static List<Object> tags(String from, String message, Map<String, Object> layout) {
        List<Object> tags = new ArrayList<>(TestJson.list(layout.getOrDefault("tags", List.of())));
        boolean isRequest = from.equals("client") && !LAYOUTS.containsKey(message);
        if (isRequest) {
            tags.addAll(0, TestJson.list(LAYOUTS.get("common_tags")));
        }
        return tags;
    }

    static Map<String, Object> decode(String from, String message, byte[] bytes, int offset, List<Object> unknown) {
        Map<String, Object> layout = layout(from, message);
        Reader in = new Reader(bytes, offset, bytes.length - offset);
        Map<String, Object> fields = new LinkedHashMap<>();
        for (Object part : TestJson.list(layout.get("fixed"))) {
            List<Object> field = TestJson.list(part);
            fields.put((String) field.get(0), value(in, field.get(1), false));
        }
        if (layout.containsKey("untagged")) {
            if (in.left() > 0) {
                throw new MalformedException("bytes left over");
            }
            return fields;
        }
        List<Object> tags = tags(from, message, layout);
        while (in.nextTag()) {
            Object known = tags.stream()
                .filter(each -> Vectors.number(TestJson.list(each).get(0)) == in.tag()).findFirst().orElse(null);
            if (known == null) {
                unknown.add(new LinkedHashMap<>(Map.of("tag", in.tag(), "hex", Vectors.hex(in.tagBytes()))));
            } else {
                fields.put((String) TestJson.list(known).get(1), value(in, TestJson.list(known).get(2), true));
            }
        }
        return fields;
    }

    private static Object value(Reader in, Object type, boolean isTag) {
        if (type instanceof Map<?, ?> composed) {
            if (composed.containsKey("list")) {
                Object inner = composed.get("list");
                return in.list(least(inner), each -> value(each, inner, false));
            }
            Map<String, Object> struct = new LinkedHashMap<>();
            for (Object part : TestJson.list(composed.get("struct"))) {
                struct.put((String) TestJson.list(part).get(0), value(in, TestJson.list(part).get(1), false));
            }
            return struct;
        }
        return switch ((String) type) {
            case "u8" -> (long) in.u8();
            case "u16" -> (long) in.u16();
            case "u32" -> in.u32();
            case "u64" -> Long.toUnsignedString(in.u64());
            case "uuid" -> in.uuid().toString().replace("-", "");
            case "data8" -> String.format("%016x", in.u64());
            case "str" -> isTag ? in.tagStr() : in.str();
            case "topic" -> topic(isTag ? in.tagStr() : in.str());
            case "bytes" -> Vectors.hex(isTag ? in.tagBytes() : in.bytes());
            case "token" -> Vectors.hex(isTag ? in.tagToken() : in.token());
            case "device" -> device(in);
            default -> throw new IllegalArgumentException("type " + type);
        };
    }

    private static String topic(String name) {
        return name.startsWith("/topics/") ? name.substring("/topics/".length()) : name;
    }

    private static Object device(Reader in) {
        int form = in.u8();
        if (form == 2) {
            return Map.of("id", Long.toUnsignedString(in.u64()));
        }
        if (form != 1) {
            throw new MalformedException("a device of form " + form);
        }
        Map<String, Object> token = new LinkedHashMap<>();
        token.put("environment", (long) in.u8());
        token.put("kind", (long) in.u8());
        token.put("token", Vectors.hex(in.token()));
        return Map.of("token", token);
    }

    private static int least(Object type) {
        if (type instanceof Map<?, ?> composed) {
            return composed.containsKey("list") ? 4
                : TestJson.list(composed.get("struct")).stream().mapToInt(part -> least(TestJson.list(part).get(1)))
                .sum();
        }
        return switch ((String) type) {
            case "u8" -> 1;
            case "u16", "str", "topic", "token" -> 2;
            case "u32", "bytes" -> 4;
            case "u64", "data8" -> 8;
            case "uuid" -> 16;
            default -> 5;
        };
    }

    /** Returns the payload. */
    static byte[] encode(String from, String message, Map<String, Object> fields) {
        Map<String, Object> layout = layout(from, message);
        Writer out = new Writer();
        for (Object part : TestJson.list(layout.get("fixed"))) {
            List<Object> field = TestJson.list(part);
            write(out, field.get(1), fields.get(field.get(0)));
        }
        Writer section = new Writer();
        section.beginTags();
        for (Object part : tags(from, message, layout)) {
            List<Object> tag = TestJson.list(part);
            if (fields.containsKey(tag.get(1))) {
                Object value = fields.get(tag.get(1));
                int number = Vectors.number(tag.get(0));
                if (tag.get(2).equals("str") || tag.get(2).equals("topic")) {
                    section.tagStr(number, "field", (String) value);
                } else if (tag.get(2).equals("bytes") || tag.get(2).equals("token")) {
                    section.tagBytes(number, Vectors.bytes(value));
                } else {
                    Writer inner = new Writer();
                    write(inner, tag.get(2), value);
                    section.tagBytes(number, inner);
                }
            }
        }
        if (section.tagCount() > 0) {
            out.uvarint(section.tagCount());
            out.raw(section.array(), 0, section.size());
        }
        return out.toByteArray();
    }

    private static void write(Writer out, Object type, Object value) {
        if (type instanceof Map<?, ?> composed && composed.containsKey("list")) {
            out.list("list", TestJson.list(value), (inner, each) -> write(inner, composed.get("list"), each));
            return;
        }
        if (type instanceof Map<?, ?> composed) {
            for (Object part : TestJson.list(composed.get("struct"))) {
                write(out, TestJson.list(part).get(1), TestJson.object(value).get(TestJson.list(part).get(0)));
            }
            return;
        }
        switch ((String) type) {
            case "u8" -> out.u8("u8", Vectors.number(value));
            case "u16" -> out.u16("u16", Vectors.number(value));
            case "u32" -> out.u32("u32", ((Number) value).longValue());
            case "u64" -> out.u64(Unsigned.parse((String) value));
            case "data8" -> out.u64(Long.parseUnsignedLong((String) value, 16));
            case "uuid" -> out.uuid(uuid((String) value));
            case "str", "topic" -> out.str("str", (String) value);
            case "bytes" -> out.bytes("bytes", Vectors.bytes(value));
            case "token" -> out.token("token", Vectors.bytes(value));
            case "device" -> Requests.device(out, "device", Bridge.device(value));
            default -> throw new IllegalArgumentException("type " + type);
        }
    }

    static UUID uuid(String hex) {
        return new UUID(Long.parseUnsignedLong(hex.substring(0, 16), 16),
            Long.parseUnsignedLong(hex.substring(16), 16));
    }
}
