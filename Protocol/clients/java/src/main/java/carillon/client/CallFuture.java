package carillon.client;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/** The future of a call. Cancelling it ends the call (CONTRACT.md, DL-5). */
final class CallFuture<T> extends CompletableFuture<T> {
    private final Runnable onCancel;

    CallFuture(Runnable onCancel) {
        this.onCancel = onCancel;
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
        if (!isDone()) {
            onCancel.run();
        }
        return isCancelled();
    }

    /** True also after the call has failed with CANCELLED, whose cause is a CancellationException. */
    @Override
    public boolean isCancelled() {
        if (super.isCancelled()) {
            return true;
        }
        if (!isCompletedExceptionally()) {
            return false;
        }
        Throwable[] found = new Throwable[1];
        handle((value, error) -> found[0] = error);
        return found[0] instanceof CarillonException error && error.code() == Code.CANCELLED;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }

    static Failure cancelled() {
        return Failure.of(Code.CANCELLED, Effect.NOT_EXECUTED, 0, "the call was cancelled")
            .withCause(new CancellationException("the call was cancelled"));
    }
}
