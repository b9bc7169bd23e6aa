package carillon.client;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** The thread that waits for deadlines, pauses and PINGs. Guarded by the lock of the core. */
final class Timekeeper {
    /** The lock is free for so long at least between two looks at the time. */
    private static final long MINIMUM_WAIT_NANOS = 1_000_000;
    private final Core core;
    private final Condition changed;
    private long wakesAt;
    private boolean isRunning;
    private boolean isStopped;

    Timekeeper(Core core) {
        this.core = core;
        changed = core.lock.newCondition();
    }

    /** Lets the thread look at the time at a time, or earlier; begins it if there is none. */
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
        core.lock.lock();
        try {
            while (!isStopped) {
                long now = Core.now();
                core.tick(now);
                if (core.hasDeferred()) {
                    core.unlockAndRun();
                    core.lock.lock();
                    continue;
                }
                wakesAt = core.nextWake(now);
                if (!isStopped) {
                    await(Math.max(wakesAt - now, MINIMUM_WAIT_NANOS));
                }
            }
        } finally {
            isRunning = false;
            core.unlockAndRun();
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
