package carillon.client;

/** A request of a stream: it is not a call, and is never repeated as it is (CONTRACT.md, RET-2). */
final class StreamRequest extends ConnectionRequest {
    /** What is asked for. */
    enum Purpose { SUBSCRIBE, CREDIT, UNSUBSCRIBE }

    final Purpose purpose;
    final Subscription subscription;

    StreamRequest(Purpose purpose, Subscription subscription) {
        this.purpose = purpose;
        this.subscription = subscription;
    }
}
