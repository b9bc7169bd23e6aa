package carillon.client.session;

/**
 * A request while it has no answer. It is in one session at most; its fields belong to that one's
 * {@link OutstandingRequests}.
 */
public abstract class OutstandingRequest {
    long id;
    int opcode;
    long writtenAt;
    boolean isAbandoned;
    OutstandingRequest sameBucket;
    OutstandingRequest older;
    OutstandingRequest newer;

    /** Makes a request that is in no session. */
    protected OutstandingRequest() {
    }

    /** Returns the id of the latest frame. */
    public long id() {
        return id;
    }
}
