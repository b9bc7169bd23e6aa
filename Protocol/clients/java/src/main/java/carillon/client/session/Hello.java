package carillon.client.session;

import carillon.client.codec.Operation;
import carillon.client.codec.Reader;
import java.util.BitSet;
import java.util.UUID;

/**
 * The answer to HELLO (§6.1): the limits of a connection (CONTRACT.md, CON-6). `opcodes` are those served in layout 1.
 * Without a cluster `node` and `cluster` are null.
 */
public record Hello(String software, UUID epoch, long clock, long frameLimit, long inFlightLimit, long batchLimit,
    long keepaliveMs, long pingIntervalMs, long idempotencyWindowS, boolean isAuthenticated, BitSet opcodes,
    String node, UUID cluster) {
    /** Reads the answer. */
    public static Hello read(Reader in) {
        String software = in.str();
        UUID epoch = in.uuid();
        long clock = in.u64();
        long frameLimit = in.u32();
        long inFlightLimit = in.u32();
        long batchLimit = in.u32();
        long keepaliveMs = in.u32();
        long pingIntervalMs = in.u32();
        long idempotencyWindowS = in.u32();
        boolean isAuthenticated = in.flag();
        BitSet opcodes = readOpcodes(in);
        String node = null;
        UUID cluster = null;
        while (in.nextTag()) {
            switch ((int) in.tag()) {
                case 20 -> node = in.tagStr();
                case 22 -> cluster = in.uuid();
                default -> in.skip();
            }
        }
        boolean isNode = node != null && cluster != null;
        return new Hello(software, epoch, clock, frameLimit, inFlightLimit, batchLimit, keepaliveMs, pingIntervalMs,
            idempotencyWindowS, isAuthenticated, opcodes, isNode ? node : null, isNode ? cluster : null);
    }

    private static BitSet readOpcodes(Reader in) {
        BitSet opcodes = new BitSet();
        in.list(4, item -> {
            int opcode = in.u16();
            int lowest = in.u8();
            int highest = in.u8();
            opcodes.set(opcode, lowest <= 1 && highest >= 1);
            return opcode;
        });
        return opcodes;
    }

    /** Returns true if the server serves the request in layout 1 (CON-7). */
    public boolean serves(Operation operation) {
        return opcodes.get(operation.opcode());
    }
}
