package carillon.client;

import carillon.client.codec.MalformedException;
import carillon.client.codec.Reader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Decodes the answers (§7 to §12) and events. Unknown tags are skipped, unknown numbers kept. */
final class Answers {
    private Answers() {
    }

    private static <T> T ended(Reader in, T value) {
        in.end();
        return value;
    }

    /** 0 means that there is none. */
    private static Optional<Instant> timeOrNone(Reader in) {
        long millis = in.u64();
        return millis == 0 ? Optional.empty() : Optional.of(Unsigned.instant(millis));
    }

    private static OptionalLong orNone(long number) {
        return number == 0 ? OptionalLong.empty() : OptionalLong.of(number);
    }

    /** An empty text means that there is none. */
    private static Optional<String> orNone(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }

    private static Instant time(Reader in) {
        return Unsigned.instant(in.u64());
    }

    private static List<Integer> indices(Reader in) {
        return in.list(4, item -> (int) item.u32());
    }

    static Void nothing(Reader in) {
        return ended(in, null);
    }

    static Long number(Reader in) {
        return ended(in, in.u64());
    }

    static RegisterResult registered(Reader in) {
        return ended(in, new RegisterResult(in.u64(), new RegisterResultKind(in.u8())));
    }

    static List<BatchResult> batch(Reader in) {
        return ended(in, in.list(11,
            item -> new BatchResult(item.u16(), item.u64(), new RegisterResultKind(item.u8()))));
    }

    static UnregisterResult unregistered(Reader in) {
        return ended(in, new UnregisterResult(in.u64(), new UnregisterResultKind(in.u8())));
    }

    static DeviceRecord device(Reader in) {
        long id = in.u64();
        Environment environment = new Environment(in.u8());
        TokenKind kind = new TokenKind(in.u8());
        Token token = Token.of(in.token());
        Instant registeredAt = time(in);
        Instant seenAt = time(in);
        DeviceState state = new DeviceState(in.u8());
        Optional<String> locale = Optional.empty();
        Optional<String> timeZone = Optional.empty();
        Map<String, String> attributes = Map.of();
        boolean muted = false;
        while (in.nextTag()) {
            switch ((int) in.tag()) {
                case 18 -> locale = Optional.of(in.tagStr());
                case 20 -> timeZone = Optional.of(in.tagStr());
                case 22 -> attributes = attributes(in);
                case 24 -> muted = in.flag();
                default -> in.skip();
            }
        }
        return new DeviceRecord(id, environment, kind, token, registeredAt, seenAt, state, locale, timeZone, attributes,
            muted);
    }

    private static Map<String, String> attributes(Reader in) {
        Map<String, String> attributes = new LinkedHashMap<>();
        in.list(4, item -> Map.entry(item.str(), item.str()))
            .forEach(entry -> attributes.put(entry.getKey(), entry.getValue()));
        return Collections.unmodifiableMap(attributes);
    }

    static Memberships memberships(Reader in) {
        return ended(in, new Memberships(in.u64(), in.u8(),
            in.list(3, item -> new GroupMembership(item.str(), item.flag())),
            in.list(4, item -> new TopicMembership(item.str(), orNone(item.str()))), orNone(in.str())));
    }

    static DeviceIdPage deviceIdPage(Reader in) {
        return ended(in, new DeviceIdPage(orNone(in.u64()), in.list(8, Reader::u64)));
    }

    static JoinResult joined(Reader in) {
        return ended(in, new JoinResult(in.u32(), orNone(in.u64()), indices(in)));
    }

    static LeaveResult left(Reader in) {
        return ended(in, new LeaveResult(in.u32(), indices(in)));
    }

    static SwitchGroupResult switched(Reader in) {
        return ended(in, new SwitchGroupResult(in.u64(), in.u8(), orNone(in.u64())));
    }

    static GroupPage groupPage(Reader in) {
        return ended(in, new GroupPage(orNone(in.str()),
            in.list(11, item -> new GroupSummary(item.str(), item.u64(), item.flag()))));
    }

    static TopicPage topicPage(Reader in) {
        return ended(in,
            new TopicPage(orNone(in.str()), in.list(10, item -> new TopicSummary(item.str(), item.u64()))));
    }

    static String createdChannel(Reader in) {
        return ended(in, in.str());
    }

