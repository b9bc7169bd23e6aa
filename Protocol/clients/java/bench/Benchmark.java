import carillon.client.AppCalls;
import carillon.client.Audience;
import carillon.client.CarillonClient;
import carillon.client.Device;
import carillon.client.Message;
import carillon.client.Options;
import carillon.client.Payload;
import carillon.client.Registration;
import carillon.client.Token;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * Pipelines LOOKUPs and SENDs on one connection: {@code Benchmark [SECONDS]}. The server is that of the environment.
 * Prints requests a second, and a second of processor time of this process, after the same time for the compiler of
 * Java.
 */
final class Benchmark {
    private static final int AT_ONCE = 1_000;

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = arguments.length > 0 ? Double.parseDouble(arguments[0]) : 3;
        Options options = Options.fromEnvironment().requestTimeout(Duration.ofSeconds(60));
        try (CarillonClient client = CarillonClient.connect(options)) {
            AppCalls app = client.app();
            Token token = Token.ofHex("c0".repeat(32));
            app.blocking().register(Registration.of(token).seenAt(Instant.now()));
            Device device = Device.token(token);
            measure("lookup", seconds, () -> app.lookup(device));
            Payload payload = Payload.of("{\"aps\":{\"alert\":\"Hello\"}}");
            Audience audience = Audience.device(device);
            measure("send", seconds, () -> app.send(audience, Message.of(payload)));
        }
    }

    private static void measure(String name, double seconds, Supplier<CompletableFuture<?>> request)
        throws InterruptedException {
        run(seconds, request);
        long wall = System.nanoTime();
        Duration cpu = cpu();
        long count = run(seconds, request);
        double elapsed = (System.nanoTime() - wall) / 1e9;
        double used = cpu().minus(cpu).toNanos() / 1e9;
        System.out.printf("RESULT java %s requests %d in_flight %d per_second %.0f per_cpu_second %.0f%n", name, count,
            AT_ONCE, count / elapsed, count / used);
    }

    private static Duration cpu() {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    private static long run(double seconds, Supplier<CompletableFuture<?>> request) throws InterruptedException {
        Semaphore free = new Semaphore(AT_ONCE);
        long end = System.nanoTime() + (long) (seconds * 1e9);
        long count = 0;
        while (System.nanoTime() < end) {
            free.acquire(AT_ONCE / 4);
            for (int index = 0; index < AT_ONCE / 4; index++) {
                request.get().whenComplete((answer, error) -> {
                    if (error != null) {
                        throw new IllegalStateException(error);
                    }
                    free.release();
                });
                count++;
            }
        }
        free.acquire(AT_ONCE);
        return count;
    }
}
