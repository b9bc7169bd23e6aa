package carillon.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import carillon.client.codec.Operation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What the client does between threads, and when the program does not wait any longer. */
final class ScriptedServerTest {
    private static final String APP = "com.example.game";
    private static final int THREADS = 8;
    private static final int CALLS = 2_000;

    private record Asked(ScriptedServer.Peer peer, Operation operation, long id, Map<String, Object> fields) {
    }

    /** Returns a script that notes the requests; the test answers them. */
    private static ScriptedServer.Script noteIn(BlockingQueue<Asked> asked) {
        return (peer, operation, id, fields) -> asked.add(new Asked(peer, operation, id, fields));
    }

    private static Map<String, Object> explanation(Object condition) {
        return Map.of("condition", condition, "devices", "1", "sets", List.of());
    }

    // CONTRACT.md, EVT-1, EVT-11

    @Test
    void aSubscriptionWithoutAWaitingCallerIsEnded() throws Exception {
        BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
        try (ScriptedServer server = new ScriptedServer(noteIn(asked));
            CarillonClient client = CarillonClient.connect(Options.of(server.address()))) {
            CompletableFuture<EventStream> events = client.events(new EventOptions().name("ops"));
            Asked subscribe = asked.poll(10, TimeUnit.SECONDS);
            assertEquals(Operation.SUBSCRIBE_EVENTS, subscribe.operation);
            assertTrue(events.cancel(true));
            subscribe.peer.answer(Operation.SUBSCRIBE_EVENTS, subscribe.id, Map.of("after", "5"));
            Asked unsubscribe = asked.poll(10, TimeUnit.SECONDS);
            assertEquals(Operation.UNSUBSCRIBE_EVENTS, unsubscribe.operation);
            assertEquals(Unsigned.toString(subscribe.id), unsubscribe.fields.get("subscription"));
            unsubscribe.peer.answer(Operation.UNSUBSCRIBE_EVENTS, unsubscribe.id, Map.of());
        }
    }

    @Test
    void aStreamWhoseFutureHasEndedInAnotherWayIsClosed() throws Exception {
        BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
        try (ScriptedServer server = new ScriptedServer(noteIn(asked));
            CarillonClient client = CarillonClient.connect(Options.of(server.address()))) {
            CompletableFuture<EventStream> events = client.events(new EventOptions().name("ops"));
            Asked subscribe = asked.poll(10, TimeUnit.SECONDS);
            assertTrue(events.completeExceptionally(new TimeoutException()));
            subscribe.peer.answer(Operation.SUBSCRIBE_EVENTS, subscribe.id, Map.of("after", "5"));
            Asked unsubscribe = asked.poll(10, TimeUnit.SECONDS);
            assertEquals(Operation.UNSUBSCRIBE_EVENTS, unsubscribe.operation);
            unsubscribe.peer.answer(Operation.UNSUBSCRIBE_EVENTS, unsubscribe.id, Map.of());
        }
    }

    // ADR-8, CLS

    /** HELLO is answered when the test says so. */
    private static final class SlowHello implements ScriptedServer.Script {
        final CountDownLatch hasCome = new CountDownLatch(1);
        final CountDownLatch mayGo = new CountDownLatch(1);

        @Override
        public void request(ScriptedServer.Peer peer, Operation operation, long id, Map<String, Object> fields) {
        }

