package carillon.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the vectors cannot show: printed forms, types, the environment, hooks, threads, cancellation. */
final class ClientTest {
    private static final String APP = "com.example.game";
    private static final String KEY = "a very secret key";
    private static final Token TOKEN = Token.ofHex("ab".repeat(32));

    // CONTRACT.md, TLS-4

    @Test
    void printedFormsHaveNoSecrets() {
        Options options = Options.of("127.0.0.1:1").apiKey(KEY).apiKey(() -> KEY).apiKey(KEY).lazy();
        try (CarillonClient client = CarillonClient.connect(options)) {
            List<Object> printed = List.of(options, client, TOKEN, DeviceReference.token(TOKEN), Registration.of(TOKEN),
                Payload.of("{\"x\":1}"), Message.of("the text"), new Notification().body("the text"),
                Text.of("the text"), Content.of("the text"), Audience.device(DeviceReference.token(TOKEN)),
                new ApiKeySource.Fixed(KEY), new ApiKeySource.OfFunction(() -> KEY),
                new Receipt(1, DeviceReference.token(TOKEN), ReceiptKind.OPENED));
            for (Object each : printed) {
                String text = each.toString();
                assertFalse(text.contains(KEY) || text.contains("the text") || text.contains(TOKEN.hex()), text);
            }
        }
    }

    @Test
    void aPrintedTokenShowsAtMostFourBytesAndNeverMoreThanHalf() {
        Map<String, String> forms = Map.of("0123456789abcdef01", "01234567…", "0123456789abcdef", "01234567…",
            "0123456789abcd", "012345…", "0123456789", "0123…", "012345", "01…", "0123", "01…", "01", "…");
        forms.forEach((hex, printed) -> assertEquals(printed, Token.ofHex(hex).toString()));
    }

    // TYP

    @Test
    void unsignedNumbersAndTimesAreReadAndWritten() {
        assertEquals("18446744073709551615", Unsigned.toString(-1));
        assertEquals(-1, Unsigned.parse("18446744073709551615"));
        assertTrue(Unsigned.compare(-1, 1) > 0);
        for (long millis : new long[] {0, 1, 1_790_000_000_123L, Long.MAX_VALUE, Long.MIN_VALUE, -1}) {
            assertEquals(millis, Unsigned.millis("time", Unsigned.instant(millis)));
        }
        assertEquals(-1, Unsigned.millis("time", Instant.MAX));
        assertThrows(CarillonException.class, () -> Unsigned.millis("time", Instant.ofEpochSecond(-1)));
        assertEquals(-1, Unsigned.millis("not_after", ResendOptions.NO_LIMIT));
    }

    @Test
    void everyOperationHasItsMethodInEveryForm() {
        Set<String> expected = Arrays.stream(carillon.client.codec.Operation.values()).skip(2)
            .map(ClientTest::camelCase).collect(Collectors.toCollection(TreeSet::new));
        expected.removeAll(Set.of("subscribeEvents", "eventCredit", "unsubscribeEvents"));
        // Methods whose names say more than those of their operations, and what no operation is.
        expected.removeAll(Set.of("switch", "quarantine", "receipts", "updateGroup"));
        expected.addAll(Set.of("switchGroup", "quarantinedDevices", "reportReceipts", "groupSize", "setGroupMuted"));
        expected.addAll(Set.of("events", "waitUntilFinished"));
        for (Class<?> form : List.of(Calls.class, BlockingCalls.class)) {
            assertTrue(names(form).containsAll(expected), form + " " + expected);
        }
        expected.removeAll(Set.of("registerBatch", "forgetSubscriber", "statistics", "events", "removeNode"));
        for (Class<?> form : List.of(AppCalls.class, BlockingAppCalls.class)) {
            assertTrue(names(form).containsAll(expected), form.toString());
        }
    }

