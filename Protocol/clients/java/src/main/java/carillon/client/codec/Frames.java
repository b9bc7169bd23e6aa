package carillon.client.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** The preface (§2) and the header of frames (§3). */
public final class Frames {
    /** Bytes of a preface. */
    public static final int PREFACE = 16;
    /** Bytes of a header. */
    public static final int HEADER = 16;
    /** The kind of a request. */
    public static final int REQUEST = 1;
    /** The kind of a response. */
    public static final int RESPONSE = 2;
    /** The kind of an error. */
    public static final int ERROR = 3;
    /** The kind of an event. */
    public static final int EVENT = 4;
    /** The kind of a control frame. */
    public static final int CONTROL = 5;
    /** The flag of the answer to a PING. */
    public static final int ACK = 1;
    /** The opcode of PING. */
    public static final int PING = 3;
    /** The opcode of GOAWAY. */
    public static final int GOAWAY = 4;
    /** The opcode of POSITION. */
    public static final int POSITION = 5;
    /** The largest number of milliseconds of a {@code u32}: as a pause it means never. */
    public static final long NEVER = 0xFFFF_FFFFL;
    /** The tag of {@code deadline_ms}, common to all requests. */
    private static final int DEADLINE_TAG = 2;
    private static final byte[] MAGIC = {(byte) 0xC3, 0x43, 0x52, 0x4C, 0x4E, 0x0D, 0x0A, 0x1A};

    static final VarHandle BIG_32 = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    static final VarHandle BIG_64 = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private Frames() {
    }

    /** Writes the preface of the client: versions 1 to 1. */
    public static void preface(Writer out) {
        out.raw(MAGIC);
        out.raw(new byte[] {1, 1, 0, 0, 0, 0, 0, 0});
    }

    /** Judges one byte of the server's preface. */
    public static boolean isPreface(int index, byte value) {
        if (index < MAGIC.length) {
            return value == MAGIC[index];
        }
        return index == MAGIC.length ? value == 0 || value == 1 : value == 0;
    }

    /** Writes a header. */
    public static void header(Writer out, int length, int kind, int flags, int opcode, long id) {
        out.u64((long) length << 32 | (long) kind << 24 | (long) flags << 16 | opcode);
        out.u64(id);
    }

    /** Writes a request as one frame. */
    public static void request(Writer out, Request<?> request, long id, long deadlineMs) {
        boolean hasDeadline = deadlineMs >= 0;
        int tags = request.tagCount() + (hasDeadline ? 1 : 0);
        header(out, request.body().length + (tags == 0 ? 0 : 1) + (hasDeadline ? 6 : 0), REQUEST, 0,
            request.operation().opcode(), id);
        out.raw(request.body(), 0, request.tagsAt());
        if (tags > 0) {
            out.uvarint(tags);
        }
        if (hasDeadline) {
            out.uvarint(DEADLINE_TAG);
            out.uvarint(4);
            out.u32("deadline_ms", deadlineMs);
        }
        out.raw(request.body(), request.tagsAt(), request.body().length - request.tagsAt());
    }

    /** Writes a PING. */
    public static void ping(Writer out, long data, boolean isAck) {
        header(out, 8, CONTROL, isAck ? ACK : 0, PING, 0);
        out.u64(data);
    }

    /** Writes a POSITION. */
    public static void position(Writer out, long position) {
        header(out, 8, CONTROL, 0, POSITION, 0);
        out.u64(position);
    }

    /** Reads the length of a header. */
    public static long length(byte[] bytes, int at) {
        return (int) BIG_32.get(bytes, at) & 0xFFFF_FFFFL;
    }

    /** Reads the opcode of a header. */
    public static int opcode(byte[] bytes, int at) {
        return (int) BIG_32.get(bytes, at + 4) & 0xFFFF;
    }

    /** Reads the id of a header. */
    public static long id(byte[] bytes, int at) {
        return (long) BIG_64.get(bytes, at + 8);
    }

    /** Judges the header of a frame of the server (CONTRACT.md, CON-8). */
    public static void check(byte[] bytes, int at, int maximumReceiveBytes) {
        long length = length(bytes, at);
        int kind = bytes[at + 4];
        int flags = bytes[at + 5];
        long id = id(bytes, at);
        if (length > maximumReceiveBytes) {
            throw new MalformedException("a frame of " + length + " bytes");
        }
        if (kind < RESPONSE || kind > CONTROL) {
            throw new MalformedException("a frame of kind " + (kind & 0xFF));
        }
        boolean isAck = kind == CONTROL && opcode(bytes, at) == PING && flags == ACK;
        if ((flags & 0x0F) != 0 && !isAck) {
            throw new MalformedException("flags " + (flags & 0xFF));
        }
        if (kind == CONTROL && id != 0 || (kind == RESPONSE || kind == EVENT) && id == 0) {
            throw new MalformedException("a frame of kind " + kind + " with id " + Long.toUnsignedString(id));
        }
    }
}
