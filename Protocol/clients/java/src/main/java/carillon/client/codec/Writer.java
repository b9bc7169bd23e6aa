package carillon.client.codec;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.UUID;
import java.util.function.BiConsumer;

/**
 * Writes the types of §4.1 into an array that grows. After {@link #beginTags} come the values of the tagged section,
 * each begun by its tag, ascending; {@link Frames#request} writes their count.
 */
public final class Writer {
    private static final long MAX_U32 = 0xFFFF_FFFFL;
    private byte[] bytes;
    private int size;
    private int tagsAt = -1;
    private int tagCount;
    private long lastTag = -1;

    /** Makes an empty writer. */
    public Writer() {
        this(128);
    }

    /** Makes an empty writer with room. */
    public Writer(int capacity) {
        bytes = new byte[capacity];
    }

    /** Returns the bytes written so far. */
    public int size() {
        return size;
    }

    /** Returns the array that holds the bytes, without a copy. It is replaced when it grows. */
    public byte[] array() {
        return bytes;
    }

    /** Forgets everything written; the array is kept, unless it has grown large. */
    public void clear() {
        size = 0;
        if (bytes.length > 1 << 18) {
            bytes = new byte[1 << 16];
        }
    }

    /** Returns a copy of what is written. */
    public byte[] toByteArray() {
        return Arrays.copyOf(bytes, size);
    }

    private void reserve(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(size, more), bytes.length * 2));
        }
    }

    /** Writes one byte. */
    public void u8(String name, int value) {
        check(name, value, 0xFF);
        reserve(1);
        bytes[size++] = (byte) value;
    }

    /** Writes two bytes. */
    public void u16(String name, int value) {
        check(name, value, 0xFFFF);
        reserve(2);
        bytes[size++] = (byte) (value >>> 8);
        bytes[size++] = (byte) value;
    }

    /** Writes four bytes. */
    public void u32(String name, long value) {
        check(name, value, MAX_U32);
        raw32((int) value);
    }

    private static void check(String name, long value, long most) {
        if (value < 0 || value > most) {
            throw new UnencodableException(name, "must be from 0 to " + most);
        }
    }

    private void raw32(int value) {
        reserve(4);
        Frames.BIG_32.set(bytes, size, value);
        size += 4;
    }

    /** Writes eight bytes. */
    public void u64(long value) {
        reserve(8);
        Frames.BIG_64.set(bytes, size, value);
        size += 8;
    }

    /** Writes sixteen bytes. */
    public void uuid(UUID value) {
        u64(value.getMostSignificantBits());
        u64(value.getLeastSignificantBits());
    }

    /** Writes a text with its length. */
    public void str(String name, String value) {
        int start = size;
        reserve(2);
        size += 2;
        text(name, value);
        int length = size - start - 2;
        if (length > 0xFFFF) {
            throw new UnencodableException(name, "is longer than 65,535 bytes");
        }
        bytes[start] = (byte) (length >>> 8);
        bytes[start + 1] = (byte) length;
    }

    private void text(String name, String value) {
        if (value == null) {
            throw new UnencodableException(name, "is null");
        }
        int length = value.length();
        reserve(length);
        int at = size;
        for (int index = 0; index < length; index++) {
            char unit = value.charAt(index);
            if (unit == 0 || unit >= 0x80) {
                longText(name, value);
                return;
            }
            bytes[at++] = (byte) unit;
        }
        size = at;
    }

    private void longText(String name, String value) {
        for (int index = 0; index < value.length(); index++) {
            char unit = value.charAt(index);
            boolean isPair = Character.isHighSurrogate(unit) && index + 1 < value.length()
                && Character.isLowSurrogate(value.charAt(index + 1));
            if (unit == 0 || Character.isSurrogate(unit) && !isPair) {
                throw new UnencodableException(name, "has U+0000 or a lone surrogate");
            }
            index += isPair ? 1 : 0;
        }
        raw(value.getBytes(StandardCharsets.UTF_8));
    }

    /** Writes bytes without a length. */
    public void raw(byte[] value) {
        raw(value, 0, value.length);
    }

    /** Writes a part of an array without a length. */
    public void raw(byte[] value, int offset, int length) {
        reserve(length);
        System.arraycopy(value, offset, bytes, size, length);
        size += length;
    }

    /** Writes bytes with their length. */
    public void bytes(String name, byte[] value) {
        if (value == null) {
            throw new UnencodableException(name, "is null");
        }
        raw32(value.length);
        raw(value);
    }

    /** Writes a token with its length. */
    public void token(String name, byte[] value) {
        tokenLength(name, value);
        u8(name, value.length);
        raw(value);
    }

    private static void tokenLength(String name, byte[] value) {
        if (value.length < 1 || value.length > 255) {
            throw new UnencodableException(name, "a token has 1 to 255 bytes");
        }
    }

    /** Writes a list. */
    public <T> void list(String name, Collection<? extends T> items, BiConsumer<Writer, ? super T> write) {
        if (items == null) {
            throw new UnencodableException(name, "is null");
        }
        raw32(items.size());
        for (T item : items) {
            if (item == null) {
                throw new UnencodableException(name, "has an item that is null");
            }
            write.accept(this, item);
        }
    }

    // The tagged section, §4.2

    /** Ends the fixed part. */
    public void beginTags() {
        tagsAt = size;
    }

    /** Returns where the tagged section begins, without its count. */
    public int tagsAt() {
        return tagsAt;
    }

    /** Returns how many tags are written. */
    public int tagCount() {
        return tagCount;
    }

    private void tag(long tag, long length) {
        if (tagsAt < 0 || tag <= lastTag) {
            throw new IllegalStateException("tag " + tag + " out of order");
        }
        lastTag = tag;
        tagCount++;
        uvarint(tag);
        uvarint(length);
    }

    /** Writes a number of at most 32 bits, seven bits a byte. */
    public void uvarint(long value) {
        long rest = value;
        reserve(5);
        while (rest >= 0x80) {
            bytes[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
    }

    /** Writes a tag of one byte. */
    public void tagU8(int tag, String name, int value) {
        tag(tag, 1);
        u8(name, value);
    }

    /** Writes a tag of four bytes. */
    public void tagU32(int tag, String name, long value) {
        tag(tag, 4);
        u32(name, value);
    }

    /** Writes a tag of eight bytes. */
    public void tagU64(int tag, long value) {
        tag(tag, 8);
        u64(value);
    }

    /** Writes a tag that is a text. */
    public void tagStr(int tag, String name, String value) {
        Writer inner = new Writer();
        inner.text(name, value);
        tagBytes(tag, inner);
    }

    /** Writes a tag that is bytes. */
    public void tagBytes(int tag, byte[] value) {
        tag(tag, value.length);
        raw(value);
    }

    /** Writes a tag that is a token. */
    public void tagToken(int tag, String name, byte[] value) {
        tokenLength(name, value);
        tagBytes(tag, value);
    }

    /** Writes a tag of another type. */
    public void tagBytes(int tag, Writer value) {
        tag(tag, value.size);
        raw(value.bytes, 0, value.size);
    }

    /** Writes a tag that is a list. */
    public <T> void tagList(int tag, String name, Collection<? extends T> items, BiConsumer<Writer, ? super T> write) {
        Writer inner = new Writer();
        inner.list(name, items, write);
        tagBytes(tag, inner);
    }
}
