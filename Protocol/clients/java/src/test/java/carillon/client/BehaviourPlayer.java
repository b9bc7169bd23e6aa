package carillon.client;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The client's side of one behaviour vector (`vectors/behaviour/README.md`). */
final class BehaviourPlayer {
    private static final long LIMIT_MS = 10_000;
    private static final Set<String> KINDS = Set.of("devices", "groups", "topic", "condition", "all");
    private final Map<String, Object> vector;
    private final FakeServer server;
    private final Map<String, CompletableFuture<Map<String, Object>>> begun = new HashMap<>();
    private final Map<Object, CompletableFuture<?>> calls = new HashMap<>();
    private final Map<String, EventStream> streams = new HashMap<>();
    private final List<String> states = Collections.synchronizedList(new ArrayList<>());
    private volatile String credential;
    private CarillonClient client;

    private BehaviourPlayer(Map<String, Object> vector, FakeServer server) {
        this.vector = vector;
        this.server = server;
    }

    /** Plays a vector; AssertionError if a side has not done what it says. */
    static void run(Map<String, Object> vector) throws Exception {
        try (FakeServer server = new FakeServer((String) vector.get("name"))) {
            BehaviourPlayer play = new BehaviourPlayer(vector, server);
            int number = 0;
            try {
                for (Object action : TestJson.list(vector.get("client"))) {
                    number++;
                    play.perform(TestJson.object(action));
                }
            } catch (AssertionError error) {
                throw new AssertionError("action " + number + ": " + error.getMessage() + "; " + server.verdict(),
                    error);
            }
            if (play.client != null) {
                play.client.dispatcher.options.drainTimeout = Duration.ofMillis(200);
                play.client.closeAsync().get(LIMIT_MS, TimeUnit.MILLISECONDS);
            }
            Map<String, Object> verdict = server.verdict();
            if (verdict == null || !Boolean.TRUE.equals(verdict.get("ok"))) {
                throw new AssertionError(String.valueOf(verdict));
            }
        }
    }

    private void perform(Map<String, Object> action) throws Exception {
        switch ((String) action.get("do")) {
            case "connect" -> connect(action);
            case "call" -> finish(action, () -> begin(action));
            case "send" -> send(action);
            case "wait" -> compare(begun.get(action.get("for")), action);
            case "cancel" -> calls.get(action.get("call")).cancel(true);
            case "ping" -> finish(action, () -> client.pingAsync().thenApply(nothing -> Map.of()));
            case "events" -> events(action);
            case "take" -> compare(stream(action).takeAsync().thenApply(BehaviourPlayer::element), action);
            case "ack" -> finish(action, () -> {
                stream(action).acknowledge(Unsigned.parse((String) action.get("sequence")));
                return CompletableFuture.completedFuture(Map.of());
            });
            case "flush" -> compare(stream(action).flushAsync().thenApply(nothing -> Map.of()), action);
            case "end_events" -> compare(stream(action).closeAsync().thenApply(nothing -> Map.of()), action);
            case "close" -> close(action);
            case "await" -> server.await((String) action.get("name"), LIMIT_MS);
            case "signal" -> server.signal((String) action.get("name"));
            case "credential" -> credential = (String) action.get("value");
            case "states" -> states(action);
            default -> throw new AssertionError("unknown action " + action.get("do"));
        }
    }

    /** Begins something that can also throw. */
    private interface Beginning {
        CompletableFuture<Map<String, Object>> begin() throws Exception;
    }

    private void finish(Map<String, Object> action, Beginning beginning) throws Exception {
        CompletableFuture<Map<String, Object>> future;
        try {
            future = beginning.begin();
        } catch (CarillonException error) {
            future = CompletableFuture.failedFuture(error);
        }
        if (action.containsKey("as")) {
            begun.put((String) action.get("as"), future);
        } else {
            compare(future, action);
        }
    }

    private EventStream stream(Map<String, Object> action) {
        return streams.get(action.get("from"));
    }

    // Options

    private void connect(Map<String, Object> action) throws Exception {
        finish(action, () -> {
            Map<String, Object> values = new LinkedHashMap<>(TestJson.object(vector.getOrDefault("options", Map.of())));
            values.putAll(TestJson.object(action.getOrDefault("options", Map.of())));
            boolean isLazy = Boolean.TRUE.equals(values.remove("lazy"));
            if (client != null) {
                client.closeAsync();
            }
            client = CarillonClient.connectAsync(options(values).lazy()).join();
            return isLazy ? CompletableFuture.completedFuture(Map.of())
                : client.dispatcher.connect().thenApply(nothing -> Map.of());
        });
    }