    static StoragePolicy storagePolicy(Reader in) {
        return ended(in, new StoragePolicy(in.u8()));
    }

    static ChannelPage channelPage(Reader in) {
        return ended(in, new ChannelPage(orNone(in.str()), in.list(2, Reader::str)));
    }

    static DeleteChannelResult channelDeletion(Reader in) {
        return ended(in, new DeleteChannelResult(in.u8()));
    }

    static GroupTopicPage groupTopics(Reader in) {
        return ended(in, new GroupTopicPage(orNone(in.str()), in.list(2, Reader::str)));
    }

    static SubscribeResult subscribed(Reader in) {
        return ended(in, new SubscribeResult(in.u32(), indices(in)));
    }

    static Explanation explanation(Reader in) {
        return ended(in,
            new Explanation(in.str(), in.u64(), in.list(10, item -> new ExplainedSet(item.str(), item.u64()))));
    }

    static SendResult sent(Reader in) {
        return ended(in, new SendResult(in.u64(), in.flag(), in.u32(), in.u32()));
    }

    private static Map<Outcome, Long> outcomes(Reader in) {
        Map<Outcome, Long> outcomes = new LinkedHashMap<>();
        in.list(9, item -> Map.entry(new Outcome(item.u8()), item.u64()))
            .forEach(entry -> outcomes.put(entry.getKey(), entry.getValue()));
        return Collections.unmodifiableMap(outcomes);
    }

    static MessageStatus messageStatus(Reader in) {
        MessageState state = new MessageState(in.u8());
        Instant acceptedAt = time(in);
        long finishedAt = in.u64();
        long total = in.u64();
        Map<Outcome, Long> outcomes = outcomes(in);
        Optional<Instant> sendAt = Optional.empty();
        OptionalLong pace = OptionalLong.empty();
        OptionalLong rate = OptionalLong.empty();
        Optional<Duration> remaining = Optional.empty();
        long received = 0;
        long opened = 0;
        Optional<String> audience = Optional.empty();
        Optional<String> label = Optional.empty();
        Optional<String> sender = Optional.empty();
        Optional<String> traceparent = Optional.empty();
        List<Obstacle> obstacles = List.of();
        while (in.nextTag()) {
            switch ((int) in.tag()) {
                case 16 -> sendAt = Optional.of(time(in));
                case 18 -> pace = OptionalLong.of(in.u32());
                case 20 -> rate = OptionalLong.of(in.u32());
                case 22 -> remaining = Optional.of(Unsigned.duration(in.u64()));
                case 24 -> received = in.u64();
                case 26 -> opened = in.u64();
                case 28 -> audience = Optional.of(in.tagStr());
                case 30 -> label = Optional.of(in.tagStr());
                case 32 -> sender = Optional.of(in.tagStr());
                case 34 -> obstacles = in.list(24,
                    item -> new Obstacle(new ObstacleKind(item.u8()), item.str(), new Environment(item.u8()),
                        timeOrNone(item), timeOrNone(item), item.str(), item.str()));
                case 66 -> traceparent = Optional.of(in.tagStr());
                default -> in.skip();
            }
        }
        return new MessageStatus(state, acceptedAt,
            finishedAt == 0 ? Optional.empty() : Optional.of(Unsigned.instant(finishedAt)), total, outcomes, sendAt,
            pace, rate, remaining, received, opened, audience, label, sender, obstacles, traceparent);
    }

    static OutcomePage outcomePage(Reader in) {
        return ended(in,
            new OutcomePage(orNone(in.u64()),
                in.list(9, item -> new RecipientOutcome(item.u64(), new Outcome(item.u8())))));
    }

    static MessagePage messagePage(Reader in) {
        OptionalLong next = orNone(in.u64());
        List<MessageSummary> messages = in.list(35,
            item -> new MessageSummary(item.u64(), new MessageState(item.u8()), time(item), new PushType(item.u8()),
                new Lane(item.u8()), item.u64(), item.u64(), OptionalLong.empty(), OptionalLong.empty(),
                Optional.empty(), Optional.empty()));
        while (in.nextTag()) {
            if (in.tag() == 16) {
                messages = detailed(messages, in);
            } else {
                in.skip();
            }
        }
        return new MessagePage(next, messages);
    }

