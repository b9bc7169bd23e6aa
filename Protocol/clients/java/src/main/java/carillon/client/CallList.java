package carillon.client;

/** A list of calls. A call is in one list at most and knows it, so that it can be removed from the middle. */
final class CallList {
    private Call<?> first;
    private Call<?> last;
    private int size;

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    Call<?> first() {
        return first;
    }

    void addLast(Call<?> call) {
        insert(call, last, null);
    }

    void addFirst(Call<?> call) {
        insert(call, null, first);
    }

    private void insert(Call<?> call, Call<?> before, Call<?> after) {
        call.list = this;
        call.before = before;
        call.after = after;
        if (before == null) {
            first = call;
        } else {
            before.after = call;
        }
        if (after == null) {
            last = call;
        } else {
            after.before = call;
        }
        size++;
    }

    static void remove(Call<?> call) {
        CallList list = call.list;
        if (list == null) {
            return;
        }
        if (call.before == null) {
            list.first = call.after;
        } else {
            call.before.after = call.after;
        }
        if (call.after == null) {
            list.last = call.before;
        } else {
            call.after.before = call.before;
        }
        call.list = null;
        call.before = null;
        call.after = null;
        list.size--;
    }
}
