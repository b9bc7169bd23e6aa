package carillon.client;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/** Waits for futures, for the blocking methods. */
final class BlockingWait {
    private BlockingWait() {
    }

    /** Waits for an end that never fails. An interrupt ends the waiting, and the thread stays interrupted. */
    static void untilDone(CompletableFuture<Void> future) {
        try {
            future.get();
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException error) {
            throw new IllegalStateException(error.getCause());
        }
    }

    /**
     * Begins something and returns its result, or throws its error with the stack of this thread. An interrupted thread
     * cancels it and stays interrupted. On a thread of the client nothing begins.
     */
    static <T> T result(Supplier<CompletableFuture<T>> begin) {
        if (ClientThread.isCurrent()) {
            throw new IllegalStateException("a thread of the client must not wait for a call");
        }
        CompletableFuture<T> future = begin.get();
        boolean isInterrupted = false;
        try {
            while (true) {
                try {
                    return future.get();
                } catch (InterruptedException error) {
                    isInterrupted = true;
                    future.cancel(true);
                }
            }
        } catch (ExecutionException error) {
            throw error.getCause() instanceof CarillonException known ? known.here()
                : new IllegalStateException(error.getCause());
        } catch (CancellationException error) {
            throw new CarillonException(CallFuture.cancelled());
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