    private static List<MessageSummary> detailed(List<MessageSummary> messages, Reader in) {
        record Details(long delivered, long failed, String label, String sender) {
        }
        List<Details> details = in.list(20, item -> new Details(item.u64(), item.u64(), item.str(), item.str()));
        if (details.size() != messages.size()) {
            throw new MalformedException("as many details as messages");
        }
        List<MessageSummary> all = new ArrayList<>(messages.size());
        for (int index = 0; index < messages.size(); index++) {
            MessageSummary from = messages.get(index);
            Details more = details.get(index);
            all.add(new MessageSummary(from.messageId(), from.state(), from.acceptedAt(), from.pushType(), from.lane(),
                from.total(), from.ended(), OptionalLong.of(more.delivered()), OptionalLong.of(more.failed()),
                orNone(more.label()), orNone(more.sender())));
        }
        return List.copyOf(all);
    }

    static MessageState messageState(Reader in) {
        return ended(in, new MessageState(in.u8()));
    }

    static Trace trace(Reader in) {
        long id = in.u64();
        MessageState state = new MessageState(in.u8());
        Addressing addressing = new Addressing(in.u8());
        Outcome outcome = new Outcome(in.u8());
        int flags = in.u8();
        List<TraceSource> sources = List.of();
        List<String> mutedGroups = List.of();
        Optional<String> language = Optional.empty();
        OptionalLong silentBudgetLeft = OptionalLong.empty();
        List<TraceAttempt> attempts = List.of();
        Optional<Instant> nextAttemptAt = Optional.empty();
        List<String> uniqueIds = List.of();
        while (in.nextTag()) {
            switch ((int) in.tag()) {
                case 16 -> sources = in.list(5,
                    item -> new TraceSource(new SourceKind(item.u8()), item.str(), orNone(item.str())));
                case 18 -> mutedGroups = in.list(2, Reader::str);
                case 20 -> language = Optional.of(in.tagStr());
                case 22 -> silentBudgetLeft = OptionalLong.of(in.u32());
                case 24 -> attempts = in.list(16,
                    item -> new TraceAttempt(time(item), item.u32(), item.u16(), item.str()));
                case 26 -> nextAttemptAt = Optional.of(time(in));
                case 30 -> uniqueIds = in.list(2, Reader::str);
                default -> in.skip();
            }
        }
        return new Trace(id, state, addressing, outcome, flags, sources, mutedGroups, language, silentBudgetLeft,
            attempts, nextAttemptAt, uniqueIds);
    }

    static ForgetResult forgotten(Reader in) {
        return ended(in, new ForgetResult(in.u8()));
    }

    static ReceiptResult receiptsCounted(Reader in) {
        return ended(in, new ReceiptResult(in.u32(), indices(in)));
    }

    static DevicePage devicePage(Reader in) {
        return ended(in, new DevicePage(orNone(in.u64()), in.list(4, item -> item.nested(Answers::device))));
    }

