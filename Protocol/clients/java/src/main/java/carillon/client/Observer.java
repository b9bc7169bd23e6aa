package carillon.client;

import carillon.client.codec.Operation;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Calls the hooks of the program outside of locks (CONTRACT.md, OBS-4). The hook of calls runs on the thread that ends
 * the call, maybe on several threads at once. The hooks of repetitions and states run one at a time, in the order in
 * which the things have happened.
 */
final class Observer {
    private final Options options;
    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isBusy = new AtomicBoolean();

    Observer(Options options) {
        this.options = options;
    }

    /** Reports the end of a call, on the thread that ends it. */
    void callEnded(Call<?> call, CarillonException error) {
        if (options.onCall != null) {
            Effect effect = error != null ? error.effect() : call.request.isReadOnly() ? Effect.NOT_EXECUTED
                : Effect.EXECUTED;
            notify(options.onCall,
                new CallReport(call.operation(), Optional.ofNullable(call.address).map(Address::toString),
                    Duration.ofNanos(CallDispatcher.now() - call.startedAt), call.attempts,
                    Optional.ofNullable(error).map(CarillonException::code), effect));
        }
    }

    /** Reports the end of a call whose arguments the client refuses. */
    void callRefused(Operation operation, CarillonException error) {
        if (options.onCall != null) {
            notify(options.onCall,
                new CallReport(operation.toString(), Optional.empty(), Duration.ZERO, 0, Optional.of(error.code()),
                    error.effect()));
        }
    }

    void callRetried(Call<?> call, long pause, Failure failure) {
        if (options.onRetry != null) {
            RetryReport report = new RetryReport(call.operation(), call.attempts, Duration.ofNanos(pause),
                new CarillonException(failure, call.request.key(), call.attempts, true));
            queue.add(() -> notify(options.onRetry, report));
        }
    }

    void stateChanged(StateReport report) {
        if (options.onState != null) {
            queue.add(() -> notify(options.onState, report));
        }
    }

    /** Runs something after all hooks that wait. */
    void afterwards(Runnable action) {
        queue.add(action);
    }

    private static <T> void notify(Consumer<T> hook, T report) {
        try {
            hook.accept(report);
        } catch (Throwable error) {
            // What a hook throws, an AssertionError for example, is dropped (OBS-4): it must not end a thread here.
        }
    }

    /** Calls the hooks that wait, unless another thread does it already. */
    void callWaitingHooks() {
        while (!queue.isEmpty() && isBusy.compareAndSet(false, true)) {
            try {
                for (Runnable next = queue.poll(); next != null; next = queue.poll()) {
                    next.run();
                }
            } finally {
                isBusy.set(false);
            }
        }
    }
}
