import carillon.client.AppCalls;
import carillon.client.Audience;
import carillon.client.CarillonClient;
import carillon.client.DeviceReference;
import carillon.client.Lane;
import carillon.client.Message;
import carillon.client.Options;
import carillon.client.Payload;
import carillon.client.RegisterResult;
import carillon.client.Registration;
import carillon.client.Token;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Measures how many LOOKUPs and SENDs the client makes on one connection: {@code Benchmark [SECONDS [IN_FLIGHT]]}.
 * {@code mixed} are both in turn. The environment names the server, the app and the key, as for the examples.
 *
 * <p>It prints {@code RESULT java.WHAT.per_second VALUE}, and {@code per_cpu_second}: for a second of processor time of
 * this process. Each measurement follows a round of the same time for the compiler of Java.
 */
final class Benchmark {
    private final double seconds;
    private final int inFlight;

    private Benchmark(double seconds, int inFlight) {
        this.seconds = seconds;
        this.inFlight = inFlight;
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = arguments.length > 0 ? Double.parseDouble(arguments[0]) : 3;
        int inFlight = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 512;
        if (arguments.length > 2 || !(seconds > 0 && seconds <= 3600) || inFlight < 4) {
            System.err.println("usage: Benchmark [SECONDS [IN_FLIGHT]]");
            System.exit(2);
        }
        new Benchmark(seconds, inFlight).run();
    }

    private void run() throws InterruptedException {
        Options options = Options.fromEnvironment().requestTimeout(Duration.ofSeconds(60));
        try (CarillonClient client = CarillonClient.connect(options)) {
            AppCalls app = client.app();
            Token token = Token.ofHex("00".repeat(32));
            RegisterResult registered = app.blocking().register(Registration.of(token).seenAt(Instant.now()));
            DeviceReference device = DeviceReference.id(registered.deviceId());
            Supplier<CompletableFuture<?>> lookup = () -> app.lookup(device);
            Payload payload = Payload.of("{\"aps\":{\"alert\":\"Hello\"}}");
            Audience audience = Audience.device(device);
            Supplier<CompletableFuture<?>> send = () -> app.send(audience, Message.of(payload).lane(Lane.BULK));
            measure("lookup", lookup);
            measure("send", send);
            boolean[] isSend = {false};
            measure("mixed", () -> {
                isSend[0] = !isSend[0];
                return isSend[0] ? send.get() : lookup.get();
            });
        }
    }

    private void measure(String name, Supplier<CompletableFuture<?>> request) throws InterruptedException {
        repeat(request);
        long wall = System.nanoTime();
        Duration cpu = cpu();
        long count = repeat(request);
        double elapsed = (System.nanoTime() - wall) / 1e9;
        double used = cpu().minus(cpu).toNanos() / 1e9;
        System.out.printf("RESULT java.%s.per_second %.0f%n", name, count / elapsed);
        System.out.printf("RESULT java.%s.per_cpu_second %.0f%n", name, count / used);
    }

    private static Duration cpu() {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    private long repeat(Supplier<CompletableFuture<?>> request) throws InterruptedException {
        Semaphore free = new Semaphore(inFlight);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        long end = System.nanoTime() + (long) (seconds * 1e9);
        long count = 0;
        while (System.nanoTime() < end && failure.get() == null) {
            free.acquire(inFlight / 4);
            for (int index = 0; index < inFlight / 4; index++) {
                request.get().whenComplete((answer, error) -> {
                    if (error != null) {
                        failure.set(error);
                    }
                    free.release();
                });
                count++;
            }
        }
        free.acquire(inFlight);
        if (failure.get() != null) {
            throw new IllegalStateException(failure.get());
        }
        return count;
    }
}
