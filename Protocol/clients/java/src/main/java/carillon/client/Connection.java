package carillon.client;

import carillon.client.codec.ErrorFrame;
import carillon.client.codec.MalformedException;
import carillon.client.codec.Reader;
import carillon.client.codec.Writer;
import carillon.client.session.GoAway;
import carillon.client.session.Session;
import carillon.client.session.SessionException;
import java.io.IOException;
import java.util.UUID;
import java.util.concurrent.locks.Condition;

/**
 * One connection, from the attempt to its end: a socket, a session, a thread that connects and writes, and one that
 * reads. What the bytes mean is decided by {@link Core}, under its lock.
 */
final class Connection implements Session.Handler<ConnectionRequest> {
    final Target target;
    /** The time of the core at which the attempt to connect ends. */
    final long givesUpAt;
    private final Core core;
    /** Wakes the thread that writes; of the lock of the core. */
    private final Condition writable;

    // Guarded by the lock of the core

    /** The calls whose requests were written, and are not answered. */
    final CallList calls = new CallList();
    /** The key of the handshake; null if there is none, or it is not read. */
    byte[] key;
    /** Null until the key is read. The thread that reads puts bytes into its input without the lock. */
    Session<ConnectionRequest> session;
    /** True if the handshake has succeeded, also after the end. */
    boolean hasOpened;
    /** True if it gets no new calls, and ends when its calls are answered. */
    boolean isDraining;
    boolean hasEnded;
    private boolean isWriterWaiting;
    /** True while the thread that writes is in a write of the socket, which only an abort ends. */
    private boolean isWriting;
    /** The socket that is being opened; null before. */
    private AutoCloseable connecting;
    /** The open socket; null before, and if the attempt was given up. */
    private Transport transport;

    Connection(Core core, Target target, long givesUpAt) {
        this.core = core;
        this.target = target;
        this.givesUpAt = givesUpAt;
        writable = core.lock.newCondition();
    }

    boolean isOpen() {
        return session != null && session.isOpen();
    }

    void start() {
        new ClientThread("writer-" + target.address, this::connectAndWrite).start();
    }

    /** There may be something to write. */
    void wakeWriter() {
        if (isWriterWaiting) {
            isWriterWaiting = false;
            writable.signal();
        }
    }

    // The thread that connects and writes

    /** Reads the key, opens the socket, starts the thread that reads, and writes until the connection has ended. */
    private void connectAndWrite() {
        try {
            byte[] read = core.options.apiKey.read();
            if (!core.keyRead(this, read)) {
                return;
            }
            Transport opened = core.dialer.open(target.address, givesUpAt, this::keepConnecting);
            if (!takeTransport(opened)) {
                opened.close();
                return;
            }
            new ClientThread("reader-" + target.address, () -> read(opened)).start();
            write(opened);
        } catch (IOException | RuntimeException error) {
            core.ended(this, failure(error));
        }
    }

    /** Keeps the socket that is being opened, so that it can be closed; at once if the attempt was given up. */
    private void keepConnecting(AutoCloseable socket) {
        core.lock.lock();
        try {
            connecting = socket;
            if (hasEnded) {
                closeConnecting();
            }
        } finally {
            core.lock.unlock();
        }
    }

    private void closeConnecting() {
        try {
            if (connecting != null) {
                connecting.close();
            }
        } catch (Exception error) {
            // The socket is not used any more.
        }
    }

    /** Takes the open socket; false if the attempt was given up meanwhile. */
    private boolean takeTransport(Transport opened) {
        core.lock.lock();
        try {
            transport = hasEnded ? null : opened;
            if (transport != null) {
                core.transportOpened();
            }
            return transport != null;
        } finally {
            core.lock.unlock();
        }
    }

