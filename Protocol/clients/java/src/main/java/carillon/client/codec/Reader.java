package carillon.client.codec;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/**
 * Reads the types of §4.1 from a payload. Everything that is not as the protocol says is a {@link MalformedException};
 * nothing is reserved for a length or a count that exceeds the bytes that are left.
 */
public final class Reader {
    private static final int MAXIMUM_TAGS = 64;
    private static final int MAXIMUM_TOKEN_BYTES = 255;
    private final byte[] bytes;
    private int at;
    private int end;
    private final int payloadEnd;
    private long tagsLeft = -1;
    private long tag = -1;

    /** Makes a reader of a part of an array, which must not change while it is read. */
    public Reader(byte[] bytes, int offset, int length) {
        this.bytes = bytes;
        at = offset;
        end = offset + length;
        payloadEnd = end;
    }

    /** Returns what is not read yet, of the payload or of the value of the tag. */
    public int left() {
        return end - at;
    }

    private int take(long length) {
        if (length > end - at) {
            throw new MalformedException("a field past the end");
        }
        int start = at;
        at += (int) length;
        return start;
    }

    /** Reads one byte. */
    public int u8() {
        return bytes[take(1)] & 0xFF;
    }

    /** Reads a byte that is 0 or means true. */
    public boolean flag() {
        return u8() != 0;
    }

    /** Reads two bytes. */
    public int u16() {
        int start = take(2);
        return (bytes[start] & 0xFF) << 8 | bytes[start + 1] & 0xFF;
    }

    /** Reads four bytes. */
    public long u32() {
        return (int) Frames.BIG_32.get(bytes, take(4)) & 0xFFFF_FFFFL;
    }

    /** Reads eight bytes. */
    public long u64() {
        return (long) Frames.BIG_64.get(bytes, take(8));
    }

    /** Reads sixteen bytes. */
    public UUID uuid() {
        return new UUID(u64(), u64());
    }

    /** Reads a text with its length. */
    public String str() {
        return text(u16());
    }

    private String text(int length) {
        int start = take(length);
        boolean isAscii = true;
        for (int index = start; index < start + length; index++) {
            if (bytes[index] == 0) {
                throw new MalformedException("a text with U+0000");
            }
            isAscii &= bytes[index] > 0;
        }
        if (isAscii) {
            return new String(bytes, start, length, StandardCharsets.ISO_8859_1);
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT).decode(ByteBuffer.wrap(bytes, start, length))
                .toString();
        } catch (CharacterCodingException error) {
            throw new MalformedException("a text that is not UTF-8");
        }
    }

    /** Reads bytes with their length. */
    public byte[] bytes() {
        long length = u32();
        int start = take(length);
        return Arrays.copyOfRange(bytes, start, at);
    }

    /** Reads a token with its length. */
    public byte[] token() {
        return token(u8());
    }

    private byte[] token(int length) {
        if (length < 1 || length > MAXIMUM_TOKEN_BYTES) {
            throw new MalformedException("a token of " + length + " bytes");
        }
        int start = take(length);
        return Arrays.copyOfRange(bytes, start, at);
    }

    /** Reads a list. */
    public <T> List<T> list(int least, Function<Reader, T> read) {
        long count = u32();
        if (count * least > end - at) {
            throw new MalformedException("a list past the end");
        }
        List<T> items = new ArrayList<>((int) count);
        for (int index = 0; index < count; index++) {
            items.add(read.apply(this));
        }
        return List.copyOf(items);
    }

    /** Reads a payload of another message that is written as bytes. */
    public <T> T nested(Function<Reader, T> read) {
        long length = u32();
        int start = take(length);
        return read.apply(new Reader(bytes, start, (int) length));
    }

    // The tagged section, §4.2

    /** Goes to the next tag. The value of the one before must have been read whole. */
    public boolean nextTag() {
        if (tagsLeft < 0) {
            tagsLeft = at == end ? 0 : uvarint();
            if (tagsLeft > MAXIMUM_TAGS) {
                throw new MalformedException("more than 64 tags");
            }
        } else if (at != end) {
            throw new MalformedException("a size that does not fit the type");
        }
        end = payloadEnd;
        if (tagsLeft == 0) {
            if (at != end) {
                throw new MalformedException("bytes after the tagged section");
            }
            return false;
        }
        tagsLeft--;
        long next = uvarint();
        if (next <= tag) {
            throw new MalformedException("tags that do not ascend");
        }
        tag = next;
        long size = uvarint();
        if (size > end - at) {
            throw new MalformedException("a tag past the end");
        }
        end = at + (int) size;
        return true;
    }

    /** Returns the tag whose value comes next. */
    public long tag() {
        return tag;
    }

    /** Skips the value of a tag that this version does not know. */
    public void skip() {
        at = end;
    }

    /** Reads the rest of a message without tags of this version: unknown ones are skipped (CONTRACT.md, CON-9). */
    public void end() {
        while (nextTag()) {
            skip();
        }
    }

    private long uvarint() {
        long value = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            int next = u8();
            value |= (long) (next & 0x7F) << shift;
            if (next < 0x80) {
                if (next == 0 && shift > 0 || value > 0xFFFF_FFFFL) {
                    break;
                }
                return value;
            }
        }
        throw new MalformedException("a bad uvarint");
    }

    /** Reads the value of a tag that is a text. */
    public String tagStr() {
        return text(left());
    }

    /** Reads the value of a tag that is bytes. */
    public byte[] tagBytes() {
        int start = take(left());
        return Arrays.copyOfRange(bytes, start, at);
    }

    /** Reads the value of a tag that is a token. */
    public byte[] tagToken() {
        return token(left());
    }
}
