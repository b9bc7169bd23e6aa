package carillon.client;

import java.time.Duration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A stream of events. It subscribes again by itself when a connection ends, and returns nothing twice. A program
 * that takes nothing gets no more: at most a window of elements is in memory.
 *
 * <p>Take elements on one thread, by {@link #take}, by a loop over the stream, or by {@link #takeAsync}.
 */
public final class EventStream implements Iterable<StreamElement>, AutoCloseable {
    private final CallDispatcher dispatcher;
    private final Subscription subscription;

    EventStream(CallDispatcher dispatcher, Subscription subscription) {
        this.dispatcher = dispatcher;
        this.subscription = subscription;
    }

    /**
     * Takes the next element.
     *
     * @return a future of the element; empty if the stream was closed. It fails with the error that has ended the
     *     stream, after what is in memory. Cancelling it takes nothing.
     */
    public CompletableFuture<Optional<StreamElement>> takeAsync() {
        return dispatcher.streams.take(subscription);
    }

    /**
     * Waits for the next element.
     *
     * @return the element; empty if the stream was closed
     * @throws CarillonException the error that has ended the stream; CANCELLED if the thread is interrupted
     */
    public Optional<StreamElement> take() {
        return BlockingWait.result(this::takeAsync);
    }

    /**
     * Waits for the next element, for a time.
     *
     * @param timeout how long
     * @return the element; empty if none has come in time, or if the stream was closed
     * @throws CarillonException the error that has ended the stream; CANCELLED if the thread is interrupted
     */
    public Optional<StreamElement> poll(Duration timeout) {
        long nanos = Options.nanos(ArgumentChecks.value("timeout", timeout));
        return BlockingWait.result(() -> takeAsync().completeOnTimeout(Optional.empty(), nanos, TimeUnit.NANOSECONDS));
    }

    /**
     * Says that the program has processed all events up to a number. It returns at once; acknowledgements made while
     * one is on its way to the server go out together. If the stream has no name, nothing is acknowledged.
     *
     * @param sequence the number of an element that was taken
     * @throws CarillonException INVALID_ARGUMENT for a number above the last one taken
     */
    public void acknowledge(long sequence) {
        dispatcher.streams.acknowledge(subscription, sequence);
    }

    /**
     * Waits until everything acknowledged is durable.
     *
     * @return a future that fails if the stream ends before
     */
    public CompletableFuture<Void> flushAsync() {
        return dispatcher.streams.flush(subscription);
    }

    /**
     * Waits until everything acknowledged is durable.
     *
     * @throws CarillonException if the stream ends before, or the thread is interrupted
     */
    public void flush() {
        BlockingWait.result(this::flushAsync);
    }

    /**
     * Ends the stream: sends the last acknowledgement, and drops what is in memory.
     *
     * @return a future of the end
     */
    public CompletableFuture<Void> closeAsync() {
        return dispatcher.streams.close(subscription).copy();
    }

    /**
     * Ends the stream as {@link #closeAsync}, and waits for that; not on a thread of the client. An interrupt ends the
     * waiting, not the end of the stream.
     */
    @Override
    public void close() {
        CompletableFuture<Void> ended = closeAsync();
        if (!ClientThread.isCurrent()) {
            BlockingWait.untilDone(ended);
        }
    }

    /**
     * Returns the elements that are not taken yet.
     *
     * @return an iterator that waits; it ends when the stream was closed, and throws the error that has ended it
     */
    @Override
    public Iterator<StreamElement> iterator() {
        return new Iterator<>() {
            private Optional<StreamElement> next = Optional.empty();
            private boolean isEnded;

            @Override
            public boolean hasNext() {
                if (next.isEmpty() && !isEnded) {
                    next = take();
                    isEnded = next.isEmpty();
                }
                return next.isPresent();
            }

            @Override
            public StreamElement next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                StreamElement element = next.get();
                next = Optional.empty();
                return element;
            }
        };
    }
}
