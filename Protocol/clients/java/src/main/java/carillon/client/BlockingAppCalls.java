// Long: made by support/generate_calls.py of Calls.java. Do not edit.
package carillon.client;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;

/** The operations about one app as methods that wait; see {@link Calls}. */
public final class BlockingAppCalls {
    private final Calls calls;
    private final String app;

    BlockingAppCalls(Calls calls, String app) {
        this.calls = calls;
        this.app = app;
    }

    /**
     * Returns the same operations with other options.
     *
     * @param options a deadline, or no retries
     * @return the operations; they belong to the same client
     */
    public BlockingAppCalls with(CallOptions options) {
        return new BlockingAppCalls(calls.with(options), app);
    }

    /**
     * Registers a device (REGISTER).
     *
     * @param registration what the app says about it
     * @return what was done
     * @throws CarillonException if the call fails
     */
    public RegisterResult register(Registration registration) {
        return BlockingWait.result(() -> calls.register(app, registration));
    }

    /**
     * Unregisters a device as of now (UNREGISTER). The call is not repeated by itself after its connection was lost.
     *
     * @param device the device
     * @return what was done
     * @throws CarillonException if the call fails
     */
    public UnregisterResult unregister(DeviceReference device) {
        return BlockingWait.result(() -> calls.unregister(app, device));
    }

    /**
     * Unregisters a device (UNREGISTER).
     *
     * @param device the device
     * @param at when the app has said so
     * @return what was done
     * @throws CarillonException if the call fails
     */
    public UnregisterResult unregister(DeviceReference device, Instant at) {
        return BlockingWait.result(() -> calls.unregister(app, device, at));
    }

    /**
     * Looks a device up (LOOKUP).
     *
     * @param device the device
     * @return the device
     * @throws CarillonException if the call fails
     */
    public DeviceRecord lookup(DeviceReference device) {
        return BlockingWait.result(() -> calls.lookup(app, device));
    }

    /**
     * Changes a device (UPDATE_DEVICE).
     *
     * @param device the device
     * @param update what changes
     * @return the id of the device
     * @throws CarillonException if the call fails
     */
    public long updateDevice(DeviceReference device, DeviceUpdate update) {
        return BlockingWait.result(() -> calls.updateDevice(app, device, update));
    }

    /**
     * Lists the groups and topics of a device (MEMBERSHIPS).
     *
     * @param device the device
     * @param after empty for the first page, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     * @throws CarillonException if the call fails
     */
    public Memberships memberships(DeviceReference device, String after, int limit) {
        return BlockingWait.result(() -> calls.memberships(app, device, after, limit));
    }

    /**
     * Lists all topics of a device.
     *
     * @param device the device
     * @return the topics and their sources
     */
    public Listing<TopicMembership> allTopicsOf(DeviceReference device) {
        return calls.allTopicsOf(app, device);
    }

    /**
     * Takes a device out of quarantine (RESTORE).
     *
     * @param device the device
     * @return the id of the device
     * @throws CarillonException if the call fails
     */
    public long restore(DeviceReference device) {
        return BlockingWait.result(() -> calls.restore(app, device));
    }

    /**
     * Lists the devices whose tokens the provider has declared dead (QUARANTINE).
     *
     * @param cursor 0 for the first page, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     * @throws CarillonException if the call fails
     */
    public DeviceIdPage quarantinedDevices(long cursor, int limit) {
        return BlockingWait.result(() -> calls.quarantinedDevices(app, cursor, limit));
    }

    /**
     * Lists all devices whose tokens the provider has declared dead.
     *
     * @return ids
     */
    public Listing<Long> allQuarantinedDevices() {
        return calls.allQuarantinedDevices(app);
    }

    /**
     * Lets devices join a group (JOIN).
     *
     * @param group the group
     * @param devices the devices
     * @return how many are new
     * @throws CarillonException if the call fails
     */
    public JoinResult join(String group, Collection<? extends DeviceReference> devices) {
        return BlockingWait.result(() -> calls.join(app, group, devices));
    }

    /**
     * Lets devices join a group, and tells the others (JOIN).
     *
     * @param group the group
     * @param devices the devices
     * @param announcement what the other devices of the group get
     * @return how many are new, and the message
     * @throws CarillonException if the call fails
     */
    public JoinResult join(String group, Collection<? extends DeviceReference> devices, Content announcement) {
        return BlockingWait.result(() -> calls.join(app, group, devices, announcement));
    }

