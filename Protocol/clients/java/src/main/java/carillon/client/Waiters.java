package carillon.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** What waits for a connection, or for the answer to a PING. Guarded by the lock of the dispatcher. */
final class Waiters {
    private final CallDispatcher dispatcher;
    private final List<Waiter> all = new ArrayList<>();

    private record Waiter(CallFuture<Void> future, long deadline) {
    }

    Waiters(CallDispatcher dispatcher) {
        this.dispatcher = dispatcher;
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** Begins to wait, unless that for which it waits is there. */
    CompletableFuture<Void> begin(BooleanSupplier isThere) {
        Waiter[] made = new Waiter[1];
        CallFuture<Void> future =
            new CallFuture<>(() -> dispatcher.locked(now -> fail(made[0], CallFuture.cancelled())));
        dispatcher.locked(now -> {
            made[0] = new Waiter(future, now + Options.nanos(dispatcher.options.requestTimeout));
            all.add(made[0]);
            if (dispatcher.isClosing()) {
                fail(made[0], CallDispatcher.closedFailure());
            } else if (isThere.getAsBoolean()) {
                succeed();
            } else {
                dispatcher.watch(made[0].deadline);
                dispatcher.sendWaiting(now);
            }
        });
        return future;
    }

    private void fail(Waiter waiter, Failure failure) {
        if (all.remove(waiter)) {
            dispatcher.defer(() -> waiter.future.completeExceptionally(new CarillonException(failure)));
        }
    }

    void fail(Failure failure) {
        List.copyOf(all).forEach(waiter -> fail(waiter, failure));
    }

    void succeed() {
        all.forEach(waiter -> dispatcher.defer(() -> waiter.future.complete(null)));
        all.clear();
    }

    /** Ends those whose deadline has passed. */
    void expire(long now) {
        List.copyOf(all).stream().filter(waiter -> waiter.deadline <= now)
            .forEach(waiter -> fail(waiter, dispatcher.notWritten()));
    }

    /** Returns the first deadline; the largest number if nothing waits. */
    long nextDeadline() {
        return all.stream().mapToLong(Waiter::deadline).min().orElse(Long.MAX_VALUE);
    }
}
