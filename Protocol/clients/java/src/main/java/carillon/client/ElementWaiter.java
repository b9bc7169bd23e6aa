package carillon.client;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A caller that waits for the next element of a stream. An element is taken only for a waiter that is claimed, and
 * one that is claimed can be neither cancelled nor ended by a timeout: no element is lost between the two.
 */
final class ElementWaiter extends CompletableFuture<Optional<StreamElement>> {
    private final AtomicBoolean isClaimed = new AtomicBoolean();

    /** Returns true once, for the one who decides what the result is. */
    boolean claim() {
        return isClaimed.compareAndSet(false, true);
    }

    /** Gives the result after a claim. */
    void deliver(Optional<StreamElement> element) {
        super.complete(element);
    }

    /** Gives the error after a claim. */
    void deliver(CarillonException error) {
        super.completeExceptionally(error);
    }

    @Override
    public boolean complete(Optional<StreamElement> value) {
        return claim() && super.complete(value);
    }

    @Override
    public boolean completeExceptionally(Throwable error) {
        return claim() && super.completeExceptionally(error);
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
        return claim() && super.cancel(mayInterrupt) || isCancelled();
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