    private Options options(Map<String, Object> values) {
        List<Object> names = values.containsKey("addresses") ? TestJson.list(values.remove("addresses"))
            : new ArrayList<>(TestJson.object(vector.get("servers")).keySet());
        Options options = Options.of(names.stream().map(name -> server.address((String) name)).toList());
        credential = values.containsKey("api_key") ? (String) values.remove("api_key") : "test-key";
        if ("function".equals(values.remove("credential"))) {
            options.apiKey(() -> credential);
        } else if (credential != null) {
            options.apiKey(credential);
        }
        Object certificate = values.remove("certificate_file");
        if (certificate != null) {
            options.certificate(file(certificate), file(values.remove("certificate_key_file")));
        }
        values.forEach((name, value) -> set(options, name, value));
        return options.onState(this::changed);
    }

    private Path file(Object value) {
        return Path.of(server.file(((String) value).substring(1)));
    }

    private void set(Options options, String name, Object value) {
        Duration time = name.endsWith("_ms") ? Duration.ofMillis(((Number) value).longValue()) : null;
        switch (name) {
            case "security" -> options.security(Security.valueOf(((String) value).toUpperCase(java.util.Locale.ROOT)));
            case "ca_file" -> options.caFile(file(value));
            case "server_name" -> options.serverName((String) value);
            case "request_timeout_ms" -> options.requestTimeout(time);
            case "connect_timeout_ms" -> options.connectTimeout(time);
            case "probe_after_ms" -> options.probeAfter(time);
            case "ping_timeout_ms" -> options.pingTimeout(time);
            case "backoff_ms" -> options.backoff(time);
            case "maximum_backoff_ms" -> options.maximumBackoff(time);
            case "refusal_pause_ms" -> options.refusalPause(time);
            case "drain_timeout_ms" -> options.drainTimeout(time);
            case "maximum_attempts" -> options.maximumAttempts(Vectors.number(value));
            case "maximum_in_flight" -> options.maximumInFlight(Vectors.number(value));
            case "maximum_waiting_calls" -> options.maximumWaitingCalls(Vectors.number(value));
            case "maximum_memory_bytes" -> options.maximumMemoryBytes(Vectors.number(value));
            case "maximum_receive_bytes" -> options.maximumReceiveBytes(Vectors.number(value));
            default -> throw new AssertionError("there is no option " + name);
        }
    }

    // Calls

    private CompletableFuture<Map<String, Object>> begin(Map<String, Object> action) {
        String operation = (String) action.get("operation");
        CallOptions options = CallOptions.DEFAULT;
        if (action.containsKey("timeout_ms")) {
            options = CallOptions.timeout(Duration.ofMillis(Vectors.number(action.get("timeout_ms"))));
        }
        if (Boolean.FALSE.equals(action.get("retry"))) {
            options = options.withoutRetries();
        }
        CompletableFuture<?> call = client.dispatcher.start(
            Bridge.request(operation, TestJson.object(action.get("fields"))), options);
        calls.put(action.get("as"), call);
        return call.thenApply(answer -> Bridge.answer(operation, answer));
    }

    private void send(Map<String, Object> action) throws Exception {
        Map<String, Object> arguments = TestJson.object(action.get("arguments"));
        Map<String, Object> options = TestJson.object(arguments.getOrDefault("options", Map.of()));
        Object audience = arguments.get("audience");
        boolean isOne = audience instanceof Map<?, ?> map && map.size() == 1 && KINDS.containsAll(map.keySet())
            && !map.containsValue(false);
        boolean canBeWritten = arguments.containsKey("audience") && (audience == null || isOne)
            && options.values().stream().allMatch(java.util.Objects::nonNull) && !options.containsKey("dryrun")
            && arguments.keySet().size() <= 4;
        if (!canBeWritten) {
            if (!Boolean.TRUE.equals(action.get("may_skip"))) {
                throw new AssertionError("the types must not make this impossible");
            }
            return; // there is no way to write it in Java
        }
        finish(action, () -> {
            Message message = Message.of(Payload.of((String) arguments.get("payload")));
            if (Long.valueOf(1).equals(options.get("dry_run"))) {
                message.dryRun();
            }
            Audience made = audience == null ? null : audience(TestJson.object(audience));
            return client.send((String) arguments.get("app"), made, message)
                .thenApply(answer -> Bridge.answer("send", answer));
        });
    }

    private static Audience audience(Map<String, Object> from) {
        Map.Entry<String, Object> only = from.entrySet().iterator().next();
        return switch (only.getKey()) {
            case "devices" -> Audience.devices(TestJson.list(only.getValue()).stream().map(Bridge::device).toList());
            case "groups" -> Audience.groups(TestJson.list(only.getValue()).stream().map(each -> (String) each)
                .toList());
            case "topic" -> Audience.topic((String) only.getValue());
            case "condition" -> Audience.condition((String) only.getValue());
            default -> Audience.allDevices();
        };
    }

