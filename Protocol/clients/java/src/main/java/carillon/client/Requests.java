// Long: one method for each request of the protocol.
package carillon.client;

import carillon.client.codec.Operation;
import carillon.client.codec.Reader;
import carillon.client.codec.Request;
import carillon.client.codec.Request.Repetition;
import carillon.client.codec.Writer;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/**
 * Encodes the requests (§6 to §14), and says which may be made again when their effect is unknown (CONTRACT.md, RET-2).
 */
final class Requests {
    private Requests() {
    }

    private static Writer app(String app) {
        Writer out = new Writer();
        out.str("app", app);
        return out;
    }

    private static <T> Request<T> read(Operation operation, Writer out, Function<Reader, T> answer) {
        return new Request<>(operation, out, Repetition.READ_ONLY, null, answer);
    }

    private static <T> Request<T> change(
            Operation operation, boolean isRepeatable, Writer out, Function<Reader, T> answer) {
        return new Request<>(operation, out, isRepeatable ? Repetition.ALWAYS : Repetition.NEVER, null, answer);
    }

    // Types

    static void device(Writer out, String field, DeviceReference device) {
        if (device instanceof DeviceReference.ById byId) {
            out.u8(field, 2);
            out.u64(byId.id());
        } else if (device instanceof DeviceReference.ByToken byToken) {
            out.u8(field, 1);
            address(out, byToken);
        } else {
            throw CarillonException.invalid(field, "is null");
        }
    }

    private static void address(Writer out, DeviceReference.ByToken device) {
        out.u8("environment", device.environment().number());
        out.u8("kind", device.kind().number());
        out.token("token", device.token().bytes());
    }

    private static void devices(Writer out, Collection<? extends DeviceReference> devices) {
        out.list("devices", devices, (inner, device) -> device(inner, "devices", device));
    }

    private static void names(Writer out, String field, Collection<String> names) {
        out.list(field, names, (inner, name) -> inner.str(field, name));
    }

    private static void tagNames(Writer out, int tag, String field, Collection<String> names) {
        if (names != null) {
            out.tagList(tag, field, names, (inner, name) -> inner.str(field, name));
        }
    }

    private static void tagText(Writer out, int tag, String field, String text) {
        if (text != null) {
            out.tagStr(tag, field, text);
        }
    }

    private static void tagAttributes(Writer out, Map<String, String> attributes) {
        if (attributes != null) {
            out.tagList(23, "attributes", attributes.entrySet(), (inner, entry) -> {
                inner.str("attributes", entry.getKey());
                inner.str("attributes", entry.getValue());
            });
        }
    }

    private static void tagBodies(Writer out, int tag, List<Content.Body> bodies) {
        if (!bodies.isEmpty()) {
            out.tagList(tag, "bodies", bodies, (inner, body) -> {
                inner.str("bodies", body.language());
                inner.bytes("bodies", body.payload());
            });
        }
    }

    private static void announcement(Writer out, Content announcement) {
        out.beginTags();
        if (announcement != null) {
            byte[] payload = announcement.payload(PushType.ALERT);
            if (payload.length > 0) {
                out.tagBytes(17, payload);
            }
            tagBodies(out, 19, announcement.bodies(PushType.ALERT));
        }
    }

    // Devices

    private static Writer registration(String app, Registration from) {
        ArgumentChecks.value("registration", from);
        Writer out = app(app);
        address(out, from.device);
        out.u64(from.seenAt == null ? 0 : Unsigned.millis("seen_at", from.seenAt));
        out.beginTags();
        if (from.replaces != null) {
            out.tagToken(17, "replaces", from.replaces.bytes());
        }
        tagText(out, 18, "locale", from.locale);
        tagNames(out, 19, "topics", from.topics);
        tagText(out, 20, "time_zone", from.timeZone);
        tagNames(out, 21, "groups", from.groups);
        tagAttributes(out, from.attributes);
        tagRaw(out, 25, from.subscription);
        return out;
    }

    private static boolean hasTime(Registration from) {
        return from.seenAt != null && Unsigned.millis("seen_at", from.seenAt) != 0;
    }

