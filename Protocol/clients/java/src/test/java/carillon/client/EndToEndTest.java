package carillon.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** The client against a server; only with CARILLON_PROGRAMS. */
@EnabledIf("carillon.client.Deployment#isPossible")
final class EndToEndTest {
    private static final int SENDS = 1_000;
    private static final int BEFORE_THE_END_OF_THE_SERVER = 200;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static Deployment deployment;

    @BeforeAll
    static void start() throws Exception {
        deployment = new Deployment();
    }

    @AfterAll
    static void stop() throws Exception {
        deployment.close();
    }

    private static Token token() {
        byte[] bytes = new byte[32];
        new Random().nextBytes(bytes);
        return Token.of(bytes);
    }

    private static Registration registration(DeviceReference device) {
        return Registration.of(((DeviceReference.ByToken) device).token()).seenAt(Instant.now());
    }

    @Test
    void everyOperationSendsItsRequestAndReadsItsAnswer() {
        try (CarillonClient client = CarillonClient.connect(deployment.options())) {
            BlockingAppCalls app = client.app().blocking();
            DeviceReference first = DeviceReference.token(token());
            DeviceReference second = DeviceReference.token(token());
            Registration one = registration(first).locale("de");
            Registration other = registration(second).topics(List.of("raids"));
            long id = app.register(one).deviceId();
            List<BatchResult> batch = client.blocking()
                .registerBatch(List.of(new BatchRegistration(deployment.app, other)));
            assertEquals(List.of(Registered.CREATED), batch.stream().map(BatchResult::result).toList());
            assertEquals(id,
                app.updateDevice(first, new DeviceUpdate().attribute("platform", "ios").timeZone("Europe/Vienna")));
            assertEquals("Europe/Vienna", app.lookup(DeviceReference.id(id)).timeZone().orElseThrow());
            List<Long> ids = app.allDevices().stream().map(DeviceRecord::deviceId).toList();
            assertTrue(ids.containsAll(List.of(id, batch.get(0).deviceId())));
            assertEquals(id, app.restore(first));
            assertEquals(List.of(), app.allQuarantinedDevices().stream().toList());
            groupsAndTopics(app, first, second);
            messages(app, first, second);
            assertEquals(Forgotten.UNKNOWN_NAME, client.blocking().forgetSubscriber("unknown"));
            assertEquals(deployment.app, client.blocking().statistics(10).apps().get(0).app());
            assertEquals(Unregistered.REMOVED, app.unregister(second, Instant.now()).result());
            assertEquals(Unregistered.NOT_REGISTERED, app.unregister(second).result());
            assertTrue(client.ping().toNanos() > 0);
            assertTrue(client.server().orElseThrow().software().startsWith("carillond/"));
        }
    }

    private static void groupsAndTopics(BlockingAppCalls app, DeviceReference first, DeviceReference second) {
        assertEquals(1, app.join("user/1", List.of(first)).joined());
        assertTrue(app.join("user/1", List.of(second), Content.of("A new device")).messageId().isPresent());
        assertEquals(2, app.allGroupDevices("user/1").stream().count());
        assertEquals(List.of(new GroupSummary("user/1", 2, false)), app.allGroups("user/").stream().toList());
        SwitchResult switched = app.switchGroup(second, "user/1", "user/2");
        assertTrue(switched.hasLeft());
        assertTrue(switched.hasJoined());
        assertEquals(1, app.subscribe(List.of("level5"), List.of(), List.of("user/1")).changed());
        assertEquals(List.of("level5"), app.allGroupTopics("user/1").stream().toList());
        assertEquals(List.of("level5", "raids"), app.allTopics("").stream().map(TopicSummary::topic).toList());
        assertEquals(1, app.allTopicDevices("level5").stream().count());
        assertEquals("user/1", app.allTopicsOf(first).iterator().next().source().orElseThrow());
        assertEquals(1, app.explain("'level5' in topics").devices());
        assertEquals(1, app.setGroupMuted("user/1", true));
        Memberships memberships = app.memberships(first, "", 10);
        assertFalse(memberships.isMutedItself());
        assertTrue(memberships.isMutedByGroup());
        assertEquals(1, app.setGroupMuted("user/1", false));
        assertEquals(1, app.unsubscribe(List.of("level5"), List.of(), List.of("user/1")).changed());
        assertEquals(1, app.leave("user/2", List.of(second)).left());
    }

