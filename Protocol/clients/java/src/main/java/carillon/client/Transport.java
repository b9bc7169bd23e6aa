package carillon.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;

/** The bytes of one connection. One thread reads, another writes; any may close. */
interface Transport {
    /** Reads at least one byte; returns -1 at the end. */
    int read(byte[] into, int offset, int length) throws IOException;

    /** Writes all bytes. */
    void write(byte[] from, int length) throws IOException;

    /**
     * Closes; with TLS after close_notify (CONTRACT.md, TLS-3), for a second at most. Not while another thread writes.
     */
    void close();

    /** Closes at once, also while another thread writes. */
    void abort();

    /** A TCP connection, with TLS or without. */
    final class OfSocket implements Transport {
        /** Aborts a close after a second: the write of close_notify waits for ever if the peer does not read. */
        private static final Executor LATER = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS, Runnable::run);
        private final Socket raw;
        private final Socket socket;
        private final InputStream in;
        private final OutputStream out;

        OfSocket(Socket raw, Socket socket) throws IOException {
            this.raw = raw;
            this.socket = socket;
            in = socket.getInputStream();
            out = socket.getOutputStream();
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            return in.read(into, offset, length);
        }

        @Override
        public void write(byte[] from, int length) throws IOException {
            out.write(from, 0, length);
        }

        @Override
        public void close() {
            if (socket instanceof SSLSocket) {
                LATER.execute(this::abort);
                quietly(socket::shutdownOutput);
            }
            quietly(socket::close);
            quietly(raw::close);
        }

        @Override
        public void abort() {
            quietly(raw::close);
        }
    }

    /** A Unix socket. */
    final class OfChannel implements Transport {
        private final SocketChannel channel;
        private ByteBuffer reading = ByteBuffer.allocate(0);

        OfChannel(SocketChannel channel) {
            this.channel = channel;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            if (reading.array() != into) {
                reading = ByteBuffer.wrap(into);
            }
            return channel.read(reading.limit(offset + length).position(offset));
        }

        @Override
        public void write(byte[] from, int length) throws IOException {
            ByteBuffer buffer = ByteBuffer.wrap(from, 0, length);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
        }

        @Override
        public void close() {
            quietly(channel::close);
        }

        @Override
        public void abort() {
            close();
        }
    }

    /** An action that can fail and whose failure is of no interest. */
    interface Closing {
        /** Does it. */
        void run() throws IOException;
    }

    private static void quietly(Closing closing) {
        try {
            closing.run();
        } catch (IOException error) {
            // The connection ends in any case.
        }
    }
}