    private static String camelCase(Object operation) {
        StringBuilder out = new StringBuilder();
        for (String word : operation.toString().split("_")) {
            out.append(out.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        return out.toString();
    }

    private static Set<String> names(Class<?> form) {
        return Arrays.stream(form.getDeclaredMethods()).filter(each -> Modifier.isPublic(each.getModifiers()))
            .map(Method::getName).collect(Collectors.toSet());
    }

    // AUD

    @Test
    void onlyTheAudienceAllMeansAllDevices() {
        try (CarillonClient client = CarillonClient.connect(Options.of("127.0.0.1:1").lazy())) {
            assertEquals("audience", error(client.send(APP, null, Message.of("x"))).field().orElseThrow());
        }
        assertThrows(CarillonException.class, () -> Audience.devices(List.of()));
        assertThrows(CarillonException.class, () -> Audience.devices(Collections.singletonList(null)));
        assertThrows(CarillonException.class, () -> Audience.devices(null));
        assertThrows(CarillonException.class, () -> Audience.topic(""));
        assertThrows(CarillonException.class, () -> Audience.condition(null));
        assertThrows(CarillonException.class, () -> new Audience.Groups(List.of()));
        assertThrows(CarillonException.class, () -> new ResendOptions().outcomes(List.of()));
        assertThrows(CarillonException.class, () -> new EventOptions().apps(List.of()));
        assertThrows(CarillonException.class, () -> new EventOptions().kinds(null));
        assertThrows(CarillonException.class, () -> Message.of("x").sendAt(null));
    }

    // ERR-7

    @Test
    void aValueThatCannotBeEncodedIsAnInvalidArgument() {
        try (CarillonClient client = CarillonClient.connect(Options.of("127.0.0.1:1").lazy())) {
            assertEquals("app", error(client.lookup(null, DeviceReference.id(1))).field().orElseThrow());
            assertEquals("app", error(client.lookup("a\u0000", DeviceReference.id(1))).field().orElseThrow());
            assertEquals("app", error(client.lookup("\uD800", DeviceReference.id(1))).field().orElseThrow());
            assertEquals("device", error(client.lookup(APP, null)).field().orElseThrow());
            assertEquals("limit", error(client.groups(APP, "", "", -1)).field().orElseThrow());
            assertEquals("condition", error(client.explain(APP, "x".repeat(70_000))).field().orElseThrow());
            assertEquals("pace",
                error(client.send(APP, Audience.allDevices(), Message.of("x").pace(1L << 40))).field().orElseThrow());
        }
        assertThrows(CarillonException.class, () -> Token.ofHex("xyz"));
        assertThrows(CarillonException.class, () -> Token.of(new byte[256]));
    }

    // VER-2

    @Test
    void theProgramNameIsCutBetweenCharacters() {
        String software = Options.of("a:1").programName("é".repeat(60)).software;
        assertTrue(software.startsWith("carillon-java/" + CarillonClient.VERSION + " é"));
        int bytes = software.getBytes(java.nio.charset.StandardCharsets.UTF_8).length;
        assertTrue(bytes == 63 || bytes == 64, software);
    }

    // RET-3

    @Test
    void keysAreRandomAndOfVersion4() {
        Set<UUID> keys = Stream.generate(IdempotencyKeys::next).limit(10_000).collect(Collectors.toSet());
        assertEquals(10_000, keys.size());
        assertTrue(keys.stream().allMatch(key -> key.version() == 4 && key.variant() == 2));
        long random = keys.stream().mapToLong(UUID::getMostSignificantBits).reduce(0, (all, each) -> all | each);
        assertEquals(0xFFFF_FFFF_FFFF_4FFFL, random, "every other bit is random");
    }

    // ENV

    @Test
    void theEnvironmentMakesTheOptions() {
        Options options =
            EnvironmentVariables.options(Map.of("CARILLON_SERVER", "a:1, [::1]:2,unix:/x", "CARILLON_API_KEY", KEY,
                "CARILLON_APP", APP, "CARILLON_SECURITY", "plaintext_anywhere", "CARILLON_CA_FILE", ""));
        assertEquals(List.of("a:1", "[::1]:2", "unix:/x"), options.addresses.stream().map(Address::text).toList());
        assertEquals(APP, options.app);
        assertEquals(Security.PLAINTEXT_ANYWHERE, options.security);
        assertEquals("127.0.0.1:7474", EnvironmentVariables.options(Map.of()).addresses.get(0).text());
        assertInstanceOf(ApiKeySource.OfFile.class,
            EnvironmentVariables.options(Map.of("CARILLON_API_KEY", KEY, "CARILLON_API_KEY_FILE", "/key")).apiKey);
        Map<String, String> impossible = Map.of("CARILLON_SERVER", "a", "CARILLON_API_KEY", "k".repeat(257),
            "CARILLON_SECURITY", "none", "CARILLON_CERTIFICATE_FILE", "x");
        impossible.forEach((name, value) -> {
            CarillonException error = assertThrows(CarillonException.class,
                () -> EnvironmentVariables.options(Map.of(name, value)));
            String field = error.field().orElseThrow();
            assertTrue(field.equals(name) || field.equals("CARILLON_CERTIFICATE_KEY_FILE"), field);
            assertFalse(error.getMessage().contains("kkk"));
        });
    }

    // TLS-1

    @Test
    void tlsIsTheDefaultForEverythingButLoopback() {
        Options options = Options.of("localhost:1", "127.0.0.9:1", "[::1]:1", "unix:/x", "push.example.com:1",
            "10.0.0.1:1");
        List<Boolean> expected = List.of(false, false, false, false, true, true);
        assertEquals(expected, options.addresses.stream().map(options::hasTls).toList());
        assertTrue(options.serverName("x").hasTls(options.addresses.get(0)));
        assertFalse(options.hasTls(options.addresses.get(3)));
    }

    // TLS-2

    @Test
    void plaintextNeedsLoopbackAfterResolvingToo() throws Exception {
        Options options = Options.of("localhost:1", "push.example.com:1");
        Address localhost = options.addresses.get(0);
        InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        InetAddress other = InetAddress.getByAddress(new byte[] {10, 0, 0, 1});
        assertTrue(Dialer.mayConnect(localhost, loopback, options));
        assertFalse(Dialer.mayConnect(localhost, other, options));
        assertTrue(Dialer.mayConnect(options.addresses.get(1), other, options));
        assertFalse(Dialer.mayConnect(options.addresses.get(1), other, options.security(Security.PLAINTEXT)));
        assertTrue(Dialer.mayConnect(localhost, other, options.security(Security.PLAINTEXT_ANYWHERE)));
    }

    // Errors

    private static CarillonException error(CompletableFuture<?> future) {
        CompletionException error = assertThrows(CompletionException.class, future::join);
        return assertInstanceOf(CarillonException.class, error.getCause());
    }

    @Test
    void errorsOutliveSerialization() throws Exception {
        CarillonException error = CarillonException.invalid("audience", "is null");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ObjectOutputStream(bytes).writeObject(error);
        ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()));
        CarillonException read = (CarillonException) in.readObject();
        assertEquals(Bridge.error(error), Bridge.error(read));
    }

