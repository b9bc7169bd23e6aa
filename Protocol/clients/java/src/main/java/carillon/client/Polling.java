package carillon.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** Asks for the state of a message until it is finished (CONTRACT.md, TYP-4). */
final class Polling {
    private static final long FIRST_PAUSE_MS = 20;
    private static final long MAXIMUM_PAUSE_MS = 2_000;

    private Polling() {
    }

    static CompletableFuture<MessageStatus> untilFinished(Calls calls, String app, long messageId, Duration timeout) {
        CompletableFuture<MessageStatus> result = new CompletableFuture<>();
        try {
            ArgumentChecks.value("app", app);
            long deadline = CallDispatcher.now() + Options.nanos(Options.positive("timeout", timeout));
            later(calls, app, messageId, deadline, FIRST_PAUSE_MS, result);
        } catch (CarillonException error) {
            result.completeExceptionally(error);
        }
        return result;
    }

    private static void later(Calls calls, String app, long messageId, long deadline, long pauseMs,
        CompletableFuture<MessageStatus> result) {
        long left = deadline - CallDispatcher.now();
        long delay = Math.max(0, Math.min(TimeUnit.MILLISECONDS.toNanos(pauseMs), left));
        Executor delayed = CompletableFuture.delayedExecutor(delay, TimeUnit.NANOSECONDS, Runnable::run);
        delayed.execute(() -> ask(calls, app, messageId, deadline, pauseMs, result));
    }

    private static void ask(Calls calls, String app, long messageId, long deadline, long pauseMs,
        CompletableFuture<MessageStatus> result) {
        if (result.isDone()) {
            return;
        }
        long left = deadline - CallDispatcher.now();
        if (left <= 0) {
            Failure failure = Failure.of(Code.NO_ANSWER, Effect.NOT_EXECUTED, 0, "the message is not finished in time");
            result.completeExceptionally(new CarillonException(failure));
            return;
        }
        Calls bounded = calls.with(CallOptions.timeout(Duration.ofNanos(left)));
        bounded.messageStatus(app, messageId).whenComplete((status, error) -> {
            if (error != null) {
                result.completeExceptionally(error);
            } else if (status.state().equals(MessageState.FINISHED)) {
                result.complete(status);
            } else {
                later(calls, app, messageId, deadline, Math.min(pauseMs * 2, MAXIMUM_PAUSE_MS), result);
            }
        });
    }
}
