package carillon.client.session;

/** A request while it has no answer. It is in one session at most; its fields belong to that one's {@link Pending}. */
public abstract class Slot {
    long id;
    int opcode;
    long writtenAt;
    boolean isAbandoned;
    Slot sameBucket;
    Slot older;
    Slot newer;

    /** Makes a slot that is in no session. */
    protected Slot() {
    }

    /** Returns the id of the latest frame. */
    public long id() {
        return id;
    }
}