    static Request<RegisterResult> register(String app, Registration from) {
        Writer out = registration(app, from);
        return change(Operation.REGISTER, hasTime(from), out, Answers::registered);
    }

    static Request<List<BatchResult>> registerBatch(List<BatchRegistration> items) {
        Writer out = new Writer();
        out.list("items", ArgumentChecks.value("items", items), (list, item) -> {
            Writer inner = registration(item.app(), item.registration());
            int tags = inner.tagCount();
            list.u32("items", inner.size() + (tags == 0 ? 0 : 1));
            list.raw(inner.array(), 0, inner.tagsAt());
            if (tags > 0) {
                list.uvarint(tags);
            }
            list.raw(inner.array(), inner.tagsAt(), inner.size() - inner.tagsAt());
        });
        boolean haveTimes = items.stream().allMatch(item -> hasTime(item.registration()));
        return change(Operation.REGISTER_BATCH, haveTimes, out, Answers::batch);
    }

    static Request<UnregisterResult> unregister(String app, DeviceReference device, java.time.Instant at) {
        Writer out = app(app);
        device(out, "device", device);
        long millis = at == null ? 0 : Unsigned.millis("at", at);
        out.u64(millis);
        return change(Operation.UNREGISTER, millis != 0, out, Answers::unregistered);
    }

    private static Writer ofDevice(String app, DeviceReference device) {
        Writer out = app(app);
        device(out, "device", device);
        return out;
    }

    static Request<DeviceRecord> lookup(String app, DeviceReference device) {
        return read(Operation.LOOKUP, ofDevice(app, device), Answers::device);
    }

    static Request<Long> updateDevice(String app, DeviceReference device, DeviceUpdate update) {
        Writer out = ofDevice(app, device);
        ArgumentChecks.value("update", update);
        out.beginTags();
        tagText(out, 18, "locale", update.locale);
        tagText(out, 20, "time_zone", update.timeZone);
        tagAttributes(out, update.attributes);
        if (update.muted != null) {
            out.tagU8(25, "muted", update.muted ? 1 : 0);
        }
        return change(Operation.UPDATE_DEVICE, true, out, Answers::number);
    }

    static Request<Memberships> memberships(String app, DeviceReference device, String after, int limit) {
        Writer out = ofDevice(app, device);
        out.str("after", after);
        out.u32("limit", limit);
        return read(Operation.MEMBERSHIPS, out, Answers::memberships);
    }

    static Request<Long> restore(String app, DeviceReference device) {
        return change(Operation.RESTORE, true, ofDevice(app, device), Answers::number);
    }

    static Request<DeviceIdPage> quarantine(String app, long cursor, int limit) {
        return read(Operation.QUARANTINE, page(app(app), cursor, limit), Answers::deviceIdPage);
    }

    private static Writer page(Writer out, long cursor, int limit) {
        out.u64(cursor);
        out.u32("limit", limit);
        return out;
    }

    // Groups and topics

    static Request<JoinResult> join(
            String app, String group, Collection<? extends DeviceReference> devices, Content announcement) {
        Writer out = app(app);
        out.str("group", group);
        devices(out, devices);
        announcement(out, announcement);
        return change(Operation.JOIN, true, out, Answers::joined);
    }

    static Request<LeaveResult> leave(
            String app, String group, Collection<? extends DeviceReference> devices, boolean clearTopics) {
        Writer out = app(app);
        out.str("group", group);
        devices(out, devices);
        out.beginTags();
        if (clearTopics) {
            out.tagU8(17, "clear_topics", 1);
        }
        return change(Operation.LEAVE, true, out, Answers::left);
    }

    static Request<SwitchGroupResult> switchGroup(
        String app, DeviceReference device, String from, String to, Content announcement) {
        Writer out = ofDevice(app, device);
        out.str("from", from);
        out.str("to", to);
        announcement(out, announcement);
        return change(Operation.SWITCH, true, out, Answers::switched);
    }