    private void events(Map<String, Object> action) throws Exception {
        EventOptions options = new EventOptions();
        if (action.containsKey("name")) {
            options.name((String) action.get("name"));
        }
        if (action.containsKey("window")) {
            options.window(Vectors.number(action.get("window")));
        }
        if (action.containsKey("apps")) {
            options.apps(TestJson.list(action.get("apps")).stream().map(each -> (String) each).toList());
        }
        if (action.containsKey("kinds")) {
            options.kinds(TestJson.list(action.get("kinds")).stream().map(each -> new EventKind(Vectors.number(each)))
                .toList());
        }
        String start = String.valueOf(action.getOrDefault("start", "acknowledged"));
        switch (start) {
            case "acknowledged" -> { }
            case "now" -> options.fromNow();
            case "oldest" -> options.fromOldest();
            default -> options.after(Unsigned.parse(start));
        }
        CompletableFuture<Map<String, Object>> opened = client.events(options).thenApply(stream -> {
            streams.put((String) action.get("as"), stream);
            return Map.of();
        });
        compare(opened, action);
    }

    private static Map<String, Object> element(Optional<StreamElement> element) {
        if (element.isEmpty()) {
            return Map.of("end", true);
        }
        Map<String, Object> fields = Bridge.element(element.get());
        return element.get() instanceof StreamElement.Event ? Map.of("event", fields)
            : element.get() instanceof StreamElement.Gap ? Map.of("gap", fields) : Map.of("new_history", true);
    }

    private void close(Map<String, Object> action) throws Exception {
        if (action.containsKey("drain_timeout_ms")) {
            client.dispatcher.options.drainTimeout = Duration.ofMillis(Vectors.number(action.get("drain_timeout_ms")));
        }
        finish(action, () -> client.closeAsync().thenApply(nothing -> Map.of()));
    }

    // States

    private void changed(StateReport report) {
        if (report.state() != StateReport.State.CONNECTING && report.state() != StateReport.State.NEW_HISTORY) {
            String name = report.state().name().toLowerCase(java.util.Locale.ROOT);
            states.add(name
                + report.address().map(address -> " " + server.names().getOrDefault(address, address)).orElse(""));
        }
    }

    private void states(Map<String, Object> action) {
        if (!states.equals(action.get("expect"))) {
            throw new AssertionError(action.get("expect") + " was expected, " + states + " came");
        }
    }

    // Results

    private void compare(CompletableFuture<Map<String, Object>> future, Map<String, Object> action) throws Exception {
        Map<String, Object> expect = TestJson.object(action.getOrDefault("expect", Map.of()));
        Map<String, Object> found;
        try {
            found = future.get(LIMIT_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException error) {
            throw new AssertionError("no result of " + action);
        } catch (ExecutionException error) {
            if (!(error.getCause() instanceof CarillonException known)) {
                throw new AssertionError(error.getCause());
            }
            if (!expect.containsKey("error")) {
                throw new AssertionError("success was expected, " + known.getMessage() + " came", known);
            }
            check(TestJson.object(expect.get("error")), Bridge.error(known));
            return;
        }
        if (expect.containsKey("error")) {
            throw new AssertionError(expect + " was expected, " + found + " came");
        }
        for (String name : List.of("event", "gap")) {
            if (expect.containsKey(name)) {
                if (!found.containsKey(name)) {
                    throw new AssertionError(expect + " was expected, " + found + " came");
                }
                check(TestJson.object(expect.get(name)), TestJson.object(found.get(name)));
            }
        }
        if (expect.containsKey("fields")) {
            check(TestJson.object(expect.get("fields")), found);
        } else if (expect.containsKey("end") || expect.containsKey("new_history")) {
            check(expect, found);
        }
    }

    private static void check(Map<String, Object> expected, Map<String, Object> found) {
        expected.forEach((name, value) -> {
            if (!matches(value, found.get(name))) {
                throw new AssertionError(name + ": " + value + " was expected, " + found.get(name) + " came in "
                    + found);
            }
        });
    }

    private static boolean matches(Object pattern, Object found) {
        if ("$any".equals(pattern)) {
            return found != null;
        }
        if ("$key".equals(pattern)) {
            return found instanceof String text && text.matches("[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}");
        }
        if (pattern instanceof Map<?, ?> range && range.containsKey("$from")) {
            long value = ((Number) found).longValue();
            return value >= ((Number) range.get("$from")).longValue()
                && value <= ((Number) range.get("$to")).longValue();
        }
        return java.util.Objects.equals(pattern, found);
    }
}
