package carillon.client;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.UUID;

/**
 * Makes idempotency keys (CONTRACT.md, RET-3), of a block of random bytes at a time: one by one they cost as much as
 * all else that a SEND needs. A block is used for 100 ms at most: two copies of a virtual machine that continue with
 * the same block would make the same keys.
 */
final class IdempotencyKeys {
    private static final int BLOCK_BYTES = 1024;
    private static final long MAXIMUM_AGE_MS = 100;
    private static final IdempotencyKeys SHARED = new IdempotencyKeys();
    private final SecureRandom random = new SecureRandom();
    private final ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES).limit(0);
    private long filledAt;

    /** Returns a random UUID of version 4. */
    static UUID next() {
        return SHARED.take();
    }

    private synchronized UUID take() {
        long now = System.currentTimeMillis();
        if (!block.hasRemaining() || Math.abs(now - filledAt) > MAXIMUM_AGE_MS) {
            random.nextBytes(block.array());
            block.clear();
            filledAt = now;
        }
        long high = block.getLong() & 0xFFFF_FFFF_FFFF_0FFFL | 0x4000;
        long low = block.getLong() & 0x3FFF_FFFF_FFFF_FFFFL | 0x8000_0000_0000_0000L;
        return new UUID(high, low);
    }
}