    static Request<DeviceIdPage> groupDevices(String app, String group, long cursor, int limit) {
        Writer out = app(app);
        out.str("group", group);
        return read(Operation.GROUP_DEVICES, page(out, cursor, limit), Answers::deviceIdPage);
    }

    private static Writer namePage(Writer out, String first, String text, String after, int limit) {
        out.str(first, text);
        out.str("after", after);
        out.u32("limit", limit);
        return out;
    }

    static Request<GroupPage> groups(String app, String prefix, String after, int limit) {
        return read(Operation.GROUPS, namePage(app(app), "prefix", prefix, after, limit), Answers::groupPage);
    }

    static Request<Long> updateGroup(String app, String group, Boolean muted) {
        Writer out = app(app);
        out.str("group", group);
        out.beginTags();
        if (muted == null) {
            return read(Operation.UPDATE_GROUP, out, Answers::number);
        }
        out.tagU8(25, "muted", muted ? 1 : 0);
        return change(Operation.UPDATE_GROUP, true, out, Answers::number);
    }

    static Request<GroupTopicPage> groupTopics(String app, String group, String after, int limit) {
        return read(Operation.GROUP_TOPICS, namePage(app(app), "group", group, after, limit), Answers::groupTopics);
    }

    static Request<SubscribeResult> subscribe(boolean isEnd, String app, Collection<String> topics,
        Collection<? extends DeviceReference> devices, Collection<String> groups) {
        Writer out = app(app);
        names(out, "topics", topics);
        devices(out, devices);
        names(out, "groups", groups);
        return change(isEnd ? Operation.UNSUBSCRIBE : Operation.SUBSCRIBE, true, out, Answers::subscribed);
    }

    static Request<TopicPage> topics(String app, String prefix, String after, int limit) {
        return read(Operation.TOPICS, namePage(app(app), "prefix", prefix, after, limit), Answers::topicPage);
    }

    static Request<DeviceIdPage> topicDevices(String app, String topic, long cursor, int limit) {
        Writer out = app(app);
        out.str("topic", topic);
        return read(Operation.TOPIC_DEVICES, page(out, cursor, limit), Answers::deviceIdPage);
    }

    // Messages

    static Request<Explanation> explain(String app, String condition) {
        Writer out = app(app);
        out.str("condition", condition);
        return read(Operation.EXPLAIN, out, Answers::explanation);
    }

    static Request<SendResult> send(String app, Audience audience, Message message) {
        if (audience == null) {
            throw CarillonException.invalid(Audience.FIELD, "is null");
        }
        ArgumentChecks.value("message", message);
        Writer out = app(app);
        UUID key = message.key == null ? IdempotencyKeys.next() : message.key;
        out.uuid(key);
        out.u8("push_type", message.pushType.number());
        out.u8("priority", message.priority);
        out.u8(Audience.FIELD, number(audience));
        devices(out, audience instanceof Audience.Devices named ? named.devices() : List.of());
        out.bytes("payload", message.content.payload(message.pushType));
        out.beginTags();
        sendTags(out, audience, message);
        boolean hasKey = !key.equals(Message.NO_KEY);
        Repetition repetition = message.dryRun ? Repetition.READ_ONLY : hasKey ? Repetition.ALWAYS : Repetition.NEVER;
        return new Request<>(Operation.SEND, out, repetition, hasKey ? key : null, Answers::sent);
    }

    private static int number(Audience audience) {
        return audience instanceof Audience.Devices ? 1 : audience instanceof Audience.Groups ? 2
            : audience instanceof Audience.Topic ? 3 : audience instanceof Audience.Condition ? 4
            : audience instanceof Audience.All ? 5 : 6;
    }

