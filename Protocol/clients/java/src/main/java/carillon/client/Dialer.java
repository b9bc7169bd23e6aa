package carillon.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;

/** Opens connections: resolves, connects, and begins TLS (CONTRACT.md, ADR-7, TLS). Blocks. */
final class Dialer {
    private static final int NANOS_PER_MS = 1_000_000;
    private final Options options;

    Dialer(Options options) {
        this.options = options;
    }

    /**
     * Connects within the time that is left until the deadline. `onSocket` gets each socket before it is connected, so
     * that another thread can close it.
     */
    Transport open(Address address, long deadline, Consumer<AutoCloseable> onSocket) throws IOException {
        if (address.isUnix()) {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            onSocket.accept(channel);
            channel.connect(UnixDomainSocketAddress.of(address.path()));
            return new Transport.OfChannel(channel);
        }
        Socket socket = connect(address, deadline, onSocket);
        try {
            socket.setTcpNoDelay(true);
            if (!options.hasTls(address)) {
                return new Transport.OfSocket(socket, socket);
            }
            socket.setSoTimeout(left(deadline));
            Socket secured = Tls.handshake(socket, address, options);
            socket.setSoTimeout(0);
            return new Transport.OfSocket(socket, secured);
        } catch (IOException | RuntimeException error) {
            socket.close();
            throw error;
        }
    }

    private static int left(long deadline) throws IOException {
        long left = (deadline - CallDispatcher.now()) / NANOS_PER_MS;
        if (left <= 0) {
            throw new IOException("no connection in time");
        }
        return (int) Math.min(left, Integer.MAX_VALUE);
    }

    /** Tries all resolved addresses; each gets its share of the time that is left (ADR-7). */
    private Socket connect(Address address, long deadline, Consumer<AutoCloseable> onSocket) throws IOException {
        InetAddress[] resolved = resolve(address);
        IOException last = null;
        for (int index = 0; index < resolved.length; index++) {
            InetAddress each = resolved[index];
            if (!mayConnect(address, each, options)) {
                last = new IOException("plaintext to " + each.getHostAddress() + ", which is not loopback");
                continue;
            }
            Socket socket = new Socket();
            onSocket.accept(socket);
            try {
                socket.connect(new InetSocketAddress(each, address.port()),
                    Math.max(1, left(deadline) / (resolved.length - index)));
                return socket;
            } catch (IOException error) {
                socket.close();
                last = error;
            }
        }
        throw last == null ? new SocketException("no address") : last;
    }

    /** Returns false for plaintext to what is not loopback, also if its name says so (TLS-2). */
    static boolean mayConnect(Address address, InetAddress resolved, Options options) {
        return options.hasTls(address) || resolved.isLoopbackAddress()
            || options.security == Security.PLAINTEXT_ANYWHERE;
    }

    private static InetAddress[] resolve(Address address) throws IOException {
        try {
            return InetAddress.getAllByName(address.host());
        } catch (UnknownHostException error) {
            throw new IOException("the name cannot be resolved", error);
        }
    }
}