    static Statistics statistics(Reader in) {
        Statistics.Server server = new Statistics.Server(time(in), time(in), in.str(), in.u32(), in.u32());
        List<Statistics.RequestCount> requests =
            in.list(20, item -> new Statistics.RequestCount(item.u16(), item.u16(), item.u64(), item.u64()));
        Statistics.Batches batches = new Statistics.Batches(in.u32(), in.u64(), in.u64(), in.u64(),
            in.list(4, Reader::u32));
        List<Statistics.LaneLoad> lanes = in.list(17,
            item -> new Statistics.LaneLoad(new Lane(item.u8()), item.u32(), item.u32(), item.u32(), item.u32()));
        long unrecorded = in.u32();
        List<Statistics.SendingMessage> sending = in.list(43, item -> new Statistics.SendingMessage(item.u64(),
            item.str(), new Lane(item.u8()), time(item), item.u64(), item.u64(), item.u32(), item.u32()));
        Map<Outcome, Long> outcomes = outcomes(in);
        List<Statistics.Pool> pools = in.list(36, item -> new Statistics.Pool(item.str(), new Environment(item.u8()),
            item.flag(), item.u32(), item.u32(), item.u32(), item.u32(), item.u32(), item.u32(), item.u64()));
        List<Statistics.AnswerCount> answers =
            in.list(16, item -> new Statistics.AnswerCount(item.u32(), item.u16(), item.str(), item.u64()));
        OptionalLong[] sizes = new OptionalLong[9];
        java.util.Arrays.fill(sizes, OptionalLong.empty());
        Optional<Instant> countedAt = Optional.empty();
        List<Statistics.AppCount> apps = List.of();
        List<Statistics.PoolFailure> failures = List.of();
        List<Statistics.PoolOutage> outages = List.of();
        List<Statistics.ClusterNode> nodes = List.of();
        List<Statistics.NodeClaims> claims = List.of();
        List<Statistics.ProviderCounts> devicesByProvider = List.of();
        OptionalLong[] log = {OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty()};
        while (in.nextTag()) {
            int tag = (int) in.tag();
            switch (tag) {
                case 16, 18, 20, 22, 26, 28, 30, 32 -> sizes[(tag - 16) / 2] = OptionalLong.of(in.u64());
                case 24 -> sizes[4] = OptionalLong.of(in.u32());
                case 34 -> countedAt = Optional.of(time(in));
                case 36 -> apps = in.list(34,
                    item -> new Statistics.AppCount(item.str(), item.u64(), item.u64(), item.u64(), item.u64()));
                case 38 -> failures = in.list(23,
                    item -> new Statistics.PoolFailure(item.u32(), item.flag(), item.u64(), item.u64(), item.str()));
                case 40 -> outages = in.list(22,
                    item -> new Statistics.PoolOutage(item.u32(), timeOrNone(item), timeOrNone(item), item.str()));
                case 44 -> nodes = in.list(49, item -> new Statistics.ClusterNode(item.str(), item.u64(), item.flag(),
                    item.u64(), item.uuid(), item.u32(), item.u32(), item.u16(), item.str(), item.str()));
                case 52 -> claims =
                    in.list(16, item -> new Statistics.NodeClaims(item.u32(), item.u32(), item.u64()));
                case 54 -> devicesByProvider =
                    in.list(24, item -> new Statistics.ProviderCounts(item.u64(), item.u64(), item.u64()));
                case 46, 48, 50 -> log[(tag - 46) / 2] = OptionalLong.of(in.u64());
                default -> in.skip();
            }
        }
        return new Statistics(server, requests, batches, lanes, unrecorded, sending, outcomes, pools, answers,
            new Statistics.Database(sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5]),
            new Statistics.Kept(sizes[6], sizes[7], sizes[8]), countedAt, apps, failures,
            outages, nodes, new Statistics.Log(log[0], log[1], log[2]), claims, devicesByProvider);
    }

    // Events

    /** Reads an event; a gap always has its two tags (§11.2). */
    static StreamElement event(Reader in) {
        long sequence = in.u64();
        Instant at = time(in);
        int kind = in.u16();
        Optional<String> app = Optional.empty();
        OptionalLong messageId = OptionalLong.empty();
        OptionalLong deviceId = OptionalLong.empty();
        Optional<Outcome> outcome = Optional.empty();
        OptionalLong count = OptionalLong.empty();
        Optional<String> text = Optional.empty();
        Optional<String> traceparent = Optional.empty();
        OptionalLong missedFrom = OptionalLong.empty();
        OptionalLong missedTo = OptionalLong.empty();
        while (in.nextTag()) {
            switch ((int) in.tag()) {
                case 16 -> app = Optional.of(in.tagStr());
                case 18 -> messageId = OptionalLong.of(in.u64());
                case 20 -> deviceId = OptionalLong.of(in.u64());
                case 22 -> outcome = Optional.of(new Outcome(in.u8()));
                case 24 -> count = OptionalLong.of(in.u64());
                case 26 -> text = Optional.of(in.tagStr());
                case 28 -> missedFrom = OptionalLong.of(in.u64());
                case 30 -> missedTo = OptionalLong.of(in.u64());
                case 66 -> traceparent = Optional.of(in.tagStr());
                default -> in.skip();
            }
        }
        if (kind != 0) {
            return new StreamElement.Event(sequence, at, new EventKind(kind), app, messageId, deviceId, outcome, count,
                text, traceparent);
        }
        if (missedFrom.isEmpty() || missedTo.isEmpty()) {
            throw new MalformedException("a gap without its bounds");
        }
        return new StreamElement.Gap(sequence, missedFrom.getAsLong(), missedTo.getAsLong());
    }
}