    private static void messages(BlockingAppCalls app, DeviceReference first, DeviceReference second) {
        Message message = Message.of("Hello").label("hello").idKey("id");
        SendResult sent = app.send(Audience.devices(List.of(first, second)), message);
        assertEquals(2, app.waitUntilFinished(sent.messageId(), MINUTE).outcomes().get(Outcome.DELIVERED));
        assertEquals(2, app.allMessageOutcomes(sent.messageId()).stream().count());
        assertEquals(1, app.allMessages(new MessageFilter().label("hel")).stream().count());
        Trace trace = app.trace(sent.messageId(), first);
        assertEquals(Addressing.RECIPIENT, trace.addressing());
        assertTrue(trace.hasBody());
        Receipt receipt = new Receipt(sent.messageId(), first, ReceiptKind.OPENED);
        assertEquals(1, app.reportReceipts(List.of(receipt)).counted());
        assertEquals(1, app.allReceiptDevices(sent.messageId(), ReceiptKind.OPENED).stream().count());
        assertEquals(0, app.resend(sent.messageId(), new ResendOptions()).total());
        SendResult later = app.send(Audience.allDevices(), Message.of("Later").sendAt(Instant.now().plusSeconds(3600)));
        assertEquals(MessageState.PAUSED, app.updateMessage(later.messageId(), MessageUpdate.PAUSE));
        assertEquals(MessageState.PAUSED, app.updateMessage(later.messageId(), MessageUpdate.pace(5)));
        app.updateMessage(later.messageId(), MessageUpdate.CANCEL);
        MessageStatus status = app.waitUntilFinished(later.messageId(), MINUTE);
        assertEquals(status.total(), status.outcomes().get(Outcome.CANCELLED));
        CarillonException error = assertThrows(CarillonException.class, () -> app.explain("'level5' in"));
        assertTrue(error.column().isPresent() && error.field().orElseThrow().equals("condition"));
    }

    @Test
    void eachOfManySendsIsAcceptedOnceThroughAnOrderlyStop() throws Exception {
        sendThroughTheEndOfTheServer("terminate");
    }

    @Test
    void eachOfManySendsIsAcceptedOnceThroughAKill() throws Exception {
        sendThroughTheEndOfTheServer("kill");
    }

    private static void sendThroughTheEndOfTheServer(String command) throws Exception {
        List<StateReport.State> states = Collections.synchronizedList(new ArrayList<>());
        Options options = deployment.options().inFlight(8).requestTimeout(MINUTE)
            .onState(report -> states.add(report.state()));
        try (CarillonClient client = CarillonClient.connect(options)) {
            AppCalls app = client.app();
            DeviceReference device = DeviceReference.token(token());
            app.blocking().register(registration(device));
            CountDownLatch answered = new CountDownLatch(BEFORE_THE_END_OF_THE_SERVER);
            List<CompletableFuture<SendResult>> sends = new ArrayList<>();
            for (int index = 0; index < SENDS; index++) {
                Message message = Message.of("Hello").label(command + " " + index);
                CompletableFuture<SendResult> send = app.send(Audience.device(device), message);
                send.thenRun(answered::countDown);
                sends.add(send);
            }
            assertTrue(answered.await(60, TimeUnit.SECONDS));
            deployment.command(command);
            assertFalse(sends.stream().allMatch(CompletableFuture::isDone), "the server has ended too late");
            deployment.command("start");
            Set<Long> ids = new HashSet<>();
            for (CompletableFuture<SendResult> send : sends) {
                ids.add(send.get(90, TimeUnit.SECONDS).messageId());
            }
            List<MessageSummary> listed = app.allMessages(new MessageFilter().label(command + " ")).stream().toList();
            assertEquals(SENDS, ids.size());
            assertEquals(SENDS, listed.size());
            assertEquals(ids, listed.stream().map(MessageSummary::messageId).collect(Collectors.toSet()));
            assertEquals(SENDS, listed.stream().map(each -> each.label().orElseThrow()).distinct().count());
            assertTrue(states.contains(StateReport.State.DRAINING) || states.contains(StateReport.State.DISCONNECTED));
        }
    }
}
