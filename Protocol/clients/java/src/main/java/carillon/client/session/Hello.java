package carillon.client.session;

import carillon.client.codec.Operation;
import carillon.client.codec.Reader;
import java.util.BitSet;
import java.util.UUID;

/** The answer to HELLO (§6.1): the limits of a connection (CON-6). `opcodes` are those served in layout 1. */
public record Hello(String software, UUID epoch, long clock, long frameLimit, long inFlightLimit, long batchLimit,
    long keepaliveMs, long pingIntervalMs, long idempotencyWindowS, boolean isAuthenticated, BitSet opcodes) {
    /** Reads the answer. */
    public static Hello read(Reader in) {
        Hello hello = new Hello(in.str(), in.uuid(), in.u64(), in.u32(), in.u32(), in.u32(), in.u32(), in.u32(),
            in.u32(), in.flag(), new BitSet());
        in.list(4, item -> {
            int opcode = in.u16();
            int lowest = in.u8();
            int highest = in.u8();
            hello.opcodes.set(opcode, lowest <= 1 && highest >= 1);
            return opcode;
        });
        in.end();
        return hello;
    }

    /** Returns true if the server serves the request in layout 1 (CON-7). */
    public boolean serves(Operation operation) {
        return opcodes.get(operation.opcode());
    }
}
