package carillon.client;

import carillon.client.codec.Frames;
import carillon.client.codec.Operation;
import carillon.client.codec.Writer;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Semaphore;

/** A server on loopback that answers HELLO and gives every other request to a test, for what no vector can play. */
final class ScriptedServer implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Script script;
    /** One permit for each connection that has ended. */
    final Semaphore ended = new Semaphore(0);
    /** The history of the connections that are made from now on. */
    volatile UUID epoch = new UUID(1, 1);

    /** What the server does with a request; on a thread for each connection. */
    interface Script {
        void request(Peer peer, Operation operation, long id, Map<String, Object> fields) throws IOException;

        /** Returns true if the server is to answer HELLO itself. */
        default boolean hello(Peer peer) throws Exception {
            return true;
        }
    }

    /** One connection. */
    record Peer(Socket socket) {
        /** Answers a request; it can be any earlier one. */
        void answer(Operation operation, long id, Map<String, Object> fields) throws IOException {
            send(Frames.ANSWER, operation, id, LayoutCodec.encode("server", operation.toString(), fields));
        }

        /** Refuses a request, or ends the connection with scope 1. */
        void refuse(Operation operation, long id, Map<String, Object> fields) throws IOException {
            send(Frames.ERROR, operation, id, LayoutCodec.encode("server", "error", fields));
        }

        /** Sends an event of a subscription. */
        void event(long subscription, Map<String, Object> fields) throws IOException {
            send(Frames.EVENT, Operation.SUBSCRIBE_EVENTS, subscription, LayoutCodec.encode("server", "event", fields));
        }

        /** Sends a GOAWAY. */
        void goaway(Map<String, Object> fields) throws IOException {
            send(Frames.CONTROL, Frames.GOAWAY, 0, LayoutCodec.encode("server", "goaway", fields));
        }

        private void send(int kind, Operation operation, long id, byte[] payload) throws IOException {
            send(kind, operation.opcode(), id, payload);
        }

        private void send(int kind, int opcode, long id, byte[] payload) throws IOException {
            Writer out = new Writer();
            Frames.header(out, payload.length, kind, 0, opcode, id);
            out.raw(payload);
            synchronized (socket) {
                socket.getOutputStream().write(out.toByteArray());
            }
        }

        /** Cuts the connection. */
        void cut() throws IOException {
            socket.close();
        }
    }

    ScriptedServer(Script script) throws IOException {
        this.script = script;
        thread(this::accept);
    }

    private static void thread(Runnable body) {
        Thread thread = new Thread(body, "scripted-server");
        thread.setDaemon(true);
        thread.start();
    }

    String address() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Peer peer = new Peer(listener.accept());
                thread(() -> serve(peer));
            }
        } catch (IOException error) {
            // The test has ended.
        }
    }

    private void serve(Peer peer) {
        try (Socket socket = peer.socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] preface = in.readNBytes(Frames.PREFACE);
            Arrays.fill(preface, 8, Frames.PREFACE, (byte) 0);
            preface[8] = 1;
            socket.getOutputStream().write(preface);
            while (true) {
                byte[] header = new byte[Frames.HEADER];
                in.readFully(header);
                byte[] payload = in.readNBytes((int) Frames.length(header, 0));
                if (header[4] == Frames.REQUEST) {
                    request(peer, Frames.opcode(header, 0), Frames.id(header, 0), payload);
                }
            }
        } catch (Exception error) {
            // The connection has ended.
        } finally {
            ended.release();
        }
    }

    private void request(Peer peer, int opcode, long id, byte[] payload) throws Exception {
        Operation operation =
            Arrays.stream(Operation.values()).filter(each -> each.opcode() == opcode).findFirst().orElseThrow();
        if (operation == Operation.HELLO) {
            if (script.hello(peer)) {
                peer.send(Frames.ANSWER, operation, id, hello());
            }
        } else {
            Map<String, Object> fields =
                LayoutCodec.decode("client", operation.toString(), payload, 0, new java.util.ArrayList<>());
            script.request(peer, operation, id, fields);
        }
    }

    /** Limits of a usual server; every request is served, and no key is asked for. */
    private byte[] hello() {
        Writer out = new Writer();
        out.str("software", "scripted/1");
        out.uuid(epoch);
        out.u64(1_790_000_000_000L);
        for (long limit : new long[] {1 << 20, 64, 100, 60_000, 100, 86_400}) {
            out.u32("limit", limit);
        }
        out.u8("authenticated", 1);
        out.list("opcodes", Arrays.asList(Operation.values()), (inner, each) -> {
            inner.u16("opcode", each.opcode());
            inner.u8("lowest", 1);
            inner.u8("highest", 1);
        });
        return out.toByteArray();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
