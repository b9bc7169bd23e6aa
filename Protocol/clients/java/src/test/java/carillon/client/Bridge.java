// Long: one method for each request and each answer of the protocol.
package carillon.client;

import carillon.client.codec.Request;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Function;

/** Leads from the fields of vectors to requests of the client, and from its answers back to fields. */
final class Bridge {
    private final Map<String, Object> fields;

    private Bridge(Map<String, Object> fields) {
        this.fields = fields;
    }

    // Requests

    private boolean has(String name) {
        return fields.containsKey(name);
    }

    private String text(String name) {
        return (String) fields.get(name);
    }

    private int number(String name) {
        return Vectors.number(fields.get(name));
    }

    private long u64(String name) {
        return Unsigned.parse(text(name));
    }

    private Instant time(String name) {
        return Unsigned.instant(u64(name));
    }

    private DeviceReference device() {
        return device(fields.get("device"));
    }

    static DeviceReference device(Object value) {
        Map<String, Object> object = TestJson.object(value);
        if (object.containsKey("id")) {
            return DeviceReference.id(Unsigned.parse((String) object.get("id")));
        }
        Map<String, Object> token = TestJson.object(object.get("token"));
        return DeviceReference.token(new Environment(Vectors.number(token.get("environment"))),
            new TokenKind(Vectors.number(token.get("kind"))), Token.of(Vectors.bytes(token.get("token"))));
    }

    private <T> List<T> items(String name, Function<Object, T> item) {
        return new ArrayList<>(TestJson.list(fields.get(name)).stream().map(item).toList());
    }

    private List<DeviceReference> devices() {
        return items("devices", Bridge::device);
    }

    private List<String> texts(String name) {
        return items(name, each -> (String) each);
    }

    private Registration registration() {
        Registration made = Registration.of(new Environment(number("environment")), new TokenKind(number("kind")),
            Token.of(Vectors.bytes(text("token"))));
        made.seenAt = u64("seen_at") == 0 ? null : time("seen_at");
        made.replaces = has("replaces") ? Token.of(Vectors.bytes(text("replaces"))) : null;
        made.locale = text("locale");
        made.timeZone = text("time_zone");
        made.topics = has("topics") ? texts("topics") : null;
        made.groups = has("groups") ? texts("groups") : null;
        made.attributes = attributes();
        made.subscription = has("subscription") ? Vectors.bytes(text("subscription")) : null;
        return made;
    }

    private Map<String, String> attributes() {
        if (!has("attributes")) {
            return null;
        }
        Map<String, String> attributes = new LinkedHashMap<>();
        for (Object each : TestJson.list(fields.get("attributes"))) {
            attributes.put((String) TestJson.object(each).get("key"), (String) TestJson.object(each).get("value"));
        }
        return attributes;
    }

    private Content content(String payload) {
        boolean hasDefault = has(payload) && !text(payload).isEmpty();
        if (!hasDefault && !has("bodies")) {
            return null;
        }
        Content content = Content.of(Payload.of(Vectors.bytes(hasDefault ? text(payload) : "7b7d")));
        if (!hasDefault) {
            content.withoutDefault();
        }
        if (has("bodies")) {
            for (Object each : TestJson.list(fields.get("bodies"))) {
                Map<String, Object> body = TestJson.object(each);
                content.language((String) body.get("language"), Payload.of(Vectors.bytes(body.get("payload"))));
            }
        }
        return content;
    }

    private Audience audience() {
        return switch (number("audience")) {
            case 1 -> Audience.devices(devices());
            case 2 -> Audience.groups(texts("groups"));
            case 3 -> Audience.topic(text("topic"));
            case 4 -> Audience.condition(text("condition"));
            case 6 -> Audience.channel(
                has("environment") ? new Environment(number("environment")) : Environment.PRODUCTION, text("channel"));
            default -> Audience.allDevices();
        };
    }

