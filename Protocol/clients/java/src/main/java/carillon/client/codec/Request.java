package carillon.client.codec;

import java.util.UUID;
import java.util.function.Function;

/**
 * A request that is encoded but for its id and deadline. All attempts of a call write the same bytes (CONTRACT.md,
 * RET-3).
 */
public final class Request<T> {
    private final Operation operation;
    private final byte[] body;
    private final int tagsAt;
    private final int tagCount;
    private final boolean isReadOnly;
    private final boolean isRepeatable;
    private final UUID key;
    private final Function<Reader, T> answer;

    /** Makes a request. */
    public Request(Operation operation, Writer out, Repetition repetition, UUID key, Function<Reader, T> answer) {
        this.operation = operation;
        tagsAt = out.tagsAt() < 0 ? out.size() : out.tagsAt();
        body = out.toByteArray();
        tagCount = out.tagCount();
        isReadOnly = repetition == Repetition.READ_ONLY;
        isRepeatable = repetition != Repetition.NEVER;
        this.key = key;
        this.answer = answer;
    }

    /** What it means to make a request again after an attempt with effect unknown (RET-2). */
    public enum Repetition { READ_ONLY, ALWAYS, NEVER }

    /** Returns which request it is. */
    public Operation operation() {
        return operation;
    }

    /** Returns the fixed part and then the tags, without their count. */
    public byte[] body() {
        return body;
    }

    /** Returns where the tags begin. */
    public int tagsAt() {
        return tagsAt;
    }

    /** Returns how many tags there are, without the deadline. */
    public int tagCount() {
        return tagCount;
    }

    /** Returns the largest size of its payload on the wire. */
    public int payloadSize() {
        return body.length + 7;
    }

    /** Returns true if the request changes nothing: its effect is always <i>not executed</i> (ERR-3). */
    public boolean isReadOnly() {
        return isReadOnly;
    }

    /**
     * Returns true if it may be made again after effect <i>unknown</i>, but for the epoch of its key (RET-2, RET-4).
     */
    public boolean isRepeatable() {
        return isRepeatable;
    }

    /** Returns the idempotency key. */
    public UUID key() {
        return key;
    }

    /** Reads the answer. */
    public T answer(Reader payload) {
        return answer.apply(payload);
    }
}
