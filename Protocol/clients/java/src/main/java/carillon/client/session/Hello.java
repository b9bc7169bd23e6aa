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
        Hello hello = new Hello(in.str(), in.uuid(), in.u64(), in.u32(), in.u32(), in.u32(), in.u32(), in.u32(),
            in.u32(), in.flag(), new BitSet(), null, null);
        in.list(4, item -> {
            int opcode = in.u16();
            int lowest = in.u8();
            int highest = in.u8();
            hello.opcodes.set(opcode, lowest <= 1 && highest >= 1);
            return opcode;
        });
        String node = null;
        UUID cluster = null;
        while (in.nextTag()) {
            switch ((int) in.tag()) {
                case 20 -> node = in.tagStr();
                case 22 -> cluster = in.uuid();
                default -> in.skip();
            }
        }
        return node == null || cluster == null ? hello : hello.of(node, cluster);
    }

    private Hello of(String ofNode, UUID ofCluster) {
        return new Hello(software, epoch, clock, frameLimit, inFlightLimit, batchLimit, keepaliveMs, pingIntervalMs,
            idempotencyWindowS, isAuthenticated, opcodes, ofNode, ofCluster);
    }

    /** Returns true if the server serves the request in layout 1 (CON-7). */
    public boolean serves(Operation operation) {
        return opcodes.get(operation.opcode());
    }
}
