package carillon.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import carillon.client.codec.ErrorFrame;
import carillon.client.codec.Frames;
import carillon.client.codec.Operation;
import carillon.client.codec.Reader;
import carillon.client.codec.Writer;
import carillon.client.session.GoAway;
import carillon.client.session.Session;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The sessions of `vectors/sessions`, byte by byte, without a socket. */
final class SessionTest implements Session.Handler<ConnectionRequest> {
    /** The software that the HELLO of the vectors names. */
    private static final String SOFTWARE = "py/1.0";
    private static final Session.Settings SETTINGS = new Session.Settings(SOFTWARE, 1 << 20, 1024, 3_000_000_000L,
        5_000_000_000L);
    private final List<String> told = new ArrayList<>();

    @Override
    public void opened() {
        told.add("opened");
    }

    @Override
    public void answered(ConnectionRequest sent, Reader payload) {
        told.add("answer " + Long.toUnsignedString(sent.id()));
    }

    @Override
    public void refused(ConnectionRequest sent, ErrorFrame error) {
        told.add("error " + error.code());
    }

    @Override
    public void event(long subscription, Reader payload) {
        StreamElement element = Answers.event(payload);
        told.add(element instanceof StreamElement.Gap gap ? "gap to " + gap.missedTo() : "event of " + subscription);
    }

    @Override
    public void goingAway(GoAway goaway) {
        told.add("goaway");
    }

    @Override
    public void position(java.util.UUID cluster, long position) {
        told.add("position " + Long.toUnsignedString(position));
    }

    @Override
    public void pong() {
        told.add("pong");
    }

    private List<String> play(Map<String, Object> vector, byte[] key, int pieces) {
        Session<ConnectionRequest> session = new Session<>(SETTINGS, key, 0);
        List<Object> steps = TestJson.list(vector.get("steps"));
        Writer urgent = new Writer();
        session.writeUrgent(urgent);
        byte[] preface = Vectors.bytes(TestJson.object(steps.get(0)).get("hex"));
        assertEquals(Vectors.hex(preface), Vectors.hex(Arrays.copyOf(urgent.toByteArray(), Frames.PREFACE)));
        for (Object each : steps) {
            Map<String, Object> step = TestJson.object(each);
            byte[] bytes = Vectors.bytes(step.get("hex"));
            if (step.get("from").equals("server")) {
                feed(session, bytes, pieces);
            } else if (bytes.length > Frames.PREFACE && Frames.opcode(bytes, 0) != Operation.HELLO.opcode()) {
                assertEquals(step.get("hex"), Vectors.hex(write(session, bytes)), (String) step.get("note"));
            }
        }
        return told;
    }

    private void feed(Session<ConnectionRequest> session, byte[] bytes, int pieces) {
        for (int at = 0; at < bytes.length; at += pieces) {
            int count = Math.min(pieces, bytes.length - at);
            System.arraycopy(bytes, at, session.input(), session.inputOffset(), count);
            session.received(count, at, this);
        }
    }

    /** Writes the request of a frame: AUTH by the session itself, every other by its fields. */
    private static byte[] write(Session<ConnectionRequest> session, byte[] frame) {
        Writer out = new Writer();
        Operation operation = Arrays.stream(Operation.values()).filter(each -> each.opcode() == Frames.opcode(frame, 0))
            .findFirst().orElseThrow();
        if (operation == Operation.AUTH) {
            session.writeUrgent(out);
            return out.toByteArray();
        }
        Map<String, Object> fields = LayoutCodec.decode("client", operation.toString(), frame, Frames.HEADER,
            new ArrayList<>());
        long deadline = fields.containsKey("deadline_ms") ? ((Number) fields.get("deadline_ms")).longValue() : -1;
        assertTrue(session.hasRoom());
        session.write(out, Bridge.request(operation.toString(), fields), new StreamRequest(null, null), deadline, 0);
        return out.toByteArray();
    }

    private static byte[] key(Map<String, Object> vector) {
        for (Object each : TestJson.list(vector.get("steps"))) {
            byte[] bytes = Vectors.bytes(TestJson.object(each).get("hex"));
            if (bytes.length > Frames.PREFACE && bytes[4] == Frames.REQUEST
                && Frames.opcode(bytes, 0) == Operation.AUTH.opcode()) {
                return Vectors.bytes(LayoutCodec.decode("client", "auth", bytes, Frames.HEADER, new ArrayList<>())
                    .get("credential"));
            }
        }
        throw new AssertionError("a session without AUTH");
    }

    @Test
    void sessionsOfTheVectorsAreReadInPiecesOfAnySize() throws Exception {
        List<Map<String, Object>> sessions = Vectors.load("sessions");
        assertEquals(2, sessions.size());
        for (Map<String, Object> vector : sessions) {
            List<String> whole = List.copyOf(play(vector, key(vector), 1 << 16));
            assertEquals("opened", whole.get(0));
            assertTrue(whole.size() >= 3, whole.toString());
            told.clear();
            assertEquals(whole, play(vector, key(vector), 1));
            told.clear();
        }
    }

    @Test
    void aLargeFrameGrowsTheBufferOnlyForItself() throws Exception {
        Map<String, Object> vector = Vectors.load("sessions").get(1);
        Session<ConnectionRequest> session = new Session<>(SETTINGS, key(vector), 0);
        List<Object> steps = TestJson.list(vector.get("steps"));
        for (Object each : steps.subList(0, Math.min(6, steps.size()))) {
            Map<String, Object> step = TestJson.object(each);
            byte[] bytes = Vectors.bytes(step.get("hex"));
            if (step.get("from").equals("server")) {
                feed(session, bytes, bytes.length);
            } else if (bytes.length > Frames.PREFACE && Frames.opcode(bytes, 0) == Operation.AUTH.opcode()) {
                write(session, bytes);
            }
        }
        assertTrue(session.isOpen());
        int lengthBefore = session.input().length;
        Writer frame = new Writer();
        Frames.header(frame, 300_000, Frames.ANSWER, 0, Operation.LOOKUP.opcode(), 99);
        frame.raw(new byte[300_000]);
        feed(session, frame.toByteArray(), 10_000);
        assertEquals(lengthBefore, session.input().length);
        assertTrue(session.hasWorked());
        assertFalse(session.hasUrgent());
        assertTrue(session.takeAbove(0).isEmpty());
    }
}