    private Message message() {
        Message message = Message.of(content("payload"))
            .pushType(new PushType(number("push_type"))).priority(number("priority"));
        message.key = has("key") ? LayoutCodec.uuid(text("key")) : null;
        message.expirationSeconds = has("expiration") ? u64("expiration") : null;
        message.collapseId = text("collapse_id");
        message.notAfter = has("not_after") ? time("not_after") : null;
        message.lane = has("lane") ? new Lane(number("lane")) : null;
        message.excludedDevice = has("except") ? device(fields.get("except")) : null;
        message.dryRun = has("dry_run") && number("dry_run") == 1;
        message.sendAt = has("send_at") ? time("send_at") : null;
        message.pace = has("pace") ? (Long) ((Number) fields.get("pace")).longValue() : null;
        message.overBudget = has("over_budget") ? number("over_budget") : null;
        message.idKey = text("id_key");
        message.label = text("label");
        message.android = has("android") ? Vectors.bytes(fields.get("android")) : null;
        message.traceparent = text("traceparent");
        message.androidRaw = has("android_raw") ? Vectors.bytes(fields.get("android_raw")) : null;
        message.web = has("web") ? Vectors.bytes(fields.get("web")) : null;
        message.webRaw = has("web_raw") ? Vectors.bytes(fields.get("web_raw")) : null;
        return message;
    }

    private MessageFilter filter() {
        MessageFilter filter = new MessageFilter();
        filter.state = has("state") ? new MessageState(number("state")) : null;
        filter.sender = text("sender");
        filter.label = text("label");
        return filter;
    }

    private MessageUpdate update() {
        return switch (number("action")) {
            case 1 -> MessageUpdate.CANCEL;
            case 2 -> MessageUpdate.PAUSE;
            case 3 -> MessageUpdate.RESUME;
            default -> has("pace")
                ? MessageUpdate.pace(((Number) fields.get("pace")).longValue()) : MessageUpdate.NO_PACE;
        };
    }

    private ResendOptions resendOptions() {
        ResendOptions options = new ResendOptions();
        options.key = has("key") ? LayoutCodec.uuid(text("key")) : null;
        options.outcomes = items("outcomes", each -> new Outcome(Vectors.number(each)));
        options.notAfter = has("not_after") ? time("not_after") : null;
        return options;
    }

    private DeviceUpdate changes() {
        DeviceUpdate changes = new DeviceUpdate();
        changes.locale = text("locale");
        changes.timeZone = text("time_zone");
        changes.attributes = attributes();
        changes.muted = muted();
        return changes;
    }

    private Boolean muted() {
        return has("muted") ? (Boolean) (number("muted") == 1) : null;
    }

    private BatchRegistration item(Object hex) {
        Map<String, Object> item = LayoutCodec.decode("client", "register", Vectors.bytes(hex), 0, new ArrayList<>());
        return new BatchRegistration((String) item.get("app"), new Bridge(item).registration());
    }

    private Receipt receipt(Object value) {
        Map<String, Object> item = TestJson.object(value);
        return new Receipt(Unsigned.parse((String) item.get("message_id")), device(item.get("device")),
            new ReceiptKind(Vectors.number(item.get("kind"))));
    }