    /**
     * Lets devices leave a group (LEAVE).
     *
     * @param group the group
     * @param devices the devices
     * @return how many were members
     * @throws CarillonException if the call fails
     */
    public LeaveResult leave(String group, Collection<? extends DeviceReference> devices) {
        return BlockingWait.result(() -> calls.leave(app, group, devices));
    }

    /**
     * Lets devices leave a group (LEAVE).
     *
     * @param group the group
     * @param devices the devices
     * @param clearTopics true: the devices' own subscriptions end too
     * @return how many were members
     * @throws CarillonException if the call fails
     */
    public LeaveResult leave(String group, Collection<? extends DeviceReference> devices, boolean clearTopics) {
        return BlockingWait.result(() -> calls.leave(app, group, devices, clearTopics));
    }

    /**
     * Lets a device leave one group and join another in one step (SWITCH).
     *
     * @param device the device
     * @param from the group that it leaves
     * @param to the group that it joins
     * @return what has changed
     * @throws CarillonException if the call fails
     */
    public SwitchGroupResult switchGroup(DeviceReference device, String from, String to) {
        return BlockingWait.result(() -> calls.switchGroup(app, device, from, to));
    }

    /**
     * Lets a device leave one group and join another in one step, and tells the others (SWITCH).
     *
     * @param device the device
     * @param from the group that it leaves
     * @param to the group that it joins
     * @param announcement what the other devices of the group get
     * @return what has changed, and the message
     * @throws CarillonException if the call fails
     */
    public SwitchGroupResult switchGroup(DeviceReference device, String from, String to, Content announcement) {
        return BlockingWait.result(() -> calls.switchGroup(app, device, from, to, announcement));
    }

    /**
     * Lists the devices of a group (GROUP_DEVICES).
     *
     * @param group the group
     * @param cursor 0 for the first page, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     * @throws CarillonException if the call fails
     */
    public DeviceIdPage groupDevices(String group, long cursor, int limit) {
        return BlockingWait.result(() -> calls.groupDevices(app, group, cursor, limit));
    }

    /**
     * Lists all devices of a group.
     *
     * @param group the group
     * @return ids
     */
    public Listing<Long> allGroupDevices(String group) {
        return calls.allGroupDevices(app, group);
    }

    /**
     * Lists groups (GROUPS).
     *
     * @param prefix what the names begin with; empty for all
     * @param after empty for the first page, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     * @throws CarillonException if the call fails
     */
    public GroupPage groups(String prefix, String after, int limit) {
        return BlockingWait.result(() -> calls.groups(app, prefix, after, limit));
    }

    /**
     * Lists all groups.
     *
     * @param prefix what the names begin with; empty for all
     * @return the groups
     */
    public Listing<GroupSummary> allGroups(String prefix) {
        return calls.allGroups(app, prefix);
    }

    /**
     * Counts the devices of a group (UPDATE_GROUP).
     *
     * @param group the group
     * @return how many devices it has
     * @throws CarillonException if the call fails
     */
    public long groupSize(String group) {
        return BlockingWait.result(() -> calls.groupSize(app, group));
    }

    /**
     * Mutes a group or ends that (UPDATE_GROUP).
     *
     * @param group the group
     * @param muted true: its devices get no pushes
     * @return how many devices it has
     * @throws CarillonException if the call fails
     */
    public long setGroupMuted(String group, boolean muted) {
        return BlockingWait.result(() -> calls.setGroupMuted(app, group, muted));
    }

    /**
     * Lists the topics of a group (GROUP_TOPICS).
     *
     * @param group the group
     * @param after empty for the first page, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     * @throws CarillonException if the call fails
     */
    public GroupTopicPage groupTopics(String group, String after, int limit) {
        return BlockingWait.result(() -> calls.groupTopics(app, group, after, limit));
    }

    /**
     * Lists all topics of a group.
     *
     * @param group the group
     * @return the topics
     */
    public Listing<String> allGroupTopics(String group) {
        return calls.allGroupTopics(app, group);
    }

    /**
     * Subscribes devices and groups to topics (SUBSCRIBE).
     *
     * @param topics the topics
     * @param devices devices that are subscribed themselves; may be empty
     * @param groups groups whose devices inherit the topics; may be empty
     * @return how many subscriptions are new: one for each topic and each device or group
     * @throws CarillonException if the call fails
     */
    public SubscribeResult subscribe(
        Collection<String> topics, Collection<? extends DeviceReference> devices, Collection<String> groups) {
        return BlockingWait.result(() -> calls.subscribe(app, topics, devices, groups));
    }

