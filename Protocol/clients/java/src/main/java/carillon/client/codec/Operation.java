package carillon.client.codec;

import java.util.Locale;

/** The requests of the protocol, in the order of their opcodes (§16.1). */
public enum Operation {
    /** HELLO. */
    HELLO(0x0001),
    /** AUTH. */
    AUTH(0x0002),
    /** REGISTER. */
    REGISTER(0x0010),
    /** REGISTER_BATCH. */
    REGISTER_BATCH(0x0011),
    /** UNREGISTER. */
    UNREGISTER(0x0012),
    /** LOOKUP. */
    LOOKUP(0x0013),
    /** UPDATE_DEVICE. */
    UPDATE_DEVICE(0x0014),
    /** MEMBERSHIPS. */
    MEMBERSHIPS(0x0015),
    /** RESTORE. */
    RESTORE(0x0016),
    /** QUARANTINE. */
    QUARANTINE(0x0017),
    /** JOIN. */
    JOIN(0x0020),
    /** LEAVE. */
    LEAVE(0x0021),
    /** SWITCH. */
    SWITCH(0x0022),
    /** GROUP_DEVICES. */
    GROUP_DEVICES(0x0023),
    /** GROUPS. */
    GROUPS(0x0024),
    /** UPDATE_GROUP. */
    UPDATE_GROUP(0x0025),
    /** GROUP_TOPICS. */
    GROUP_TOPICS(0x0026),
    /** SUBSCRIBE. */
    SUBSCRIBE(0x0030),
    /** UNSUBSCRIBE. */
    UNSUBSCRIBE(0x0031),
    /** TOPICS. */
    TOPICS(0x0032),
    /** TOPIC_DEVICES. */
    TOPIC_DEVICES(0x0033),
    /** EXPLAIN. */
    EXPLAIN(0x0040),
    /** SEND. */
    SEND(0x0050),
    /** MESSAGE_STATUS. */
    MESSAGE_STATUS(0x0051),
    /** MESSAGE_OUTCOMES. */
    MESSAGE_OUTCOMES(0x0052),
    /** MESSAGES. */
    MESSAGES(0x0053),
    /** UPDATE_MESSAGE. */
    UPDATE_MESSAGE(0x0054),
    /** RESEND. */
    RESEND(0x0055),
    /** TRACE. */
    TRACE(0x0056),
    /** SUBSCRIBE_EVENTS. */
    SUBSCRIBE_EVENTS(0x0060),
    /** EVENT_CREDIT. */
    EVENT_CREDIT(0x0061),
    /** UNSUBSCRIBE_EVENTS. */
    UNSUBSCRIBE_EVENTS(0x0062),
    /** FORGET_SUBSCRIBER. */
    FORGET_SUBSCRIBER(0x0063),
    /** RECEIPTS. */
    RECEIPTS(0x0070),
    /** RECEIPT_DEVICES. */
    RECEIPT_DEVICES(0x0071),
    /** STATISTICS. */
    STATISTICS(0x0080),
    /** DEVICES. */
    DEVICES(0x0081),
    /** REMOVE_NODE. */
    REMOVE_NODE(0x0082),
    /** CREATE_CHANNEL. */
    CREATE_CHANNEL(0x0090),
    /** CHANNEL. */
    CHANNEL(0x0091),
    /** CHANNELS. */
    CHANNELS(0x0092),
    /** DELETE_CHANNEL. */
    DELETE_CHANNEL(0x0093);

    private final int opcode;
    private final String text = name().toLowerCase(Locale.ROOT);

    Operation(int opcode) {
        this.opcode = opcode;
    }

    /** Returns the opcode. */
    public int opcode() {
        return opcode;
    }

    /** Returns the name of the protocol in small letters. */
    @Override
    public String toString() {
        return text;
    }
}
