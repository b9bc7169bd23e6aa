package carillon.client.session;

import carillon.client.codec.Frames;
import java.util.Arrays;

/** The bytes of a connection that were received and not yet read. It grows for a frame whose header was judged. */
final class ReceiveBuffer {
    private static final int USUAL_BYTES = 1 << 16;

    private byte[] bytes = new byte[USUAL_BYTES];
    private int start;
    private int end;

    /** Returns the array, into which the socket reads from {@link #end}. */
    byte[] array() {
        return bytes;
    }

    /** Returns where the first byte is that was not read. */
    int start() {
        return start;
    }

    /** Returns where the next received byte goes. */
    int end() {
        return end;
    }

    /** Returns the number of bytes that were not read. */
    int left() {
        return end - start;
    }

    /** The socket has put bytes behind {@link #end}. */
    void received(int count) {
        end += count;
    }

    /** Removes bytes that were read. */
    void remove(int count) {
        start += count;
    }

    /** Removes a byte and returns it. */
    byte next() {
        return bytes[start++];
    }

    /** Makes room for the frame that has begun, or for a header; moves what was not read to the beginning if needed. */
    void makeRoom(boolean hasHeader) {
        int left = left();
        long needed = hasHeader ? Frames.HEADER + Frames.length(bytes, start) : Frames.HEADER;
        if (needed > bytes.length) {
            bytes = Arrays.copyOfRange(bytes, start, start + (int) needed);
        } else if (left == 0 && bytes.length > USUAL_BYTES) {
            bytes = new byte[USUAL_BYTES];
        } else if (start > 0 && (left == 0 || bytes.length - start < needed || end == bytes.length)) {
            System.arraycopy(bytes, start, bytes, 0, left);
        } else {
            return;
        }
        start = 0;
        end = left;
    }
}