    /** Returns the request of an operation with these fields; null for HELLO and AUTH. */
    static Request<?> request(String operation, Map<String, Object> fields) {
        Bridge from = new Bridge(fields);
        String app = from.text("app");
        return switch (operation) {
            case "register" -> Requests.register(app, from.registration());
            case "register_batch" -> Requests.registerBatch(from.items("items", from::item));
            case "unregister" -> Requests.unregister(app, from.device(), from.u64("at") == 0 ? null : from.time("at"));
            case "lookup" -> Requests.lookup(app, from.device());
            case "update_device" -> Requests.updateDevice(app, from.device(), from.changes());
            case "memberships" -> Requests.memberships(app, from.device(), from.text("after"), from.number("limit"));
            case "restore" -> Requests.restore(app, from.device());
            case "quarantine" -> Requests.quarantine(app, from.u64("cursor"), from.number("limit"));
            case "join" -> Requests.join(app, from.text("group"), from.devices(), from.content("announcement"));
            case "leave" -> Requests.leave(app, from.text("group"), from.devices(),
                from.has("clear_topics") && from.number("clear_topics") == 1);
            case "switch" -> Requests.switchGroup(app, from.device(), from.text("from"), from.text("to"),
                from.content("announcement"));
            case "group_devices" -> Requests.groupDevices(app, from.text("group"), from.u64("cursor"),
                from.number("limit"));
            case "groups" -> Requests.groups(app, from.text("prefix"), from.text("after"), from.number("limit"));
            case "update_group" -> Requests.updateGroup(app, from.text("group"), from.muted());
            case "group_topics" -> Requests.groupTopics(app, from.text("group"), from.text("after"),
                from.number("limit"));
            case "subscribe" -> Requests.subscribe(false, app, from.texts("topics"), from.devices(),
                from.texts("groups"));
            case "unsubscribe" -> Requests.subscribe(true, app, from.texts("topics"), from.devices(),
                from.texts("groups"));
            case "topics" -> Requests.topics(app, from.text("prefix"), from.text("after"), from.number("limit"));
            case "topic_devices" -> Requests.topicDevices(app, from.text("topic"), from.u64("cursor"),
                from.number("limit"));
            case "explain" -> Requests.explain(app, from.text("condition"));
            case "send" -> Requests.send(app, from.audience(), from.message());
            case "message_status" -> Requests.messageStatus(app, from.u64("message_id"));
            case "message_outcomes" -> Requests.messageOutcomes(app, from.u64("message_id"), from.u64("cursor"),
                from.number("limit"));
            case "messages" -> Requests.messages(app, from.filter(), from.u64("before"), from.number("limit"));
            case "update_message" -> Requests.updateMessage(app, from.u64("message_id"), from.update());
            case "resend" -> Requests.resend(app, from.u64("message_id"), from.resendOptions());
            case "trace" -> Requests.trace(app, from.u64("message_id"), from.device());
            case "subscribe_events" -> Requests.subscribeEvents(from.text("name"), from.u64("from"), from.texts("apps"),
                from.items("kinds", each -> new EventKind(Vectors.number(each))), from.u64("credit"));
            case "event_credit" -> Requests.eventCredit(from.u64("subscription"), from.u64("credit"), from.u64("ack"));
            case "unsubscribe_events" -> Requests.unsubscribeEvents(from.u64("subscription"));
            case "forget_subscriber" -> Requests.forgetSubscriber(from.text("name"));
            case "create_channel" -> Requests.createChannel(app, new Environment(from.number("environment")),
                new StoragePolicy(from.number("storage_policy")));
            case "channel" -> Requests.channelPolicy(app, new Environment(from.number("environment")),
                from.text("channel"));
            case "channels" -> Requests.channels(app, new Environment(from.number("environment")), from.text("after"),
                from.number("limit"));
            case "delete_channel" -> Requests.deleteChannel(app, new Environment(from.number("environment")),
                from.text("channel"));
            case "receipts" -> Requests.receipts(app, from.items("receipts", from::receipt));
            case "receipt_devices" -> Requests.receiptDevices(app, from.u64("message_id"),
                new ReceiptKind(from.number("kind")), from.u64("cursor"), from.number("limit"));
            case "remove_node" -> Requests.removeNode(from.text("node"));
            case "statistics" -> Requests.statistics(from.number("limit"));
            case "devices" -> Requests.devices(app, from.u64("cursor"), from.number("limit"));
            default -> null;
        };
    }

    // Answers

    /** Names and values in turn; a value that is empty is left out. */
    private static Map<String, Object> fields(Object... parts) {
        Map<String, Object> made = new LinkedHashMap<>();
        for (int index = 0; index < parts.length; index += 2) {
            Object value = plain(parts[index + 1]);
            if (value != null) {
                made.put((String) parts[index], value);
            }
        }
        return made;
    }

    /** Returns the form of vectors of a value; Instant is in milliseconds. */
    private static Object plain(Object value) {
        if (value instanceof Optional<?> optional) {
            return optional.map(Bridge::plain).orElse(null);
        }
        if (value instanceof OptionalLong optional) {
            return optional.isPresent() ? Long.toUnsignedString(optional.getAsLong()) : null;
        }
        if (value instanceof Instant time) {
            return Long.toUnsignedString(Unsigned.millis("time", time));
        }
        if (value instanceof Boolean flag) {
            return flag ? 1L : 0L;
        }
        if (value instanceof Integer number) {
            return (long) number;
        }
        if (value instanceof UUID uuid) {
            return uuid.toString().replace("-", "");
        }
        return value instanceof Token token ? token.hex() : value;
    }

    private static String u64(long value) {
        return Long.toUnsignedString(value);
    }

    private static Long u32(OptionalLong value) {
        return value.isPresent() ? (Long) value.getAsLong() : null;
    }

    private static Object orZero(Optional<Instant> time) {
        return time.map(Bridge::plain).orElse("0");
    }

    private static String orZero(OptionalLong value) {
        return u64(value.orElse(0));
    }

    private static List<Long> longs(List<Integer> values) {
        return values.stream().map(each -> each & 0xFFFF_FFFFL).toList();
    }

    private static Object outcomes(Map<Outcome, Long> outcomes) {
        return outcomes.entrySet().stream()
            .map(each -> fields("outcome", each.getKey().number(), "devices", u64(each.getValue()))).toList();
    }