    private static void sendTags(Writer out, Audience audience, Message message) {
        tag64(out, 17, message.expirationSeconds);
        tagText(out, 19, "collapse_id", message.collapseId);
        tag64(out, 21, message.notAfter == null ? null : Unsigned.millis("not_after", message.notAfter));
        if (message.lane != null) {
            out.tagU8(22, "lane", message.lane.number());
        }
        tagNames(out, 23, "groups", audience instanceof Audience.Groups named ? named.groups() : null);
        tagText(out, 25, "topic", audience instanceof Audience.Topic named ? named.topic() : null);
        tagText(out, 27, "condition", audience instanceof Audience.Condition named ? named.condition() : null);
        tagBodies(out, 29, message.content.bodies(message.pushType));
        if (message.excludedDevice != null) {
            Writer inner = new Writer();
            device(inner, "except", message.excludedDevice);
            out.tagBytes(31, inner);
        }
        if (message.dryRun) {
            out.tagU8(33, "dry_run", 1);
        }
        tag64(out, 35, message.sendAt == null ? null : Unsigned.millis("send_at", message.sendAt));
        if (message.pace != null) {
            out.tagU32(37, "pace", message.pace);
        }
        if (message.overBudget != null) {
            out.tagU8(39, "over_budget", message.overBudget);
        }
        tagText(out, 41, "id_key", message.idKey);
        tagText(out, 43, "label", message.label);
        tagRaw(out, 45, message.android);
        tagRaw(out, 47, message.androidRaw);
        tagRaw(out, 49, message.web);
        tagRaw(out, 51, message.webRaw);
        if (audience instanceof Audience.Channel named) {
            out.tagStr(61, "channel", named.channel());
            if (named.environment() != Environment.PRODUCTION) {
                out.tagU8(63, "environment", named.environment().number());
            }
        }
        tagText(out, 66, "traceparent", message.traceparent);
    }

    private static void tagRaw(Writer out, int tag, byte[] value) {
        if (value != null) {
            out.tagBytes(tag, value);
        }
    }

    private static void tag64(Writer out, int tag, Long value) {
        if (value != null) {
            out.tagU64(tag, value);
        }
    }

    private static Writer ofMessage(String app, long messageId) {
        Writer out = app(app);
        out.u64(messageId);
        return out;
    }

    static Request<MessageStatus> messageStatus(String app, long messageId) {
        return read(Operation.MESSAGE_STATUS, ofMessage(app, messageId), Answers::messageStatus);
    }

    static Request<OutcomePage> messageOutcomes(String app, long messageId, long cursor, int limit) {
        return read(Operation.MESSAGE_OUTCOMES, page(ofMessage(app, messageId), cursor, limit), Answers::outcomePage);
    }

    static Request<MessagePage> messages(String app, MessageFilter filter, long before, int limit) {
        Writer out = page(app(app), before, limit);
        ArgumentChecks.value("filter", filter);
        out.beginTags();
        if (filter.state != null) {
            out.tagU8(17, "state", filter.state.number());
        }
        tagText(out, 19, "sender", filter.sender);
        tagText(out, 21, "label", filter.label);
        return read(Operation.MESSAGES, out, Answers::messagePage);
    }

    static Request<MessageState> updateMessage(String app, long messageId, MessageUpdate update) {
        Writer out = ofMessage(app, messageId);
        out.u8("action", ArgumentChecks.value("action", update).action);
        out.beginTags();
        if (update.pace != null) {
            out.tagU32(37, "pace", update.pace);
        }
        boolean isRepeatable = update.action != MessageUpdate.RESUME.action;
        return change(Operation.UPDATE_MESSAGE, isRepeatable, out, Answers::messageState);
    }

    static Request<SendResult> resend(String app, long messageId, ResendOptions options) {
        Writer out = ofMessage(app, messageId);
        UUID key = ArgumentChecks.value("options", options).key == null ? IdempotencyKeys.next() : options.key;
        out.uuid(key);
        out.list("outcomes", options.outcomes, (inner, outcome) -> inner.u8("outcomes", outcome.number()));
        out.beginTags();
        tag64(out, 21, options.notAfter == null ? null : Unsigned.millis("not_after", options.notAfter));
        boolean hasKey = !key.equals(Message.NO_KEY);
        return new Request<>(Operation.RESEND, out, hasKey ? Repetition.ALWAYS : Repetition.NEVER, hasKey ? key : null,
            Answers::sent);
    }

