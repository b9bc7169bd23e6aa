package carillon.client;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Checks of arguments: what is given as null or empty must never mean that it was not given (CONTRACT.md, AUD-4). */
final class ArgumentChecks {
    private ArgumentChecks() {
    }

    static <T> T value(String field, T value) {
        if (value == null) {
            throw CarillonException.invalid(field, "is null");
        }
        return value;
    }

    static <T> List<T> list(String field, Collection<? extends T> items) {
        value(field, items);
        List<T> copy = new ArrayList<>(items.size());
        for (T item : items) {
            copy.add(value(field, item));
        }
        return copy;
    }

    static <T> List<T> nonEmptyList(String field, Collection<? extends T> items) {
        List<T> copy = list(field, items);
        if (copy.isEmpty()) {
            throw CarillonException.invalid(field, "is empty");
        }
        return copy;
    }
}