    private static <T> List<Object> all(List<T> items, Function<T, Object> make) {
        return new ArrayList<>(items.stream().map(make).toList());
    }

    private static Object present(List<?> items, Object made) {
        return items.isEmpty() ? null : made;
    }

    /** Returns the fields of an answer; null for one without fields. */
    static Map<String, Object> answer(String operation, Object answer) {
        if (answer == null) {
            return fields();
        }
        if (answer instanceof Long number) {
            String name = operation.equals("update_group") ? "devices" : operation.equals("subscribe_events") ? "after"
                : operation.equals("remove_node") ? "incarnation" : "device_id";
            return fields(name, u64(number));
        } else if (answer instanceof RegisterResult from) {
            return fields("device_id", u64(from.deviceId()), "result", from.result().number());
        } else if (answer instanceof List<?> items) {
            return fields("results", all(items, each -> fields("code", ((BatchResult) each).code(), "device_id",
                u64(((BatchResult) each).deviceId()), "result", ((BatchResult) each).result().number())));
        } else if (answer instanceof UnregisterResult from) {
            return fields("device_id", u64(from.deviceId()), "result", from.result().number());
        } else if (answer instanceof DeviceRecord from) {
            return device(from);
        } else if (answer instanceof Memberships from) {
            return fields("device_id", u64(from.deviceId()), "muted", from.muted(),
                "groups", all(from.groups(), each -> fields("group", each.group(), "muted", each.muted())),
                "topics", all(from.topics(), each -> fields("topic", each.topic(), "source", each.source().orElse(""))),
                "next", from.next().orElse(""));
        } else if (answer instanceof DeviceIdPage from) {
            return fields("next", orZero(from.next()), "devices", all(from.devices(), Bridge::u64));
        } else if (answer instanceof JoinResult from) {
            return fields("joined", from.joined(), "message_id", orZero(from.messageId()),
                "unknown", longs(from.unknown()));
        } else if (answer instanceof LeaveResult from) {
            return fields("left", from.left(), "unknown", longs(from.unknown()));
        } else if (answer instanceof SwitchGroupResult from) {
            return fields("device_id", u64(from.deviceId()), "changed", from.changed(),
                "message_id", orZero(from.messageId()));
        } else if (answer instanceof GroupPage from) {
            return fields("next", from.next().orElse(""),
                "groups", all(from.groups(),
                    each -> fields("group", each.group(), "devices", u64(each.devices()), "muted", each.muted())));
        } else if (answer instanceof TopicPage from) {
            return fields("next", from.next().orElse(""), "topics",
                all(from.topics(), each -> fields("topic", each.topic(), "devices", u64(each.devices()))));
        } else if (answer instanceof GroupTopicPage from) {
            return fields("next", from.next().orElse(""), "topics", new ArrayList<Object>(from.topics()));
        } else if (answer instanceof SubscribeResult from) {
            return fields("changed", from.changed(), "unknown", longs(from.unknown()));
        } else if (answer instanceof Explanation from) {
            return fields("condition", from.condition(), "devices", u64(from.devices()), "sets",
                all(from.sets(), each -> fields("set", each.set(), "devices", u64(each.devices()))));
        } else if (answer instanceof SendResult from) {
            return fields("message_id", u64(from.messageId()), "duplicate", from.duplicate(), "total", from.total(),
                "ended", from.ended());
        }
        return messageAnswer(answer);
    }

    private static Map<String, Object> device(DeviceRecord from) {
        List<Object> attributes = new ArrayList<>();
        from.attributes().forEach((key, value) -> attributes.add(fields("key", key, "value", value)));
        return fields("device_id", u64(from.deviceId()), "environment", from.environment().number(),
            "kind", from.kind().number(), "token", from.token(), "registered_at", from.registeredAt(),
            "seen_at", from.seenAt(), "state", from.state().number(), "locale", from.locale(),
            "time_zone", from.timeZone(), "attributes", present(attributes, attributes),
            "muted", from.muted() ? 1L : null);
    }

