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

/**
 * The client against a server; only with CARILLON_PROGRAMS. The tests share its app, and each has devices and names of
 * its own.
 */
@EnabledIf("carillon.client.Deployment#isPossible")
final class EndToEndTest {
    private static final int SENDS = 1_000;
    private static final int ANSWERS_BEFORE_THE_STOP = 200;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static Deployment deployment;
    private static CarillonClient client;
    private static BlockingAppCalls app;

    @BeforeAll
    static void start() throws Exception {
        deployment = new Deployment();
        client = CarillonClient.connect(deployment.options());
        app = client.app().blocking();
    }

    @AfterAll
    static void stop() throws Exception {
        client.close();
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

    private static DeviceReference registered() {
        DeviceReference device = DeviceReference.token(token());
        app.register(registration(device));
        return device;
    }

    private static SendResult sentTo(DeviceReference... devices) {
        return app.send(Audience.devices(List.of(devices)), Message.of("Hello").label("hello").idKey("id"));
    }

    @Test
    void theServerIsNamedAndAnswersPings() {
        assertTrue(client.server().orElseThrow().software().startsWith("carillond/"));
        assertTrue(client.ping().toNanos() > 0);
    }

    @Test
    void aDeviceIsRegisteredUpdatedAndUnregistered() {
        DeviceReference device = DeviceReference.token(token());
        long id = app.register(registration(device).locale("de")).deviceId();
        DeviceUpdate update = new DeviceUpdate().attribute("platform", "ios").timeZone("Europe/Vienna");
        assertEquals(id, app.updateDevice(device, update));
        assertEquals("Europe/Vienna", app.lookup(DeviceReference.id(id)).timeZone().orElseThrow());
        assertEquals(id, app.restore(device));
        assertEquals(UnregisterResultKind.REMOVED, app.unregister(device, Instant.now()).result());
        assertEquals(UnregisterResultKind.NOT_REGISTERED, app.unregister(device).result());
    }

    @Test
    void aBatchRegistersDevices() {
        Registration one = registration(DeviceReference.token(token()));
        List<BatchResult> batch = client.blocking().registerBatch(List.of(new BatchRegistration(deployment.app, one)));
        assertEquals(List.of(RegisterResultKind.CREATED), batch.stream().map(BatchResult::result).toList());
        List<Long> ids = app.allDevices().stream().map(DeviceRecord::deviceId).toList();
        assertTrue(ids.contains(batch.get(0).deviceId()));
        assertEquals(List.of(), app.allQuarantinedDevices().stream().toList());
    }

    @Test
    void devicesJoinAGroupSwitchAndLeave() {
        DeviceReference first = registered();
        DeviceReference second = registered();
        assertEquals(1, app.join("join/1", List.of(first)).joined());
        assertTrue(app.join("join/1", List.of(second), Content.of("A new device")).messageId().isPresent());
        assertEquals(2, app.allGroupDevices("join/1").stream().count());
        assertEquals(List.of(new GroupSummary("join/1", 2, false)), app.allGroups("join/").stream().toList());
        SwitchGroupResult switched = app.switchGroup(second, "join/1", "join/2");
        assertTrue(switched.hasLeft());
        assertTrue(switched.hasJoined());
        assertEquals(1, app.leave("join/2", List.of(second)).left());
    }

    @Test
    void aMutedGroupMutesItsDevices() {
        DeviceReference device = registered();
        app.join("muted/1", List.of(device));
        assertEquals(1, app.setGroupMuted("muted/1", true));
        Memberships memberships = app.memberships(device, "", 10);
        assertFalse(memberships.isMutedItself());
        assertTrue(memberships.isMutedByGroup());
        assertEquals(1, app.setGroupMuted("muted/1", false));
        assertEquals(1, app.groupSize("muted/1"));
    }

    @Test
    void aGroupIsSubscribedToATopic() {
        DeviceReference device = registered();
        app.join("guild/1", List.of(device));
        assertEquals(1, app.subscribe(List.of("level5"), List.of(), List.of("guild/1")).changed());
        assertEquals(List.of("level5"), app.allGroupTopics("guild/1").stream().toList());
        assertEquals(List.of(new TopicSummary("level5", 1)), app.allTopics("level").stream().toList());
        assertEquals(1, app.allTopicDevices("level5").stream().count());
        assertEquals("guild/1", app.allTopicsOf(device).iterator().next().source().orElseThrow());
        assertEquals(1, app.explain("'level5' in topics").devices());
        assertEquals(1, app.unsubscribe(List.of("level5"), List.of(), List.of("guild/1")).changed());
    }

    @Test
    void aMessageIsDeliveredAndListed() {
        SendResult sent = sentTo(registered(), registered());
        assertEquals(2, app.waitUntilFinished(sent.messageId(), MINUTE).outcomes().get(Outcome.DELIVERED));
        assertEquals(2, app.allMessageOutcomes(sent.messageId()).stream().count());
        List<Long> labelled = app.allMessages(new MessageFilter().label("hel")).stream()
            .map(MessageSummary::messageId).toList();
        assertTrue(labelled.contains(sent.messageId()));
        assertEquals(0, app.resend(sent.messageId(), new ResendOptions()).total());
    }

    @Test
    void aDeliveryIsTracedAndItsReceiptCounted() {
        DeviceReference device = registered();
        SendResult sent = sentTo(device);
        app.waitUntilFinished(sent.messageId(), MINUTE);
        Trace trace = app.trace(sent.messageId(), device);
        assertEquals(Addressing.RECIPIENT, trace.addressing());
        assertTrue(trace.hasBody());
        Receipt receipt = new Receipt(sent.messageId(), device, ReceiptKind.OPENED);
        assertEquals(1, app.reportReceipts(List.of(receipt)).counted());
        assertEquals(1, app.allReceiptDevices(sent.messageId(), ReceiptKind.OPENED).stream().count());
    }

    @Test
    void aScheduledMessageIsPausedAndCancelled() {
        DeviceReference device = registered();
        Message message = Message.of("Later").sendAt(Instant.now().plusSeconds(3600));
        SendResult later = app.send(Audience.device(device), message);
        assertEquals(MessageState.PAUSED, app.updateMessage(later.messageId(), MessageUpdate.PAUSE));
        assertEquals(MessageState.PAUSED, app.updateMessage(later.messageId(), MessageUpdate.pace(5)));
        app.updateMessage(later.messageId(), MessageUpdate.CANCEL);
        MessageStatus status = app.waitUntilFinished(later.messageId(), MINUTE);
        assertEquals(1, status.outcomes().get(Outcome.CANCELLED));
    }

    @Test
    void aFaultInAConditionHasItsFieldAndColumn() {
        CarillonException error = assertThrows(CarillonException.class, () -> app.explain("'level5' in"));
        assertEquals("condition", error.field().orElseThrow());
        assertTrue(error.column().isPresent());
    }

    @Test
    void statisticsNameTheAppAndAnUnknownSubscriberIsNotForgotten() {
        registered();
        assertEquals(deployment.app, client.blocking().statistics(10).apps().get(0).app());
        assertEquals(ForgetResult.NO_SUCH_NAME, client.blocking().forgetSubscriber("unknown"));
    }

    @Test
    void eachOfManySendsIsAcceptedOnceThroughAnOrderlyStop() throws Exception {
        sendWhileTheServerStops("terminate");
    }

    @Test
    void eachOfManySendsIsAcceptedOnceThroughAKill() throws Exception {
        sendWhileTheServerStops("kill");
    }

    private static void sendWhileTheServerStops(String command) throws Exception {
        List<StateReport.State> states = Collections.synchronizedList(new ArrayList<>());
        Options options = deployment.options().maximumInFlight(8).requestTimeout(MINUTE)
            .onState(report -> states.add(report.state()));
        try (CarillonClient sender = CarillonClient.connect(options)) {
            AppCalls app = sender.app();
            DeviceReference device = DeviceReference.token(token());
            app.blocking().register(registration(device));
            CountDownLatch answered = new CountDownLatch(ANSWERS_BEFORE_THE_STOP);
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