    /** Makes the failure of an exception of the socket: before or after the connection was open. */
    private Failure failure(Exception error) {
        String message = error.getMessage() == null ? error.getClass().getSimpleName() : error.getMessage();
        if (error instanceof Tls.UntrustedException) {
            return Failure.of(Code.UNTRUSTED, message).withCause(error);
        }
        return hasOpened ? Failure.lost(message).withCause(error) : Failure.cannotConnect(message).withCause(error);
    }

    private void write(Transport opened) {
        Writer out = new Writer(Session.MAXIMUM_WRITE_BYTES);
        try {
            while (awaitOutput(out)) {
                opened.write(out.array(), out.size());
            }
        } catch (IOException error) {
            core.ended(this, failure(error));
        } finally {
            opened.close();
            core.transportClosed();
        }
    }

    /** Waits for something to write; false if the connection has ended. */
    private boolean awaitOutput(Writer out) {
        out.clear();
        core.lock.lock();
        try {
            isWriting = false;
            while (!hasEnded) {
                core.fill(this, out);
                if (out.size() > 0) {
                    isWriting = !hasEnded;
                    return isWriting;
                }
                if (hasEnded) {
                    break;
                }
                if (core.hasDeferred()) {
                    core.unlockAndRun();
                    core.lock.lock();
                    continue;
                }
                isWriterWaiting = true;
                writable.awaitUninterruptibly();
                isWriterWaiting = false;
            }
            return false;
        } finally {
            core.unlockAndRun();
        }
    }

    /** Ends the connection; the caller holds the lock. */
    void end() {
        hasEnded = true;
        if (session != null) {
            session.close();
        }
        if (transport == null) {
            closeConnecting();
        } else if (isWriting) {
            core.defer(transport::abort);
        } else {
            isWriterWaiting = false;
            writable.signal();
        }
    }

    // The thread that reads

    /** Feeds the session with what comes, until the connection has ended. */
    private void read(Transport opened) {
        try {
            while (true) {
                int count = opened.read(session.input(), session.inputOffset(),
                    session.input().length - session.inputOffset());
                if (count < 0) {
                    core.ended(this, null);
                    return;
                }
                if (!core.received(this, count)) {
                    return;
                }
            }
        } catch (IOException | RuntimeException error) {
            core.ended(this, failure(error));
        }
    }

    /** Feeds the session with bytes that were read; the caller holds the lock. */
    void receive(int count, long now) {
        try {
            session.received(count, now, this);
        } catch (SessionException reason) {
            core.sessionEnded(this, reason, now);
        }
    }

    @Override
    public void opened() {
        core.opened(this);
    }

    @Override
    public void answered(ConnectionRequest sent, Reader payload) {
        if (sent instanceof Call<?> call) {
            answered(call, payload);
        } else if (sent instanceof StreamRequest request) {
            core.streams.answered(this, request, payload);
        }
    }

    private <T> void answered(Call<T> call, Reader payload) {
        core.answered(call, call.request.answer(payload));
    }

    @Override
    public void refused(ConnectionRequest sent, ErrorFrame error) {
        Failure failure = Failure.of(error);
        if (failure.code() == Code.DRAINING) {
            core.connections.drain(this, failure.message(), Math.max(0, failure.retryAfterMs()), Core.now());
        }
        if (sent instanceof Call<?> call) {
            core.retries.refused(call, failure);
        } else if (sent instanceof StreamRequest request) {
            core.streams.refused(this, request, failure, Core.now());
        }
        if (failure.code() == Code.BEHIND) {
            core.connections.leaveBehind(this, failure);
        }
    }

    @Override
    public void position(UUID cluster, long position) {
        core.connections.reported(this, new ClusterPosition(cluster, position));
    }

    @Override
    public void event(long subscription, Reader payload) {
        Subscription found = core.streams.find(this, subscription);
        if (found != null && !found.receive(Answers.event(payload))) {
            throw new MalformedException("more events than the credit allows");
        }
    }

    @Override
    public void goingAway(GoAway goaway) {
        core.retries.goingAway(this, goaway);
    }

    @Override
    public void pong() {
        core.pong();
    }
}
