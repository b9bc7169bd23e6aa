package carillon.client;

/** Which messages are listed (§10.5). With several filters a message must meet all of them. */
public final class MessageFilter {
    MessageState state;
    String sender;
    String label;

    /** Makes a filter for all messages. */
    public MessageFilter() {
    }

    /**
     * Lists only messages in a state.
     *
     * @param value the state
     * @return this
     */
    public MessageFilter state(MessageState value) {
        state = ArgumentChecks.value("state", value);
        return this;
    }

    /**
     * Lists only messages of a sender.
     *
     * @param principal the sender
     * @return this
     */
    public MessageFilter sender(String principal) {
        sender = ArgumentChecks.value("sender", principal);
        return this;
    }

    /**
     * Lists only messages whose label begins with a text.
     *
     * @param prefix the text
     * @return this
     */
    public MessageFilter label(String prefix) {
        label = ArgumentChecks.value("label", prefix);
        return this;
    }
}
