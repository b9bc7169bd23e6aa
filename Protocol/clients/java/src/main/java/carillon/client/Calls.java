// Long: one method for each operation of the protocol, with its documentation.
package carillon.client;

import carillon.client.codec.Operation;
import carillon.client.codec.Request;
import carillon.client.codec.UnencodableException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The operations of the protocol as futures. All methods may be called from all threads. No operation blocks or
 * throws: its future fails with {@link CarillonException}. Cancelling a future ends its call.
 *
 * <p>What depends on a future runs on a thread of the client, and must not wait there for another call: use the methods
 * of {@link CompletableFuture} that end in {@code Async} for that. {@link #blocking} has the same operations for
 * programs that wait.
 */
public class Calls {
    private static final int PAGE = 1000;
    final CallDispatcher dispatcher;
    private final CallOptions callOptions;

    Calls(CallDispatcher dispatcher, CallOptions callOptions) {
        this.dispatcher = dispatcher;
        this.callOptions = callOptions;
    }

    /**
     * Returns the same operations with other options.
     *
     * @param options a deadline, or no retries
     * @return the operations; they belong to the same client
     */
    public Calls with(CallOptions options) {
        return new Calls(dispatcher, ArgumentChecks.value("options", options));
    }

    /**
     * Returns the same operations as methods that wait.
     *
     * @return the operations; they belong to the same client
     */
    public BlockingCalls blocking() {
        return new BlockingCalls(this);
    }

    /**
     * Returns the operations about one app.
     *
     * @param name the app
     * @return the operations; they belong to the same client
     */
    public AppCalls app(String name) {
        return new AppCalls(this, ArgumentChecks.value("app", name));
    }

    private <T> CompletableFuture<T> start(Operation operation, Supplier<Request<T>> encode) {
        try {
            return dispatcher.start(encode.get(), callOptions);
        } catch (UnencodableException error) {
            return refused(operation, CarillonException.invalid(error.field(), error.getMessage()));
        } catch (CarillonException error) {
            return refused(operation, error);
        }
    }

    /** The client refuses the arguments: the future has failed already (CONTRACT.md, ERR-7). */
    private <T> CompletableFuture<T> refused(Operation operation, CarillonException error) {
        dispatcher.observer.callRefused(operation, error);
        return CompletableFuture.failedFuture(error);
    }

    private static Listing<Long> ids(Function<Long, CompletableFuture<DeviceIdPage>> fetch) {
        return Listing.of(0L, cursor -> fetch.apply(cursor)
            .thenApply(page -> new Listing.Page<>(page.devices(), boxed(page.next()))));
    }

    private static Optional<Long> boxed(OptionalLong value) {
        return value.isPresent() ? Optional.of(value.getAsLong()) : Optional.empty();
    }

    /**
     * Subscribes to events.
     *
     * @param options which events, and from where
     * @return the stream, when the server has accepted the subscription
     */
    public CompletableFuture<EventStream> events(EventOptions options) {
        if (options == null) {
            return CompletableFuture.failedFuture(CarillonException.invalid("options", "is null"));
        }
        return dispatcher.streams.open(options, callOptions);
    }

    /**
     * Registers a device (REGISTER).
     *
     * @param app the app
     * @param registration what the app says about it
     * @return what was done
     */
    public CompletableFuture<RegisterResult> register(String app, Registration registration) {
        return start(Operation.REGISTER, () -> Requests.register(app, registration));
    }

    /**
     * Registers many devices in one durable step (REGISTER_BATCH).
     *
     * @param items 1 to the {@code batchLimit} of the server
     * @return a result for each item, in their order
     */
    public CompletableFuture<List<BatchResult>> registerBatch(List<BatchRegistration> items) {
        return start(Operation.REGISTER_BATCH, () -> Requests.registerBatch(items));
    }

    /**
     * Unregisters a device as of now (UNREGISTER). The call is not repeated by itself after its connection was lost.
     *
     * @param app the app
     * @param device the device
     * @return what was done
     */
    public CompletableFuture<UnregisterResult> unregister(String app, DeviceReference device) {
        return start(Operation.UNREGISTER, () -> Requests.unregister(app, device, null));
    }

    /**
     * Unregisters a device (UNREGISTER).
     *
     * @param app the app
     * @param device the device
     * @param at when the app has said so
     * @return what was done
     */
    public CompletableFuture<UnregisterResult> unregister(String app, DeviceReference device, Instant at) {
        return start(Operation.UNREGISTER, () -> Requests.unregister(app, device, ArgumentChecks.value("at", at)));
    }

    /**
     * Looks a device up (LOOKUP).
     *
     * @param app the app
     * @param device the device
     * @return the device
     */
    public CompletableFuture<DeviceRecord> lookup(String app, DeviceReference device) {
        return start(Operation.LOOKUP, () -> Requests.lookup(app, device));
    }

    /**
     * Changes a device (UPDATE_DEVICE).
     *
     * @param app the app
     * @param device the device
     * @param update what changes
     * @return the id of the device
     */
    public CompletableFuture<Long> updateDevice(String app, DeviceReference device, DeviceUpdate update) {
        return start(Operation.UPDATE_DEVICE, () -> Requests.updateDevice(app, device, update));
    }

    /**
     * Lists the groups and topics of a device (MEMBERSHIPS).
     *
     * @param app the app
     * @param device the device
     * @param after empty for the first page, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     */
    public CompletableFuture<Memberships> memberships(String app, DeviceReference device, String after, int limit) {
        return start(Operation.MEMBERSHIPS, () -> Requests.memberships(app, device, after, limit));
    }

    /**
     * Lists all topics of a device.
     *
     * @param app the app
     * @param device the device
     * @return the topics and their sources
     */
    public Listing<TopicMembership> allTopicsOf(String app, DeviceReference device) {
        return Listing.of("", after -> memberships(app, device, after, PAGE)
            .thenApply(page -> new Listing.Page<>(page.topics(), page.next())));
    }

    /**
     * Takes a device out of quarantine (RESTORE).
     *
     * @param app the app
     * @param device the device
     * @return the id of the device
     */
    public CompletableFuture<Long> restore(String app, DeviceReference device) {
        return start(Operation.RESTORE, () -> Requests.restore(app, device));
    }

    /**
     * Lists the devices whose tokens the provider has declared dead (QUARANTINE).
     *
     * @param app the app
     * @param cursor 0 for the first page, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     */
    public CompletableFuture<DeviceIdPage> quarantinedDevices(String app, long cursor, int limit) {
        return start(Operation.QUARANTINE, () -> Requests.quarantine(app, cursor, limit));
    }

    /**
     * Lists all devices whose tokens the provider has declared dead.
     *
     * @param app the app
     * @return ids
     */
    public Listing<Long> allQuarantinedDevices(String app) {
        return ids(cursor -> quarantinedDevices(app, cursor, PAGE));
    }

    /**
     * Lets devices join a group (JOIN).
     *
     * @param app the app
     * @param group the group
     * @param devices the devices
     * @return how many are new
     */
    public CompletableFuture<JoinResult> join(String app, String group, Collection<? extends DeviceReference> devices) {
        return start(Operation.JOIN, () -> Requests.join(app, group, devices, null));
    }

    /**
     * Lets devices join a group, and tells the others (JOIN).
     *
     * @param app the app
     * @param group the group
     * @param devices the devices
     * @param announcement what the other devices of the group get
     * @return how many are new, and the message
     */
    public CompletableFuture<JoinResult> join(
        String app, String group, Collection<? extends DeviceReference> devices, Content announcement) {
        return start(Operation.JOIN,
            () -> Requests.join(app, group, devices, ArgumentChecks.value("announcement", announcement)));
    }

    /**
     * Lets devices leave a group (LEAVE).
     *
     * @param app the app
     * @param group the group
     * @param devices the devices
     * @return how many were members
     */
    public CompletableFuture<LeaveResult> leave(
        String app, String group, Collection<? extends DeviceReference> devices) {
        return start(Operation.LEAVE, () -> Requests.leave(app, group, devices, false));
    }

    /**
     * Lets devices leave a group (LEAVE).
     *
     * @param app the app
     * @param group the group
     * @param devices the devices
     * @param clearTopics true: the devices' own subscriptions end too
     * @return how many were members
     */
    public CompletableFuture<LeaveResult> leave(
        String app, String group, Collection<? extends DeviceReference> devices, boolean clearTopics) {
        return start(Operation.LEAVE, () -> Requests.leave(app, group, devices, clearTopics));
    }

    /**
     * Lets a device leave one group and join another in one step (SWITCH).
     *
     * @param app the app
     * @param device the device
     * @param from the group that it leaves
     * @param to the group that it joins
     * @return what has changed
     */
    public CompletableFuture<SwitchGroupResult> switchGroup(
        String app, DeviceReference device, String from, String to) {
        return start(Operation.SWITCH, () -> Requests.switchGroup(app, device, from, to, null));
    }

    /**
     * Lets a device leave one group and join another in one step, and tells the others (SWITCH).
     *
     * @param app the app
     * @param device the device
     * @param from the group that it leaves
     * @param to the group that it joins
     * @param announcement what the other devices of the group get
     * @return what has changed, and the message
     */
    public CompletableFuture<SwitchGroupResult> switchGroup(
        String app, DeviceReference device, String from, String to, Content announcement) {
        return start(Operation.SWITCH,
            () -> Requests.switchGroup(app, device, from, to, ArgumentChecks.value("announcement", announcement)));
    }

    /**
     * Lists the devices of a group (GROUP_DEVICES).
     *
     * @param app the app
     * @param group the group
     * @param cursor 0 for the first page, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     */
    public CompletableFuture<DeviceIdPage> groupDevices(String app, String group, long cursor, int limit) {
        return start(Operation.GROUP_DEVICES, () -> Requests.groupDevices(app, group, cursor, limit));
    }

    /**
     * Lists all devices of a group.
     *
     * @param app the app
     * @param group the group
     * @return ids
     */
    public Listing<Long> allGroupDevices(String app, String group) {
        return ids(cursor -> groupDevices(app, group, cursor, PAGE));
    }

    /**
     * Lists groups (GROUPS).
     *
     * @param app the app
     * @param prefix what the names begin with; empty for all
     * @param after empty for the first page, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     */
    public CompletableFuture<GroupPage> groups(String app, String prefix, String after, int limit) {
        return start(Operation.GROUPS, () -> Requests.groups(app, prefix, after, limit));
    }

    /**
     * Lists all groups.
     *
     * @param app the app
     * @param prefix what the names begin with; empty for all
     * @return the groups
     */
    public Listing<GroupSummary> allGroups(String app, String prefix) {
        return Listing.of("", after -> groups(app, prefix, after, PAGE)
            .thenApply(page -> new Listing.Page<>(page.groups(), page.next())));
    }

    /**
     * Counts the devices of a group (UPDATE_GROUP).
     *
     * @param app the app
     * @param group the group
     * @return how many devices it has
     */
    public CompletableFuture<Long> groupSize(String app, String group) {
        return start(Operation.UPDATE_GROUP, () -> Requests.updateGroup(app, group, null));
    }

    /**
     * Mutes a group or ends that (UPDATE_GROUP).
     *
     * @param app the app
     * @param group the group
     * @param muted true: its devices get no pushes
     * @return how many devices it has
     */
    public CompletableFuture<Long> setGroupMuted(String app, String group, boolean muted) {
        return start(Operation.UPDATE_GROUP, () -> Requests.updateGroup(app, group, muted));
    }

    /**
     * Lists the topics of a group (GROUP_TOPICS).
     *
     * @param app the app
     * @param group the group
     * @param after empty for the first page, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     */
    public CompletableFuture<GroupTopicPage> groupTopics(String app, String group, String after, int limit) {
        return start(Operation.GROUP_TOPICS, () -> Requests.groupTopics(app, group, after, limit));
    }

    /**
     * Lists all topics of a group.
     *
     * @param app the app
     * @param group the group
     * @return the topics
     */
    public Listing<String> allGroupTopics(String app, String group) {
        return Listing.of("", after -> groupTopics(app, group, after, PAGE)
            .thenApply(page -> new Listing.Page<>(page.topics(), page.next())));
    }

    /**
     * Subscribes devices and groups to topics (SUBSCRIBE).
     *
     * @param app the app
     * @param topics the topics
     * @param devices devices that are subscribed themselves; may be empty
     * @param groups groups whose devices inherit the topics; may be empty
     * @return how many subscriptions are new: one for each topic and each device or group
     */
    public CompletableFuture<SubscribeResult> subscribe(
        String app, Collection<String> topics, Collection<? extends DeviceReference> devices,
        Collection<String> groups) {
        return start(Operation.SUBSCRIBE, () -> Requests.subscribe(false, app, topics, devices, groups));
    }

    /**
     * Ends subscriptions of devices and groups to topics (UNSUBSCRIBE).
     *
     * @param app the app
     * @param topics the topics
     * @param devices devices; may be empty
     * @param groups groups; may be empty
     * @return how many subscriptions have ended
     */
    public CompletableFuture<SubscribeResult> unsubscribe(
        String app, Collection<String> topics, Collection<? extends DeviceReference> devices,
        Collection<String> groups) {
        return start(Operation.UNSUBSCRIBE, () -> Requests.subscribe(true, app, topics, devices, groups));
    }

    /**
     * Lists topics (TOPICS).
     *
     * @param app the app
     * @param prefix what the names begin with; empty for all
     * @param after empty for the first page, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     */
    public CompletableFuture<TopicPage> topics(String app, String prefix, String after, int limit) {
        return start(Operation.TOPICS, () -> Requests.topics(app, prefix, after, limit));
    }

    /**
     * Lists all topics.
     *
     * @param app the app
     * @param prefix what the names begin with; empty for all
     * @return the topics
     */
    public Listing<TopicSummary> allTopics(String app, String prefix) {
        return Listing.of("", after -> topics(app, prefix, after, PAGE)
            .thenApply(page -> new Listing.Page<>(page.topics(), page.next())));
    }

    /**
     * Lists the devices of a topic (TOPIC_DEVICES).
     *
     * @param app the app
     * @param topic the topic
     * @param cursor 0 for the first page, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     */
    public CompletableFuture<DeviceIdPage> topicDevices(String app, String topic, long cursor, int limit) {
        return start(Operation.TOPIC_DEVICES, () -> Requests.topicDevices(app, topic, cursor, limit));
    }

    /**
     * Lists all devices of a topic.
     *
     * @param app the app
     * @param topic the topic
     * @return ids
     */
    public Listing<Long> allTopicDevices(String app, String topic) {
        return ids(cursor -> topicDevices(app, topic, cursor, PAGE));
    }

    /**
     * Says what a condition addresses (EXPLAIN).
     *
     * @param app the app
     * @param condition the condition
     * @return its canonical form and its size
     */
    public CompletableFuture<Explanation> explain(String app, String condition) {
        return start(Operation.EXPLAIN, () -> Requests.explain(app, condition));
    }

    /**
     * Sends a message (SEND).
     *
     * @param app the app
     * @param audience who gets it; never left out
     * @param message what is sent, and how
     * @return the id of the message, and how many devices it addresses
     */
    public CompletableFuture<SendResult> send(String app, Audience audience, Message message) {
        return start(Operation.SEND, () -> Requests.send(app, audience, message));
    }

    /**
     * Returns the state of a message (MESSAGE_STATUS).
     *
     * @param app the app
     * @param messageId the message
     * @return its state and outcomes
     */
    public CompletableFuture<MessageStatus> messageStatus(String app, long messageId) {
        return start(Operation.MESSAGE_STATUS, () -> Requests.messageStatus(app, messageId));
    }

    /**
     * Asks for the state of a message until it is finished: after 20 ms, then in pauses that double up to 2 s.
     *
     * @param app the app
     * @param messageId the message
     * @param timeout how long at most
     * @return its state and outcomes; NO_ANSWER if it is not finished in time
     */
    public CompletableFuture<MessageStatus> waitUntilFinished(String app, long messageId, Duration timeout) {
        return Polling.untilFinished(this, app, messageId, timeout);
    }

    /**
     * Lists the recipients of a message (MESSAGE_OUTCOMES).
     *
     * @param app the app
     * @param messageId the message
     * @param cursor 0 for the first page, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     */
    public CompletableFuture<OutcomePage> messageOutcomes(String app, long messageId, long cursor, int limit) {
        return start(Operation.MESSAGE_OUTCOMES, () -> Requests.messageOutcomes(app, messageId, cursor, limit));
    }

    /**
     * Lists all recipients of a message.
     *
     * @param app the app
     * @param messageId the message
     * @return the recipients and their outcomes
     */
    public Listing<RecipientOutcome> allMessageOutcomes(String app, long messageId) {
        return Listing.of(0L, cursor -> messageOutcomes(app, messageId, cursor, PAGE)
            .thenApply(page -> new Listing.Page<>(page.recipients(), boxed(page.next()))));
    }

    /**
     * Lists messages, the newest first (MESSAGES).
     *
     * @param app the app
     * @param filter which messages
     * @param before 0 for the newest messages, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     */
    public CompletableFuture<MessagePage> messages(String app, MessageFilter filter, long before, int limit) {
        return start(Operation.MESSAGES, () -> Requests.messages(app, filter, before, limit));
    }

    /**
     * Lists all messages, the newest first.
     *
     * @param app the app
     * @param filter which messages
     * @return the messages
     */
    public Listing<MessageSummary> allMessages(String app, MessageFilter filter) {
        return Listing.of(0L, before -> messages(app, filter, before, PAGE)
            .thenApply(page -> new Listing.Page<>(page.messages(), boxed(page.next()))));
    }

    /**
     * Cancels, pauses, resumes or paces a message (UPDATE_MESSAGE).
     *
     * @param app the app
     * @param messageId the message
     * @param update what changes
     * @return the state of the message afterwards
     */
    public CompletableFuture<MessageState> updateMessage(String app, long messageId, MessageUpdate update) {
        return start(Operation.UPDATE_MESSAGE, () -> Requests.updateMessage(app, messageId, update));
    }

    /**
     * Sends a finished message again (RESEND).
     *
     * @param app the app
     * @param messageId the message
     * @param options to which of its devices, and how
     * @return the new message
     */
    public CompletableFuture<SendResult> resend(String app, long messageId, ResendOptions options) {
        return start(Operation.RESEND, () -> Requests.resend(app, messageId, options));
    }

    /**
     * Says why a device did or did not get a message (TRACE).
     *
     * @param app the app
     * @param messageId the message
     * @param device the device
     * @return the trace
     */
    public CompletableFuture<Trace> trace(String app, long messageId, DeviceReference device) {
        return start(Operation.TRACE, () -> Requests.trace(app, messageId, device));
    }

    /**
     * Creates a broadcast channel of Live Activities (CREATE_CHANNEL). The client does not repeat it after a lost
     * answer, because APNs would create another channel.
     *
     * @param app the app
     * @param environment the environment of APNs
     * @param policy what APNs stores of the channel's messages; it cannot be changed later
     * @return the id of the channel
     */
    public CompletableFuture<String> createChannel(String app, Environment environment, StoragePolicy policy) {
        return start(Operation.CREATE_CHANNEL, () -> Requests.createChannel(app, environment, policy));
    }

    /**
     * Says what APNs stores of the messages of a broadcast channel (CHANNEL).
     *
     * @param app the app
     * @param environment the environment of APNs
     * @param channel the id of the channel
     * @return the storage policy
     */
    public CompletableFuture<StoragePolicy> channel(String app, Environment environment, String channel) {
        return start(Operation.CHANNEL, () -> Requests.channelPolicy(app, environment, channel));
    }

    /**
     * Lists broadcast channels (CHANNELS).
     *
     * @param app the app
     * @param environment the environment of APNs
     * @param after empty for the first page, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     */
    public CompletableFuture<ChannelPage> channels(String app, Environment environment, String after, int limit) {
        return start(Operation.CHANNELS, () -> Requests.channels(app, environment, after, limit));
    }

    /**
     * Lists all broadcast channels.
     *
     * @param app the app
     * @param environment the environment of APNs
     * @return the ids of the channels
     */
    public Listing<String> allChannels(String app, Environment environment) {
        return Listing.of("", after -> channels(app, environment, after, PAGE)
            .thenApply(page -> new Listing.Page<>(page.channels(), page.next())));
    }

    /**
     * Deletes a broadcast channel for ever (DELETE_CHANNEL).
     *
     * @param app the app
     * @param environment the environment of APNs
     * @param channel the id of the channel
     * @return what was done
     */
    public CompletableFuture<DeleteChannelResult> deleteChannel(String app, Environment environment, String channel) {
        return start(Operation.DELETE_CHANNEL, () -> Requests.deleteChannel(app, environment, channel));
    }

    /**
     * Ends the incarnation of a node of the cluster at once (REMOVE_NODE). One that lives joins again by itself.
     *
     * @param node the name of the node
     * @return the incarnation that is over
     */
    public CompletableFuture<Long> removeNode(String node) {
        return start(Operation.REMOVE_NODE, () -> Requests.removeNode(node));
    }

    /**
     * Forgets a name of a stream of events (FORGET_SUBSCRIBER).
     *
     * @param name the name
     * @return what was done
     */
    public CompletableFuture<ForgetResult> forgetSubscriber(String name) {
        return start(Operation.FORGET_SUBSCRIBER, () -> Requests.forgetSubscriber(name));
    }

    /**
     * Passes on what apps have reported about pushes (RECEIPTS).
     *
     * @param app the app
     * @param receipts 1 to the {@code batchLimit} of the server
     * @return how many are new
     */
    public CompletableFuture<ReceiptResult> reportReceipts(String app, Collection<Receipt> receipts) {
        return start(Operation.RECEIPTS, () -> Requests.receipts(app, receipts));
    }

    /**
     * Lists the devices with a receipt (RECEIPT_DEVICES).
     *
     * @param app the app
     * @param messageId the message
     * @param kind the kind of the receipt
     * @param cursor 0 for the first page, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     */
    public CompletableFuture<DeviceIdPage> receiptDevices(
        String app, long messageId, ReceiptKind kind, long cursor, int limit) {
        return start(Operation.RECEIPT_DEVICES, () -> Requests.receiptDevices(app, messageId, kind, cursor, limit));
    }

    /**
     * Lists all devices with a receipt.
     *
     * @param app the app
     * @param messageId the message
     * @param kind the kind of the receipt
     * @return ids
     */
    public Listing<Long> allReceiptDevices(String app, long messageId, ReceiptKind kind) {
        return ids(cursor -> receiptDevices(app, messageId, kind, cursor, PAGE));
    }

    /**
     * Returns the state of the server (STATISTICS).
     *
     * @param limit rows of each list at most, 1 to 1,000
     * @return the state
     */
    public CompletableFuture<Statistics> statistics(int limit) {
        return start(Operation.STATISTICS, () -> Requests.statistics(limit));
    }

    /**
     * Lists the devices of an app (DEVICES).
     *
     * @param app the app
     * @param cursor 0 for the first page, else {@code next} of the page before
     * @param limit rows of the page, 1 to 1,000
     * @return a page
     */
    public CompletableFuture<DevicePage> devices(String app, long cursor, int limit) {
        return start(Operation.DEVICES, () -> Requests.devices(app, cursor, limit));
    }

    /**
     * Lists all devices of an app.
     *
     * @param app the app
     * @return the devices
     */
    public Listing<DeviceRecord> allDevices(String app) {
        return Listing.of(0L, cursor -> devices(app, cursor, PAGE)
            .thenApply(page -> new Listing.Page<>(page.devices(), boxed(page.next()))));
    }
}
