package carillon.client.session;

/**
 * The requests of a connection without an answer: a table by id, and a list in the order in which they were written,
 * which is that of their ids. The requests are linked, so that nothing is reserved for a request.
 */
final class OutstandingRequests {
    private static final int BUCKETS = 1024; // a power of two; ids ascend by one, so a bucket seldom has two
    private final OutstandingRequest[] buckets = new OutstandingRequest[BUCKETS];
    private OutstandingRequest oldest;
    private OutstandingRequest newest;
    private int size;

    int size() {
        return size;
    }

    void add(OutstandingRequest request, long id, int opcode, long now) {
        request.id = id;
        request.opcode = opcode;
        request.writtenAt = now;
        int bucket = (int) id & BUCKETS - 1;
        request.sameBucket = buckets[bucket];
        buckets[bucket] = request;
        request.older = newest;
        request.newer = null;
        if (newest == null) {
            oldest = request;
        } else {
            newest.newer = request;
        }
        newest = request;
        size++;
    }

    /** Returns the request of an id; null if there is none. */
    OutstandingRequest get(long id) {
        OutstandingRequest request = buckets[(int) id & BUCKETS - 1];
        while (request != null && request.id != id) {
            request = request.sameBucket;
        }
        return request;
    }

    void remove(OutstandingRequest request) {
        int bucket = (int) request.id & BUCKETS - 1;
        if (buckets[bucket] == request) {
            buckets[bucket] = request.sameBucket;
        } else {
            OutstandingRequest before = buckets[bucket];
            while (before.sameBucket != request) {
                before = before.sameBucket;
            }
            before.sameBucket = request.sameBucket;
        }
        if (request.older == null) {
            oldest = request.newer;
        } else {
            request.older.newer = request.newer;
        }
        if (request.newer == null) {
            newest = request.older;
        } else {
            request.newer.older = request.older;
        }
        request.sameBucket = null;
        request.older = null;
        request.newer = null;
        size--;
    }

    /** Returns the request that was written first; null if there is none. */
    OutstandingRequest oldest() {
        return oldest;
    }
}
