package carillon.client.session;

/**
 * The requests of a connection without an answer: a table by id, and a list in the order in which they were written,
 * which is that of their ids. Slots are linked, so that nothing is reserved for a request.
 */
final class Pending {
    private static final int BUCKETS = 1024; // a power of two; ids ascend by one, so a bucket seldom has two
    private final Slot[] buckets = new Slot[BUCKETS];
    private Slot oldest;
    private Slot newest;
    private int size;

    int size() {
        return size;
    }

    void add(Slot slot, long id, int opcode, long now) {
        slot.id = id;
        slot.opcode = opcode;
        slot.writtenAt = now;
        int bucket = (int) id & BUCKETS - 1;
        slot.sameBucket = buckets[bucket];
        buckets[bucket] = slot;
        slot.older = newest;
        slot.newer = null;
        if (newest == null) {
            oldest = slot;
        } else {
            newest.newer = slot;
        }
        newest = slot;
        size++;
    }

    /** Returns the request of an id; null if there is none. */
    Slot get(long id) {
        Slot slot = buckets[(int) id & BUCKETS - 1];
        while (slot != null && slot.id != id) {
            slot = slot.sameBucket;
        }
        return slot;
    }

    void remove(Slot slot) {
        int bucket = (int) slot.id & BUCKETS - 1;
        if (buckets[bucket] == slot) {
            buckets[bucket] = slot.sameBucket;
        } else {
            Slot before = buckets[bucket];
            while (before.sameBucket != slot) {
                before = before.sameBucket;
            }
            before.sameBucket = slot.sameBucket;
        }
        if (slot.older == null) {
            oldest = slot.newer;
        } else {
            slot.older.newer = slot.newer;
        }
        if (slot.newer == null) {
            newest = slot.older;
        } else {
            slot.newer.older = slot.older;
        }
        slot.sameBucket = null;
        slot.older = null;
        slot.newer = null;
        size--;
    }

    /** Returns the request that was written first; null if there is none. */
    Slot oldest() {
        return oldest;
    }
}
