package carillon.client;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * All rows of a listing, page by page (CONTRACT.md, EVT-12). Each iteration begins anew, and waits for a page when it
 * needs one.
 *
 * @param <T> the type of a row
 */
public final class Listing<T> implements Iterable<T> {
    /** A page as the iterator sees it. */
    record Page<C, T>(List<T> rows, Optional<C> next) {
    }

    private final Function<Object, CompletableFuture<Page<Object, T>>> fetch;
    private final Object first;

    private Listing(Function<Object, CompletableFuture<Page<Object, T>>> fetch, Object first) {
        this.fetch = fetch;
        this.first = first;
    }

    @SuppressWarnings("unchecked") // the cursor of a page is given back to the function that made it
    static <C, T> Listing<T> of(C first, Function<C, CompletableFuture<Page<C, T>>> fetch) {
        return new Listing<>((Function<Object, CompletableFuture<Page<Object, T>>>) (Function<?, ?>) fetch, first);
    }

    /**
     * Returns the rows.
     *
     * @return a stream that waits for pages
     */
    public Stream<T> stream() {
        return StreamSupport.stream(spliterator(), false);
    }

    /**
     * Returns the rows.
     *
     * @return an iterator that waits for pages, and throws {@link CarillonException}
     */
    @Override
    public Iterator<T> iterator() {
        return new Iterator<>() {
            private Iterator<T> rows = List.<T>of().iterator();
            private Optional<Object> cursor = Optional.of(first);

            @Override
            public boolean hasNext() {
                while (!rows.hasNext() && cursor.isPresent()) {
                    Page<Object, T> page = BlockingWait.result(() -> fetch.apply(cursor.get()));
                    rows = page.rows().iterator();
                    cursor = page.next();
                }
                return rows.hasNext();
            }

            @Override
            public T next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                return rows.next();
            }
        };
    }
}