    /**
     * Ends subscriptions of devices and groups to topics (UNSUBSCRIBE).
     *
     * @param topics the topics
     * @param devices devices; may be empty
     * @param groups groups; may be empty
     * @return how many subscriptions have ended
     * @throws CarillonException if the call fails
     */
    public SubscribeResult unsubscribe(
        Collection<String> topics, Collection<? extends DeviceReference> devices, Collection<String> groups) {
        return BlockingWait.result(() -> calls.unsubscribe(app, topics, devices, groups));
    }

    /**
     * Lists topics (TOPICS).
     *
     * @param prefix what the names begin with; empty for all
     * @param after empty for the first page, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     * @throws CarillonException if the call fails
     */
    public TopicPage topics(String prefix, String after, int limit) {
        return BlockingWait.result(() -> calls.topics(app, prefix, after, limit));
    }

    /**
     * Lists all topics.
     *
     * @param prefix what the names begin with; empty for all
     * @return the topics
     */
    public Listing<TopicSummary> allTopics(String prefix) {
        return calls.allTopics(app, prefix);
    }

    /**
     * Lists the devices of a topic (TOPIC_DEVICES).
     *
     * @param topic the topic
     * @param cursor 0 for the first page, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     * @throws CarillonException if the call fails
     */
    public DeviceIdPage topicDevices(String topic, long cursor, int limit) {
        return BlockingWait.result(() -> calls.topicDevices(app, topic, cursor, limit));
    }

    /**
     * Lists all devices of a topic.
     *
     * @param topic the topic
     * @return ids
     */
    public Listing<Long> allTopicDevices(String topic) {
        return calls.allTopicDevices(app, topic);
    }

    /**
     * Says what a condition addresses (EXPLAIN).
     *
     * @param condition the condition
     * @return its canonical form and its size
     * @throws CarillonException if the call fails
     */
    public Explanation explain(String condition) {
        return BlockingWait.result(() -> calls.explain(app, condition));
    }

    /**
     * Sends a message (SEND).
     *
     * @param audience who gets it; never left out
     * @param message what is sent, and how
     * @return the id of the message, and how many devices it addresses
     * @throws CarillonException if the call fails
     */
    public SendResult send(Audience audience, Message message) {
        return BlockingWait.result(() -> calls.send(app, audience, message));
    }

    /**
     * Returns the state of a message (MESSAGE_STATUS).
     *
     * @param messageId the message
     * @return its state and outcomes
     * @throws CarillonException if the call fails
     */
    public MessageStatus messageStatus(long messageId) {
        return BlockingWait.result(() -> calls.messageStatus(app, messageId));
    }

    /**
     * Asks for the state of a message until it is finished: after 20 ms, then in pauses that double up to 2 s.
     *
     * @param messageId the message
     * @param timeout how long at most
     * @return its state and outcomes; NO_ANSWER if it is not finished in time
     * @throws CarillonException if the call fails
     */
    public MessageStatus waitUntilFinished(long messageId, Duration timeout) {
        return BlockingWait.result(() -> calls.waitUntilFinished(app, messageId, timeout));
    }

    /**
     * Lists the recipients of a message (MESSAGE_OUTCOMES).
     *
     * @param messageId the message
     * @param cursor 0 for the first page, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     * @throws CarillonException if the call fails
     */
    public OutcomePage messageOutcomes(long messageId, long cursor, int limit) {
        return BlockingWait.result(() -> calls.messageOutcomes(app, messageId, cursor, limit));
    }

    /**
     * Lists all recipients of a message.
     *
     * @param messageId the message
     * @return the recipients and their outcomes
     */
    public Listing<RecipientOutcome> allMessageOutcomes(long messageId) {
        return calls.allMessageOutcomes(app, messageId);
    }

    /**
     * Lists messages, the newest first (MESSAGES).
     *
     * @param filter which messages
     * @param before 0 for the newest messages, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     * @throws CarillonException if the call fails
     */
    public MessagePage messages(MessageFilter filter, long before, int limit) {
        return BlockingWait.result(() -> calls.messages(app, filter, before, limit));
    }

    /**
     * Lists all messages, the newest first.
     *
     * @param filter which messages
     * @return the messages
     */
    public Listing<MessageSummary> allMessages(MessageFilter filter) {
        return calls.allMessages(app, filter);
    }