    static Request<Trace> trace(String app, long messageId, DeviceReference device) {
        Writer out = ofMessage(app, messageId);
        device(out, "device", device);
        return read(Operation.TRACE, out, Answers::trace);
    }

    // Events, receipts, administration

    static Request<Long> subscribeEvents(String name, long from, List<String> apps, List<EventKind> kinds,
        long credit) {
        Writer out = new Writer();
        out.str("name", name);
        out.u64(from);
        names(out, "apps", apps);
        out.list("kinds", kinds, (inner, kind) -> inner.u16("kinds", kind.number()));
        out.u64(credit);
        return change(Operation.SUBSCRIBE_EVENTS, false, out, Answers::number);
    }

    static Request<Void> eventCredit(long subscription, long credit, long ack) {
        Writer out = new Writer(24);
        out.u64(subscription);
        out.u64(credit);
        out.u64(ack);
        return change(Operation.EVENT_CREDIT, false, out, Answers::nothing);
    }

    static Request<Void> unsubscribeEvents(long subscription) {
        Writer out = new Writer(8);
        out.u64(subscription);
        return change(Operation.UNSUBSCRIBE_EVENTS, false, out, Answers::nothing);
    }

    // Broadcast channels

    private static Writer channels(String app, Environment environment) {
        Writer out = app(app);
        out.u8("environment", ArgumentChecks.value("environment", environment).number());
        return out;
    }

    private static Writer channel(String app, Environment environment, String channel) {
        Writer out = channels(app, environment);
        out.str("channel", channel);
        return out;
    }

    static Request<String> createChannel(String app, Environment environment, StoragePolicy policy) {
        Writer out = channels(app, environment);
        out.u8("storage_policy", ArgumentChecks.value("storage_policy", policy).number());
        return change(Operation.CREATE_CHANNEL, false, out, Answers::createdChannel);
    }

    static Request<StoragePolicy> channelPolicy(String app, Environment environment, String channel) {
        return read(Operation.CHANNEL, channel(app, environment, channel), Answers::storagePolicy);
    }

    static Request<ChannelPage> channels(String app, Environment environment, String after, int limit) {
        Writer out = channels(app, environment);
        out.str("after", after);
        out.u32("limit", limit);
        return read(Operation.CHANNELS, out, Answers::channelPage);
    }

    static Request<DeleteChannelResult> deleteChannel(String app, Environment environment, String channel) {
        return change(Operation.DELETE_CHANNEL, true, channel(app, environment, channel), Answers::channelDeletion);
    }

    static Request<Long> removeNode(String node) {
        Writer out = new Writer();
        out.str("node", node);
        return change(Operation.REMOVE_NODE, false, out, Answers::number);
    }

    static Request<ForgetResult> forgetSubscriber(String name) {
        Writer out = new Writer();
        out.str("name", name);
        return change(Operation.FORGET_SUBSCRIBER, true, out, Answers::forgotten);
    }

    static Request<ReceiptResult> receipts(String app, Collection<Receipt> receipts) {
        Writer out = app(app);
        out.list("receipts", receipts, (inner, receipt) -> {
            inner.u64(receipt.messageId());
            device(inner, "receipts", receipt.device());
            inner.u8("receipts", ArgumentChecks.value("receipts", receipt.kind()).number());
        });
        return change(Operation.RECEIPTS, true, out, Answers::receiptsCounted);
    }

    static Request<DeviceIdPage> receiptDevices(String app, long messageId, ReceiptKind kind, long cursor, int limit) {
        Writer out = ofMessage(app, messageId);
        out.u8("kind", ArgumentChecks.value("kind", kind).number());
        return read(Operation.RECEIPT_DEVICES, page(out, cursor, limit), Answers::deviceIdPage);
    }

    static Request<Statistics> statistics(int limit) {
        Writer out = new Writer();
        out.u32("limit", limit);
        return read(Operation.STATISTICS, out, Answers::statistics);
    }

    static Request<DevicePage> devices(String app, long cursor, int limit) {
        return read(Operation.DEVICES, page(app(app), cursor, limit), Answers::devicePage);
    }
}
