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
 * reads. {@link CallDispatcher} decides what the bytes mean, under its lock.
 */
final class Connection implements Session.Handler<ConnectionRequest> {
    final Target target;
    /** The time of {@link CallDispatcher#now} at which the attempt to connect ends. */
    final long givesUpAt;
    private final CallDispatcher dispatcher;
    /** Wakes the thread that writes; of the lock of the dispatcher. */
    private final Condition writable;

    // Guarded by the lock of the dispatcher

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

    Connection(CallDispatcher dispatcher, Target target, long givesUpAt) {
        this.dispatcher = dispatcher;
        this.target = target;
        this.givesUpAt = givesUpAt;
        writable = dispatcher.lock.newCondition();
    }

    boolean isOpen() {
        return session != null && session.isOpen();
    }

    void start() {
        new ClientThread("writer-" + target.address, this::connectAndWrite).start();
    }

    /** Wakes the thread that writes, if it waits: there may be something to write. */
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
            byte[] read = dispatcher.options.apiKey.read();
            if (!dispatcher.keyRead(this, read)) {
                return;
            }
            Transport opened = dispatcher.dialer.open(target.address, givesUpAt, this::keepConnecting);
            if (!takeTransport(opened)) {
                opened.close();
                return;
            }
            new ClientThread("reader-" + target.address, () -> read(opened)).start();
            write(opened);
        } catch (IOException | RuntimeException error) {
            dispatcher.ended(this, failure(error));
        }
    }

    /** Keeps the socket that is being opened, so that it can be closed; at once if the attempt was given up. */
    private void keepConnecting(AutoCloseable socket) {
        dispatcher.lock.lock();
        try {
            connecting = socket;
            if (hasEnded) {
                closeConnecting();
            }
        } finally {
            dispatcher.lock.unlock();
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
        dispatcher.lock.lock();
        try {
            transport = hasEnded ? null : opened;
            if (transport != null) {
                dispatcher.transportOpened();
            }
            return transport != null;
        } finally {
            dispatcher.lock.unlock();
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
            dispatcher.ended(this, failure(error));
        } finally {
            opened.close();
            dispatcher.transportClosed();
        }
    }

    /** Waits for something to write; false if the connection has ended. */
    private boolean awaitOutput(Writer out) {
        out.clear();
        dispatcher.lock.lock();
        try {
            isWriting = false;
            while (!hasEnded) {
                dispatcher.fill(this, out);
                if (out.size() > 0) {
                    isWriting = !hasEnded;
                    return isWriting;
                }
                if (hasEnded) {
                    break;
                }
                if (dispatcher.hasDeferred()) {
                    dispatcher.unlockAndRun();
                    dispatcher.lock.lock();
                    continue;
                }
                isWriterWaiting = true;
                writable.awaitUninterruptibly();
                isWriterWaiting = false;
            }
            return false;
        } finally {
            dispatcher.unlockAndRun();
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
            dispatcher.defer(transport::abort);
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
                    dispatcher.ended(this, null);
                    return;
                }
                if (!dispatcher.received(this, count)) {
                    return;
                }
            }
        } catch (IOException | RuntimeException error) {
            dispatcher.ended(this, failure(error));
        }
    }

    /** Feeds the session with bytes that were read; the caller holds the lock. */
    void receive(int count, long now) {
        try {
            session.received(count, now, this);
        } catch (SessionException reason) {
            dispatcher.sessionEnded(this, reason, now);
        }
    }

    @Override
    public void opened() {
        dispatcher.opened(this);
    }

    @Override
    public void answered(ConnectionRequest sent, Reader payload) {
        if (sent instanceof Call<?> call) {
            answered(call, payload);
        } else if (sent instanceof StreamRequest request) {
            dispatcher.streams.answered(this, request, payload);
        }
    }

    private <T> void answered(Call<T> call, Reader payload) {
        dispatcher.answered(call, call.request.answer(payload));
    }

    @Override
    public void refused(ConnectionRequest sent, ErrorFrame error) {
        Failure failure = Failure.of(error);
        if (failure.code() == Code.DRAINING) {
            dispatcher.connections.drain(this, failure.message(), Math.max(0, failure.retryAfterMs()),
                CallDispatcher.now());
        }
        if (sent instanceof Call<?> call) {
            dispatcher.retries.refused(call, failure);
        } else if (sent instanceof StreamRequest request) {
            dispatcher.streams.refused(this, request, failure, CallDispatcher.now());
        }
        if (failure.code() == Code.BEHIND) {
            dispatcher.connections.leaveBehind(this, failure);
        }
    }

    @Override
    public void position(UUID cluster, long position) {
        dispatcher.connections.reported(this, new ClusterPosition(cluster, position));
    }

    @Override
    public void event(long subscription, Reader payload) {
        Subscription found = dispatcher.streams.find(this, subscription);
        if (found != null && !found.receive(Answers.event(payload))) {
            throw new MalformedException("more events than the credit allows");
        }
    }

    @Override
    public void goingAway(GoAway goaway) {
        dispatcher.retries.goingAway(this, goaway);
    }

    @Override
    public void pong() {
        dispatcher.pong();
    }
}