    /**
     * Cancels, pauses, resumes or paces a message (UPDATE_MESSAGE).
     *
     * @param messageId the message
     * @param update what changes
     * @return the state of the message afterwards
     * @throws CarillonException if the call fails
     */
    public MessageState updateMessage(long messageId, MessageUpdate update) {
        return BlockingWait.result(() -> calls.updateMessage(app, messageId, update));
    }

    /**
     * Sends a finished message again (RESEND).
     *
     * @param messageId the message
     * @param options to which of its devices, and how
     * @return the new message
     * @throws CarillonException if the call fails
     */
    public SendResult resend(long messageId, ResendOptions options) {
        return BlockingWait.result(() -> calls.resend(app, messageId, options));
    }

    /**
     * Says why a device did or did not get a message (TRACE).
     *
     * @param messageId the message
     * @param device the device
     * @return the trace
     * @throws CarillonException if the call fails
     */
    public Trace trace(long messageId, DeviceReference device) {
        return BlockingWait.result(() -> calls.trace(app, messageId, device));
    }

    /**
     * Creates a broadcast channel of Live Activities (CREATE_CHANNEL). The client does not repeat it after a lost
     * answer, because APNs would create another channel.
     *
     * @param environment the environment of APNs
     * @param policy what APNs stores of the channel's messages; it cannot be changed later
     * @return the id of the channel
     * @throws CarillonException if the call fails
     */
    public String createChannel(Environment environment, StoragePolicy policy) {
        return BlockingWait.result(() -> calls.createChannel(app, environment, policy));
    }

    /**
     * Says what APNs stores of the messages of a broadcast channel (CHANNEL).
     *
     * @param environment the environment of APNs
     * @param channel the id of the channel
     * @return the storage policy
     * @throws CarillonException if the call fails
     */
    public StoragePolicy channel(Environment environment, String channel) {
        return BlockingWait.result(() -> calls.channel(app, environment, channel));
    }

    /**
     * Lists broadcast channels (CHANNELS).
     *
     * @param environment the environment of APNs
     * @param after empty for the first page, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     * @throws CarillonException if the call fails
     */
    public ChannelPage channels(Environment environment, String after, int limit) {
        return BlockingWait.result(() -> calls.channels(app, environment, after, limit));
    }

    /**
     * Lists all broadcast channels.
     *
     * @param environment the environment of APNs
     * @return the ids of the channels
     */
    public Listing<String> allChannels(Environment environment) {
        return calls.allChannels(app, environment);
    }

    /**
     * Deletes a broadcast channel for ever (DELETE_CHANNEL).
     *
     * @param environment the environment of APNs
     * @param channel the id of the channel
     * @return what was done
     * @throws CarillonException if the call fails
     */
    public DeleteChannelResult deleteChannel(Environment environment, String channel) {
        return BlockingWait.result(() -> calls.deleteChannel(app, environment, channel));
    }

    /**
     * Passes on what apps have reported about pushes (RECEIPTS).
     *
     * @param receipts 1 to the {@code batchLimit} of the server
     * @return how many are new
     * @throws CarillonException if the call fails
     */
    public ReceiptResult reportReceipts(Collection<Receipt> receipts) {
        return BlockingWait.result(() -> calls.reportReceipts(app, receipts));
    }

    /**
     * Lists the devices with a receipt (RECEIPT_DEVICES).
     *
     * @param messageId the message
     * @param kind the kind of the receipt
     * @param cursor 0 for the first page, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     * @throws CarillonException if the call fails
     */
    public DeviceIdPage receiptDevices(long messageId, ReceiptKind kind, long cursor, int limit) {
        return BlockingWait.result(() -> calls.receiptDevices(app, messageId, kind, cursor, limit));
    }

    /**
     * Lists all devices with a receipt.
     *
     * @param messageId the message
     * @param kind the kind of the receipt
     * @return ids
     */
    public Listing<Long> allReceiptDevices(long messageId, ReceiptKind kind) {
        return calls.allReceiptDevices(app, messageId, kind);
    }

    /**
     * Lists the devices of an app (DEVICES).
     *
     * @param cursor 0 for the first page, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     * @throws CarillonException if the call fails
     */
    public DevicePage devices(long cursor, int limit) {
        return BlockingWait.result(() -> calls.devices(app, cursor, limit));
    }

    /**
     * Lists all devices of an app.
     *
     * @return the devices
     */
    public Listing<DeviceRecord> allDevices() {
        return calls.allDevices(app);
    }
}
