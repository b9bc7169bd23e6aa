package carillon.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** What waits for a connection, or for the answer to a PING. Guarded by the lock of the core. */
final class Waiters {
    private final Core core;
    private final List<Waiter> all = new ArrayList<>();

    private record Waiter(CallFuture<Void> future, long deadline) {
    }

    Waiters(Core core) {
        this.core = core;
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** Begins to wait, unless that for which it waits is there. */
    CompletableFuture<Void> begin(BooleanSupplier isThere) {
        Waiter[] made = new Waiter[1];
        CallFuture<Void> future = new CallFuture<>(() -> core.locked(now -> fail(made[0], CallFuture.cancelled())));
        core.locked(now -> {
            made[0] = new Waiter(future, now + Options.nanos(core.options.requestTimeout));
            all.add(made[0]);
            if (core.isClosing()) {
                fail(made[0], Core.closedFailure());
            } else if (isThere.getAsBoolean()) {
                succeed();
            } else {
                core.watch(made[0].deadline);
                core.sendWaiting(now);
            }
        });
        return future;
    }

    private void fail(Waiter waiter, Failure failure) {
        if (all.remove(waiter)) {
            core.defer(() -> waiter.future.completeExceptionally(new CarillonException(failure)));
        }
    }

    void fail(Failure failure) {
        List.copyOf(all).forEach(waiter -> fail(waiter, failure));
    }

    void succeed() {
        all.forEach(waiter -> core.defer(() -> waiter.future.complete(null)));
        all.clear();
    }

    /** Ends those whose deadline has passed. */
    void expire(long now) {
        List.copyOf(all).stream().filter(waiter -> waiter.deadline <= now)
            .forEach(waiter -> fail(waiter, core.notWritten()));
    }

    /** Returns the first deadline; the largest number if nothing waits. */
    long nextDeadline() {
        return all.stream().mapToLong(Waiter::deadline).min().orElse(Long.MAX_VALUE);
    }
}