    private static Map<String, Object> messageAnswer(Object answer) {
        if (answer instanceof MessageStatus from) {
            return fields("state", from.state().number(), "accepted_at", from.acceptedAt(),
                "finished_at", from.finishedAt().map(Bridge::plain).orElse("0"), "total", u64(from.total()),
                "outcomes", outcomes(from.outcomes()), "send_at", from.sendAt(), "pace", u32(from.pace()),
                "rate", u32(from.rate()),
                "remaining_ms", from.remaining()
                .map(each -> u64(each.getSeconds() * 1000 + each.getNano() / 1_000_000)),
                "received", from.received() == 0 ? null : u64(from.received()),
                "opened", from.opened() == 0 ? null : u64(from.opened()), "audience", from.audience(),
                "label", from.label(), "sender", from.sender(), "traceparent", from.traceparent(),
                "obstacles", present(from.obstacles(), all(from.obstacles(),
                    each -> fields("kind", each.kind().number(), "credential", each.credential(),
                        "environment", each.environment().number(), "began_at", orZero(each.beganAt()),
                        "next_attempt_at", orZero(each.nextAttemptAt()), "cause", each.cause(),
                        "reason", each.reason()))));
        } else if (answer instanceof OutcomePage from) {
            return fields("next", orZero(from.next()), "recipients", all(from.recipients(),
                each -> fields("device_id", u64(each.deviceId()), "outcome", each.outcome().number())));
        } else if (answer instanceof MessagePage from) {
            boolean hasDetails = !from.messages().isEmpty() && from.messages().get(0).delivered().isPresent();
            return fields("next", orZero(from.next()),
                "messages", all(from.messages(),
                    each -> fields("message_id", u64(each.messageId()), "state", each.state().number(),
                        "accepted_at", each.acceptedAt(), "push_type", each.pushType().number(),
                        "lane", each.lane().number(), "total", u64(each.total()), "ended", u64(each.ended()))),
                "details", !hasDetails ? null
                : all(from.messages(),
                    each -> fields("delivered", orZero(each.delivered()), "failed", orZero(each.failed()),
                        "label", each.label().orElse(""), "sender", each.sender().orElse(""))));
        } else if (answer instanceof MessageState from) {
            return fields("state", from.number());
        } else if (answer instanceof Trace from) {
            return fields("device_id", u64(from.deviceId()), "state", from.state().number(),
                "addressing", from.addressing().number(), "outcome", from.outcome().number(), "flags", from.flags(),
                "sources", present(from.sources(),
                    all(from.sources(),
                        each -> fields("kind", each.kind().number(), "name", each.name(),
                        "through", each.through().orElse("")))),
                "muted_groups", present(from.mutedGroups(), from.mutedGroups()), "language", from.language(),
                "silent_budget_left", u32(from.silentBudgetLeft()),
                "attempts", present(from.attempts(),
                    all(from.attempts(),
                        each -> fields("at", each.at(), "connection", each.connection(), "status", each.status(),
                        "reason", each.reason()))), "next_attempt_at", from.nextAttemptAt(),
                "unique_ids", present(from.uniqueIds(), from.uniqueIds()));
        } else if (answer instanceof ForgetResult from) {
            return fields("result", from.number());
        } else if (answer instanceof String from) {
            return fields("channel", from);
        } else if (answer instanceof StoragePolicy from) {
            return fields("storage_policy", from.number());
        } else if (answer instanceof ChannelPage from) {
            return fields("next", from.next().orElse(""), "channels", from.channels());
        } else if (answer instanceof DeleteChannelResult from) {
            return fields("result", from.number());
        } else if (answer instanceof ReceiptResult from) {
            return fields("counted", from.counted(), "unknown", longs(from.unknown()));
        } else if (answer instanceof DevicePage from) {
            return fields("next", orZero(from.next()), "devices", all(from.devices(),
                each -> Vectors.hex(LayoutCodec.encode("server", "lookup", device(each)))));
        }
        return statistics((Statistics) answer);
    }