        @Override
        public boolean hello(ScriptedServer.Peer peer) throws InterruptedException {
            hasCome.countDown();
            return mayGo.await(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void aCancelledConnectLeavesNothingBehind() throws Exception {
        SlowHello script = new SlowHello();
        try (ScriptedServer server = new ScriptedServer(script)) {
            CompletableFuture<CarillonClient> client = CarillonClient.connectAsync(Options.of(server.address()));
            assertTrue(script.hasCome.await(10, TimeUnit.SECONDS));
            assertTrue(client.cancel(true));
            script.mayGo.countDown();
            assertTrue(server.ended.tryAcquire(10, TimeUnit.SECONDS));
        }
    }

    @Test
    void aClientWhoseFutureHasEndedInAnotherWayIsClosed() throws Exception {
        SlowHello script = new SlowHello();
        try (ScriptedServer server = new ScriptedServer(script)) {
            CompletableFuture<CarillonClient> client = CarillonClient.connectAsync(Options.of(server.address()));
            assertTrue(script.hasCome.await(10, TimeUnit.SECONDS));
            assertTrue(client.completeExceptionally(new TimeoutException()));
            script.mayGo.countDown();
            assertTrue(server.ended.tryAcquire(10, TimeUnit.SECONDS));
        }
    }

    @Test
    void anInterruptEndsTheWaitingForCloseAndNotTheClosing() throws Exception {
        BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
        try (ScriptedServer server = new ScriptedServer(noteIn(asked))) {
            CarillonClient client = CarillonClient.connect(Options.of(server.address()));
            CompletableFuture<Explanation> call = client.explain(APP, "x");
            Asked explain = asked.poll(10, TimeUnit.SECONDS);
            Thread.currentThread().interrupt();
            client.close();
            assertTrue(Thread.interrupted());
            assertFalse(call.isDone());
            explain.peer.answer(Operation.EXPLAIN, explain.id, explanation("x"));
            assertEquals("x", call.get(10, TimeUnit.SECONDS).condition());
            client.closeAsync().get(10, TimeUnit.SECONDS);
        }
    }

    // ADR-6

    @Test
    void anErrorOfTheHandshakeRulesTheAddressOutForItsTimeWhateverItsScope() throws Exception {
        BlockingQueue<Long> times = new LinkedBlockingQueue<>();
        ScriptedServer.Script script = new ScriptedServer.Script() {
            @Override
            public void request(ScriptedServer.Peer peer, Operation operation, long id, Map<String, Object> fields)
                throws IOException {
                peer.answer(operation, id, explanation(fields.get("condition")));
            }

            @Override
            public boolean hello(ScriptedServer.Peer peer) throws IOException {
                times.add(System.nanoTime());
                if (times.size() == 1) {
                    peer.refuse(Operation.HELLO, 1, Map.of("code", Code.RATE_LIMITED.number(), "scope", 0, "effect", 0,
                        "retry_after_ms", 300L, "message", "too many"));
                }
                return times.size() > 1;
            }
        };
        try (ScriptedServer server = new ScriptedServer(script);
            CarillonClient client =
                CarillonClient.connect(Options.of(server.address()).lazy().backoff(Duration.ofMillis(1)))) {
            assertEquals("x", client.blocking().explain(APP, "x").condition());
            assertTrue(-times.remove() + times.remove() >= 300_000_000L);
        }
    }

    // CRED-1, GO-7

    @Test
    void aGoawayInTheHandshakeThatRefusesTheKeyIsARefusal() throws Exception {
        ScriptedServer.Script script = new ScriptedServer.Script() {
            @Override
            public void request(ScriptedServer.Peer peer, Operation operation, long id, Map<String, Object> fields) {
            }

            @Override
            public boolean hello(ScriptedServer.Peer peer) throws IOException {
                peer.goaway(Map.of("last_id", "0", "code", Code.AUTHENTICATION_FAILED.number(), "grace_ms", 0L,
                    "reconnect_after_ms", 0L, "reason", "the key was withdrawn"));
                return false;
            }
        };
        try (ScriptedServer server = new ScriptedServer(script)) {
            CarillonException error = assertThrows(CarillonException.class,
                () -> CarillonClient.connect(Options.of(server.address())));
            assertEquals(Code.AUTHENTICATION_FAILED, error.code());
            assertFalse(error.isTransient());
        }
    }

    // RET-5, ADR-6

    @Test
    void anErrorOfTheConnectionLetsAnotherServerBeAskedAtOnce() throws Exception {
        ScriptedServer.Script refusal = (peer, operation, id, fields) -> {
            peer.refuse(operation, id, Map.of("code", Code.RATE_LIMITED.number(), "scope", 1, "effect", 0,
                "retry_after_ms", 60_000L, "message", "too many"));
            peer.cut();
        };
        ScriptedServer.Script answer = (peer, operation, id, fields) ->
            peer.answer(operation, id, explanation(fields.get("condition")));
        try (ScriptedServer first = new ScriptedServer(refusal);
            ScriptedServer second = new ScriptedServer(answer);
            CarillonClient client = CarillonClient.connect(Options.of(first.address(), second.address()))) {
            assertEquals("x", client.blocking().explain(APP, "x").condition());
        }
    }

    // EVT-3, EVT-8

    @Test
    void aNewHistoryThatWasTakenMakesRoomInTheWindow() throws Exception {
        BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
        ScriptedServer.Script script = (peer, operation, id, fields) -> {
            asked.add(new Asked(peer, operation, id, fields));
            peer.answer(operation, id, operation == Operation.SUBSCRIBE_EVENTS ? Map.of("after", "5") : Map.of());
        };
        try (ScriptedServer server = new ScriptedServer(script);
            CarillonClient client = CarillonClient.connect(Options.of(server.address()))) {
            EventStream events = client.blocking().events(new EventOptions().window(4));
            Asked subscribed = asked.poll(10, TimeUnit.SECONDS);
            assertEquals("4", subscribed.fields.get("credit"));
            server.epoch = new UUID(2, 2);
            subscribed.peer.cut();
            Asked again = asked.poll(10, TimeUnit.SECONDS);
            assertEquals("3", again.fields.get("credit"));
            assertInstanceOf(StreamElement.NewHistory.class, events.take().orElseThrow());
            again.peer.event(again.id, Map.of("sequence", "6", "at", "1790000000000", "kind", 1));
            assertInstanceOf(StreamElement.Event.class, events.take().orElseThrow());
            assertEquals("5", asked.poll(10, TimeUnit.SECONDS).fields.get("credit"));
            events.close();
        }
    }

    // CLS-4, PIP-8

    @Test
    void threadsOfTheClientAreDaemonsAndMustNotWait() throws Exception {
        BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
        try (ScriptedServer server = new ScriptedServer(noteIn(asked));
            CarillonClient client = CarillonClient.connect(Options.of(server.address()))) {
            CompletableFuture<Boolean> isDaemon = client.explain(APP, "x").thenApply(answer -> {
                assertThrows(IllegalStateException.class, () -> client.blocking().explain(APP, "y"));
                return Thread.currentThread().isDaemon();
            });
            Asked explain = asked.poll(10, TimeUnit.SECONDS);
            explain.peer.answer(Operation.EXPLAIN, explain.id, explanation("x"));
            assertTrue(isDaemon.get(10, TimeUnit.SECONDS));
            assertTrue(asked.isEmpty(), "a call that cannot be waited for does not begin");
        }
    }

    @Test
    void everyCallOfManyThreadsHasItsOwnAnswerWhileConnectionsAreCut() throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        AtomicInteger left = new AtomicInteger(100);
        Random cuts = new Random(seed);
        AtomicInteger reports = new AtomicInteger();
        ScriptedServer.Script script = (peer, operation, id, fields) -> {
            if (left.decrementAndGet() == 0) {
                left.set(100 + cuts.nextInt(1_000));
                peer.cut();
            }
            peer.answer(operation, id, explanation(fields.get("condition")));
        };
        try (ScriptedServer server = new ScriptedServer(script);
            CarillonClient client = CarillonClient.connect(Options.of(server.address()).onCall(report -> {
                reports.incrementAndGet();
                throw new AssertionError("a hook that fails");
            }))) {
            List<Thread> threads = new ArrayList<>();
            List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
            for (int number = 0; number < THREADS; number++) {
                Random random = new Random(seed + number + 1);
                String name = "thread " + number + " call ";
                threads.add(new Thread(() -> callAndCancel(client, name, random)));
                threads.get(number).setUncaughtExceptionHandler((thread, error) -> failures.add(error));
                threads.get(number).start();
            }
            for (Thread thread : threads) {
                thread.join(30_000);
            }
            assertEquals(List.of(), failures);
            client.closeAsync().get(10, TimeUnit.SECONDS);
            assertEquals(THREADS * CALLS, reports.get());
        }
    }

    /** Makes calls, some at a time; every tenth is cancelled. */
    private static void callAndCancel(CarillonClient client, String name, Random random) {
        List<CompletableFuture<Explanation>> calls = new ArrayList<>();
        int first = 0;
        for (int number = 0; number < CALLS; number++) {
            calls.add(client.explain(APP, name + number));
            if (random.nextInt(10) == 0) {
                calls.get(first + random.nextInt(calls.size() - first)).cancel(true);
            }
            if (random.nextInt(50) == 0 || number == CALLS - 1) {
                for (; first < calls.size(); first++) {
                    compare(calls.get(first), name + first);
                }
            }
        }
    }

    private static void compare(CompletableFuture<Explanation> call, String condition) {
        try {
            assertEquals(condition, call.join().condition());
        } catch (CompletionException error) {
            assertEquals(Code.CANCELLED, ((CarillonException) error.getCause()).code(), error.toString());
        }
    }
}
