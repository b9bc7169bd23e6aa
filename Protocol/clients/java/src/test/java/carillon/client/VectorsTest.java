package carillon.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import carillon.client.codec.ErrorFrame;
import carillon.client.codec.Frames;
import carillon.client.codec.MalformedException;
import carillon.client.codec.Operation;
import carillon.client.codec.Reader;
import carillon.client.codec.Request;
import carillon.client.codec.Writer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The golden vectors (§21), with the counts that must not shrink silently. */
final class VectorsTest {
    private static final int VALID = 626;
    private static final int INVALID = 1694;

    private static boolean isIgnored(Map<String, Object> vector) {
        return vector.get("message").equals("ignored");
    }

    private static boolean isOneWay(Map<String, Object> vector) {
        return vector.containsKey("decode_only") || vector.containsKey("unknown_tags");
    }

    private static String from(Map<String, Object> vector) {
        return (String) vector.get("from");
    }

    private static String message(Map<String, Object> vector) {
        return (String) vector.get("message");
    }

    @Test
    void theOperationsAreThoseOfTheLayouts() {
        List<Object> requests = TestJson.list(LayoutCodec.LAYOUTS.get("requests"));
        assertEquals(Operation.values().length, requests.size());
        for (int index = 0; index < requests.size(); index++) {
            Map<String, Object> layout = TestJson.object(requests.get(index));
            assertEquals(layout.get("name"), Operation.values()[index].toString());
            assertEquals(layout.get("opcode"), (long) Operation.values()[index].opcode());
        }
    }

    @Test
    void namesOfEnumerationsAreThoseOfTheLayouts() throws Exception {
        Map<String, Object> all = TestJson.object(LayoutCodec.LAYOUTS.get("enumerations"));
        Map<String, Class<?>> classes = Map.ofEntries(Map.entry("environment", Environment.class),
            Map.entry("token_kind", TokenKind.class), Map.entry("push_type", PushType.class),
            Map.entry("lane", Lane.class), Map.entry("registered", RegisterResultKind.class),
            Map.entry("unregistered", UnregisterResultKind.class), Map.entry("forgotten", ForgetResult.class),
            Map.entry("storage_policy", StoragePolicy.class), Map.entry("channel_deleted", DeleteChannelResult.class),
            Map.entry("device_state", DeviceState.class), Map.entry("message_state", MessageState.class),
            Map.entry("obstacle", ObstacleKind.class),
            Map.entry("addressing", Addressing.class), Map.entry("source", SourceKind.class),
            Map.entry("receipt", ReceiptKind.class), Map.entry("outcome", Outcome.class),
            Map.entry("event_kind", EventKind.class));
        for (Map.Entry<String, Class<?>> each : classes.entrySet()) {
            for (Map.Entry<String, Object> name : TestJson.object(all.get(each.getKey())).entrySet()) {
                int number = Integer.parseInt(name.getKey());
                if (each.getValue() == EventKind.class && number == 0) {
                    continue; // a gap is an element of its own
                }
                Object made = each.getValue().getDeclaredConstructor(int.class).newInstance(number);
                assertEquals(name.getValue(), made.toString(), each.getKey());
            }
            assertEquals("unknown-250", each.getValue().getDeclaredConstructor(int.class).newInstance(250).toString());
        }
        TestJson.object(all.get("code"))
            .forEach((number, name) -> assertEquals(name, Code.of(Integer.parseInt(number)).name()));
        assertEquals(Code.UNKNOWN, Code.of(4711));
    }

    @Test
    void validFramesDecodeToTheirFields() throws Exception {
        List<Map<String, Object>> vectors = Vectors.load("valid");
        assertEquals(VALID, vectors.size());
        for (Map<String, Object> vector : vectors) {
            byte[] frame = Vectors.bytes(vector.get("hex"));
            Map<String, Object> header = TestJson.object(vector.get("frame"));
            assertEquals(Vectors.number(header.get("opcode")), Frames.opcode(frame, 0), message(vector));
            assertEquals(header.get("id"), Long.toUnsignedString(Frames.id(frame, 0)));
            assertEquals(frame.length - Frames.HEADER, Frames.length(frame, 0));
            if (isIgnored(vector)) {
                continue;
            }
            List<Object> unknown = new ArrayList<>();
            assertEquals(vector.get("fields"),
                LayoutCodec.decode(from(vector), message(vector), frame, Frames.HEADER, unknown),
                (String) vector.get("name"));
            assertEquals(TestJson.list(vector.getOrDefault("unknown_tags", List.of())), unknown);
        }
    }

    @Test
    void validFieldsEncodeToTheirBytes() throws Exception {
        int encoded = 0;
        for (Map<String, Object> vector : Vectors.load("valid")) {
            if (isIgnored(vector) || isOneWay(vector)) {
                continue;
            }
            Map<String, Object> header = TestJson.object(vector.get("frame"));
            byte[] payload = LayoutCodec.encode(from(vector), message(vector), TestJson.object(vector.get("fields")));
            Writer out = new Writer();
            Frames.header(out, payload.length, Vectors.number(header.get("kind")), Vectors.number(header.get("flags")),
                Vectors.number(header.get("opcode")), Unsigned.parse((String) header.get("id")));
            out.raw(payload);
            assertEquals(vector.get("hex"), Vectors.hex(out.toByteArray()), (String) vector.get("name"));
            encoded++;
        }
        assertEquals(588, encoded);
    }