    private static Map<String, Object> statistics(Statistics from) {
        Statistics.Database disk = from.database();
        return fields("at", from.server().at(), "started_at", from.server().startedAt(),
            "software", from.server().software(), "clients", from.server().clients(),
            "half_open", from.server().halfOpen(),
            "requests", all(from.requests(),
                each -> fields("opcode", each.opcode(), "code", each.code(), "count", u64(each.count()),
                    "micros", u64(each.micros()))), "queued_changes", from.batches().queued(),
            "batches", u64(from.batches().batches()), "changes", u64(from.batches().changes()),
            "batch_micros", u64(from.batches().micros()), "latest_batches", from.batches().latest(),
            "lanes", all(from.lanes(),
                each -> fields("lane", each.lane().number(), "messages", each.messages(), "waiting", each.waiting(),
                    "delayed", each.delayed(), "in_flight", each.inFlight())), "unrecorded", from.unrecorded(),
            "sending", all(from.sending(),
                each -> fields("message_id", u64(each.messageId()), "app", each.app(), "lane", each.lane().number(),
                    "accepted_at", each.acceptedAt(), "total", u64(each.total()), "ended", u64(each.ended()),
                    "in_flight", each.inFlight(), "rate", each.rate())), "outcomes", outcomes(from.outcomes()),
            "pools", all(from.pools(),
                each -> fields("credential", each.credential(), "environment", each.environment().number(),
                    "parked", each.parked(), "opening", each.opening(), "open", each.open(),
                    "draining", each.draining(), "in_flight", each.inFlight(), "streams", each.streams(),
                    "throttle", each.throttle(), "attempts", u64(each.attempts()))),
            "answers", all(from.answers(),
                each -> fields("pool", each.pool(), "status", each.status(), "reason", each.reason(),
                    "count", u64(each.count()))), "database_bytes", disk.bytes(), "free_bytes", disk.freeBytes(),
            "map_bytes", disk.mapBytes(), "limit_bytes", disk.limitBytes(), "readers", u32(disk.readers()),
            "reader_age_commits", disk.readerAgeCommits(), "kept", from.kept().all(), "unfinished",
            from.kept().unfinished(), "scheduled", from.kept().scheduled(), "counted_at", from.countedAt(),
            "apps", present(from.apps(),
                all(from.apps(),
                    each -> fields("app", each.app(), "devices", u64(each.devices()),
                    "quarantined", u64(each.quarantined()), "groups", u64(each.groups()),
                    "topics", u64(each.topics())))),
            "failures", present(from.failures(),
                all(from.failures(),
                    each -> fields("pool", each.pool(), "unreachable", each.unreachable(), "count", u64(each.count()),
                    "last_at", u64(each.lastAt()), "reason", each.reason()))),
            "outages", present(from.outages(),
                all(from.outages(),
                    each -> fields("pool", each.pool(), "began_at", orZero(each.beganAt()),
                    "next_attempt_at", orZero(each.nextAttemptAt()), "cause", each.cause()))),
            "nodes", present(from.nodes(),
                all(from.nodes(),
                    each -> fields("node", each.node(), "incarnation", u64(each.incarnation()), "over", each.isOver(),
                    "position", u64(each.position()), "hash", each.hash().toString().replace("-", ""),
                    "silent_ms", each.silentMs(), "lease_ms", each.leaseMs(), "format", each.format(),
                    "version", each.version(), "address", each.address()))),
            "log_position", from.log().position(), "log_entries", from.log().entries(),
            "snapshot_position", from.log().snapshot(),
            "claims", present(from.claims(),
                all(from.claims(), each -> fields("messages", each.messages(), "blocks", each.blocks(),
                    "pages", u64(each.pages())))),
            "devices_by_provider", present(from.devicesByProvider(),
                all(from.devicesByProvider(),
                    each -> fields("apns", u64(each.apns()), "fcm", u64(each.fcm()), "web", u64(each.web())))));
    }

    /** Returns the fields of an event or a gap. */
    static Map<String, Object> element(StreamElement element) {
        if (element instanceof StreamElement.Event event) {
            return fields("sequence", u64(event.sequence()), "at", event.at(), "kind", event.kind().number(),
                "app", event.app(), "message_id", event.messageId(), "device_id", event.deviceId(),
                "outcome", event.outcome().map(Outcome::number), "count", event.count(), "text", event.text(),
                "traceparent", event.traceparent());
        } else if (element instanceof StreamElement.Gap gap) {
            return fields("missed_from", u64(gap.missedFrom()), "missed_to", u64(gap.missedTo()));
        }
        return fields();
    }

    static Map<String, Object> error(CarillonException error) {
        Map<String, Object> made = new LinkedHashMap<>();
        made.put("code", error.codeName());
        made.put("number", (long) error.number());
        made.put("effect", error.effect().toString());
        made.put("scope", error.scope().toString());
        made.put("retry_after_ms", error.retryAfter().map(each -> (Object) each.toMillis()).orElse(null));
        made.put("field", error.field().orElse(null));
        made.put("item", error.item().isPresent() ? (Object) error.item().getAsLong() : null);
        made.put("limit", plain(error.limit()));
        made.put("column", error.column().isPresent() ? (Object) error.column().getAsLong() : null);
        made.put("key", plain(error.key()));
        made.put("attempts", (long) error.attempts());
        made.put("causes", (long) error.causes().size());
        made.put("is_not_executed", error.isNotExecuted());
        made.put("is_safe_to_retry", error.isSafeToRetry());
        made.put("is_transient", error.isTransient());
        return made;
    }
}
