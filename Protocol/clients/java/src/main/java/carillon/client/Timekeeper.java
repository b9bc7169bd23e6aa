package carillon.client;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** The thread that waits for deadlines, pauses and PINGs. Guarded by the lock of the dispatcher. */
final class Timekeeper {
    /** The least time between two looks at the clock: other threads have the lock meanwhile. */
    private static final long MINIMUM_WAIT_NANOS = 1_000_000;
    private final CallDispatcher dispatcher;
    private final Condition changed;
    private long wakesAt;
    private boolean isRunning;
    private boolean isStopped;

    Timekeeper(CallDispatcher dispatcher) {
        this.dispatcher = dispatcher;
        changed = dispatcher.lock.newCondition();
    }

    /** Lets the thread look at the clock at {@code time} at the latest; starts the thread if there is none. */
    void wakeBy(long time) {
        if (isStopped) {
            return;
        }
        if (!isRunning) {
            isRunning = true;
            new ClientThread("timer", this::run).start();
        } else if (time < wakesAt) {
            wakesAt = time;
            changed.signal();
        }
    }

    void stop() {
        isStopped = true;
        changed.signal();
    }

    private void run() {
        dispatcher.lock.lock();
        try {
            while (!isStopped) {
                long now = CallDispatcher.now();
                dispatcher.tick(now);
                if (dispatcher.hasDeferred()) {
                    dispatcher.unlockAndRun();
                    dispatcher.lock.lock();
                    continue;
                }
                wakesAt = dispatcher.nextWake(now);
                if (!isStopped) {
                    await(Math.max(wakesAt - now, MINIMUM_WAIT_NANOS));
                }
            }
        } finally {
            isRunning = false;
            dispatcher.unlockAndRun();
        }
    }

    private void await(long nanos) {
        try {
            changed.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException error) {
            // This thread is interrupted by mistake only: it looks at the time again.
        }
    }
}