    // DL-5, OBS-4

    @Test
    void cancellationIsThatOfTheLanguage() throws Exception {
        try (CarillonClient client = CarillonClient.connect(Options.of("127.0.0.1:1").lazy())) {
            CompletableFuture<DeviceRecord> call = client.lookup(APP, DeviceReference.id(1));
            assertTrue(call.cancel(true));
            assertTrue(call.isCancelled());
            ExecutionException error = assertThrows(ExecutionException.class, () -> call.get(1, TimeUnit.SECONDS));
            CarillonException cause = assertInstanceOf(CarillonException.class, error.getCause());
            assertEquals(Code.CANCELLED, cause.code());
            assertInstanceOf(CancellationException.class, cause.getCause());
        }
    }

    @Test
    void anInterruptEndsABlockingCall() throws Exception {
        try (CarillonClient client = CarillonClient.connect(Options.of("127.0.0.1:1").lazy())) {
            AtomicReference<CarillonException> failure = new AtomicReference<>();
            AtomicReference<Boolean> wasInterrupted = new AtomicReference<>();
            Thread thread = new Thread(() -> {
                failure.set(assertThrows(CarillonException.class,
                    () -> client.blocking().lookup(APP, DeviceReference.id(1))));
                wasInterrupted.set(Thread.currentThread().isInterrupted());
            });
            thread.start();
            thread.interrupt();
            thread.join(10_000);
            assertEquals(Code.CANCELLED, failure.get().code());
            assertTrue(wasInterrupted.get());
        }
    }

    @Test
    void hooksGetCallsAndStatesAndTheirExceptionsAreDropped() throws Exception {
        List<CallReport> calls = Collections.synchronizedList(new ArrayList<>());
        List<StateReport.State> states = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch hasFailed = new CountDownLatch(1);
        Options options = Options.of("127.0.0.1:1").lazy().requestTimeout(Duration.ofMillis(50)).onCall(report -> {
            calls.add(report);
            throw new IllegalStateException("a hook that fails");
        }).onState(report -> {
            states.add(report.state());
            if (report.state() == StateReport.State.FAILED) {
                hasFailed.countDown();
            }
            throw new IllegalStateException("a hook that fails");
        });
        try (CarillonClient client = CarillonClient.connect(options)) {
            CompletableFuture<DeviceRecord> first = client.lookup(APP, DeviceReference.id(1));
            assertTrue(hasFailed.await(10, TimeUnit.SECONDS));
            CarillonException error = error(client.lookup(APP, DeviceReference.id(1)));
            assertEquals(Code.CANNOT_CONNECT, error(first).code());
            assertEquals(Code.CANNOT_CONNECT, error.code());
            assertEquals(1, error.causes().size());
            assertTrue(error.causes().get(0).startsWith("127.0.0.1:1: "));
        }
        assertEquals(2, calls.size());
        assertEquals("lookup", calls.get(0).operation());
        assertEquals(Optional.of(Code.CANNOT_CONNECT), calls.get(0).code());
        assertEquals(0, calls.get(0).attempts());
        assertEquals(List.of(StateReport.State.CONNECTING, StateReport.State.FAILED), states.subList(0, 2));
        assertEquals(StateReport.State.CLOSED, states.get(states.size() - 1));
    }

    // EVT-12

    @Test
    void listingsEndByNextAndNotByTheNumberOfRows() {
        List<Listing.Page<Long, String>> pages = List.of(new Listing.Page<>(List.of("a"), Optional.of(1L)),
            new Listing.Page<>(List.of(), Optional.of(2L)), new Listing.Page<>(List.of("b", "c"), Optional.empty()));
        Listing<String> listing = Listing.of(0L,
            cursor -> CompletableFuture.completedFuture(pages.get(cursor.intValue())));
        assertEquals(List.of("a", "b", "c"), listing.stream().toList());
        assertEquals(List.of("a", "b", "c"), listing.stream().toList());
    }

    // CLS

    @Test
    void closeIsIdempotentAndLaterCallsAreRefused() {
        CarillonClient client = CarillonClient.connect(Options.of("127.0.0.1:1").lazy());
        client.close();
        client.close();
        assertEquals(Code.CLOSED, error(client.lookup(APP, DeviceReference.id(1))).code());
        assertEquals(Code.CLOSED, error(client.events(new EventOptions())).code());
        assertEquals(Code.CLOSED, error(client.pingAsync()).code());
    }
}