    /** The typed requests of the client, of which some forms are not written: an explicit 0 for what is absent. */
    @Test
    void requestsOfTheClientAreTheValidFrames() throws Exception {
        Set<String> operations = new HashSet<>();
        int encoded = 0;
        int unwritten = 0;
        for (Map<String, Object> vector : Vectors.load("valid")) {
            Map<String, Object> fields = TestJson.object(vector.get("fields"));
            boolean isRequest = from(vector).equals("client")
                && Vectors.number(TestJson.object(vector.get("frame")).get("kind")) == 1;
            if (!isRequest || isOneWay(vector) || message(vector).equals("hello") || message(vector).equals("auth")) {
                continue;
            }
            if (isNotWritten(message(vector), fields)) {
                unwritten++;
                continue;
            }
            Request<?> request = Bridge.request(message(vector), fields);
            assertNotNull(request, message(vector));
            long id = Unsigned.parse((String) TestJson.object(vector.get("frame")).get("id"));
            Writer out = new Writer();
            Frames.request(out, request, id,
                fields.containsKey("deadline_ms") ? ((Number) fields.get("deadline_ms")).longValue() : -1);
            assertEquals(vector.get("hex"), Vectors.hex(out.toByteArray()), (String) vector.get("name"));
            operations.add(message(vector));
            encoded++;
        }
        assertEquals(Operation.values().length - 2, operations.size());
        System.out.println("requests encoded: " + encoded + ", of forms that are not written: " + unwritten);
    }

    private static boolean isNotWritten(String message, Map<String, Object> fields) {
        boolean isExplicitZero = Long.valueOf(0).equals(fields.get("dry_run"))
            || Long.valueOf(0).equals(fields.get("clear_topics"));
        return isExplicitZero || message.equals("register_batch")
            && !TestJson.list(fields.get("items")).stream().allMatch(VectorsTest::isRegistration);
    }

    private static boolean isRegistration(Object item) {
        try {
            LayoutCodec.decode("client", "register", Vectors.bytes(item), 0, new ArrayList<>());
            return true;
        } catch (MalformedException error) {
            return false;
        }
    }

    @Test
    void answersToTheClientHaveTheFieldsOfTheValidFrames() throws Exception {
        Set<String> operations = new HashSet<>();
        for (Map<String, Object> vector : Vectors.load("valid")) {
            Map<String, Object> header = TestJson.object(vector.get("frame"));
            if (!from(vector).equals("server") || isIgnored(vector)) {
                continue;
            }
            byte[] frame = Vectors.bytes(vector.get("hex"));
            Reader payload = new Reader(frame, Frames.HEADER, frame.length - Frames.HEADER);
            Map<String, Object> fields = TestJson.object(vector.get("fields"));
            int kind = Vectors.number(header.get("kind"));
            if (kind == Frames.ANSWER && !message(vector).equals("hello") && !message(vector).equals("auth")) {
                Object answer = AnswerOf.read(message(vector), payload);
                assertEquals(comparable(fields), comparable(Bridge.answer(message(vector), answer)),
                    (String) vector.get("name"));
                operations.add(message(vector));
            } else if (kind == Frames.EVENT) {
                StreamElement element = Answers.event(payload);
                Map<String, Object> found = Bridge.element(element);
                found.forEach((name, value) -> assertEquals(fields.get(name), value, (String) vector.get("name")));
            } else if (kind == Frames.ERROR) {
                ErrorFrame error = ErrorFrame.read(payload);
                assertEquals(fields.get("code"), (long) error.code());
                assertEquals(fields.get("field"), error.field());
                assertEquals(fields.get("item"), error.item());
                assertEquals(fields.get("column"), error.column());
                assertEquals(fields.get("limit"), error.limit() == null ? null : Long.toUnsignedString(error.limit()));
            }
        }
        assertEquals(Operation.values().length - 2, operations.size());
    }

    /** A flag that is absent or 0, and a list or a count that is absent or empty, are the same to a program. */
    private static Map<String, Object> comparable(Map<String, Object> fields) {
        Map<String, Object> copy = new java.util.TreeMap<>(fields);
        copy.values().removeIf(value -> value.equals(0L) || value.equals("0") || value.equals(List.of()));
        return copy;
    }

    @Test
    void malformedPayloadsAreRefusedAndOthersAreRead() throws Exception {
        List<Map<String, Object>> vectors = Vectors.load("invalid");
        assertEquals(INVALID, vectors.size());
        int refused = 0;
        int read = 0;
        for (Map<String, Object> vector : vectors) {
            byte[] frame = Vectors.bytes(vector.get("hex"));
            String message = frame.length < Frames.HEADER || !vector.get("phase").equals("open") ? null
                : requestOf(frame);
            if (message == null || !(vector.get("expect") instanceof Map<?, ?> expect)
                || !expect.get("scope").equals("request")
                || List.of("UNSUPPORTED_OPCODE", "UNSUPPORTED_VERSION").contains(expect.get("code"))) {
                continue;
            }
            if (expect.get("code").equals("MALFORMED")) {
                assertThrows(MalformedException.class,
                    () -> LayoutCodec.decode("client", message, frame, Frames.HEADER, new ArrayList<>()),
                    (String) vector.get("name"));
                refused++;
            } else {
                LayoutCodec.decode("client", message, frame, Frames.HEADER, new ArrayList<>());
                read++;
            }
        }
        assertTrue(refused >= 400 && read >= 700, refused + " refused, " + read + " read");
        System.out.println("invalid: " + refused + " malformed, " + read + " of another fault");
    }

    private static String requestOf(byte[] frame) {
        return Arrays.stream(Operation.values())
            .filter(each -> frame[4] == Frames.REQUEST && each.opcode() == Frames.opcode(frame, 0))
            .map(Operation::toString).findFirst().orElse(null);
    }
}
