package carillon.client;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A client of Carillon. It has one connection, which all threads of a program share, and which it makes again when it
 * is lost. Make one for a program, and close it at the end.
 *
 * <pre>{@code
 * try (CarillonClient client = CarillonClient.connect(Options.of("push.example.com:7474").apiKey(key))) {
 *     BlockingAppCalls app = client.app("com.example.game").blocking();
 *     SendResult sent = app.send(Audience.topic("raids"), Message.of("It begins"));
 * }
 * }</pre>
 */
public final class CarillonClient extends Calls implements AutoCloseable {
    /**
     * The version of this library, which is released with the server. It knows version 1.0 of the protocol, and works
     * with every server of 1.x.
     */
    public static final String VERSION = "1.0.0-beta.1";

    private CarillonClient(CallDispatcher dispatcher) {
        super(dispatcher, CallOptions.DEFAULT);
    }

    /**
     * Makes a client and waits until it is connected, or, with {@link Options#lazy}, returns at once.
     *
     * @param options where the servers are, and how to talk to them
     * @return the client
     * @throws CarillonException the first refusal of a server, or CANNOT_CONNECT after one round without a connection
     */
    public static CarillonClient connect(Options options) {
        return BlockingWait.result(() -> connectAsync(options));
    }

    /**
     * Makes a client.
     *
     * @param options where the servers are, and how to talk to them
     * @return the client, when it is connected; at once with {@link Options#lazy}. Cancelling it leaves nothing behind
     * @throws CarillonException INVALID_ARGUMENT for options that contradict each other
     */
    public static CompletableFuture<CarillonClient> connectAsync(Options options) {
        CallDispatcher dispatcher = new CallDispatcher(ArgumentChecks.value("options", options).checked());
        CarillonClient client = new CarillonClient(dispatcher);
        if (dispatcher.options.isLazy) {
            return CompletableFuture.completedFuture(client);
        }
        CompletableFuture<Void> connected = dispatcher.connect();
        CallFuture<CarillonClient> result = new CallFuture<>(() -> connected.cancel(true));
        connected.whenComplete((nothing, error) -> {
            if (error == null) {
                if (!result.complete(client)) {
                    dispatcher.close(); // the program has ended the future in another way
                }
            } else if (connected.isCancelled()) {
                dispatcher.close();
                result.completeExceptionally(error);
            } else {
                dispatcher.close().whenComplete((ended, other) -> result.completeExceptionally(error));
            }
        });
        return result;
    }

    /**
     * Makes a client with the options of environment variables, and connects.
     *
     * @return the client
     * @throws CarillonException as {@link #connect}; INVALID_ARGUMENT with the name of a variable as field
     */
    public static CarillonClient fromEnvironment() {
        return connect(Options.fromEnvironment());
    }

    /**
     * Returns the operations about the app of the options, which the program has chosen by {@link Options#app} or
     * {@code CARILLON_APP}.
     *
     * @return the operations
     * @throws CarillonException INVALID_ARGUMENT if there is no such app
     */
    public AppCalls app() {
        if (dispatcher.options.app == null) {
            throw CarillonException.invalid("app", "is not set: neither by an option nor by CARILLON_APP");
        }
        return app(dispatcher.options.app);
    }

    /**
     * Returns what the server has said about itself in the latest handshake.
     *
     * @return empty before the first connection
     */
    public Optional<ServerInfo> server() {
        return Optional.ofNullable(dispatcher.connections.server());
    }

    /**
     * Returns the greatest position in the log of the cluster that this client has seen. It is at or after the
     * entry of every change whose call has succeeded.
     *
     * @return empty if its servers belong to no cluster
     */
    public Optional<ClusterPosition> position() {
        return Optional.ofNullable(dispatcher.connections.position());
    }

    /**
     * Lets the calls that follow see what another client has seen. A node that has not applied the log up to the
     * position waits for that for up to a second, and then answers {@link Code#BEHIND}. A position of another cluster
     * has no effect while this client is connected.
     *
     * @param position that of the other client
     */
    public void readAfter(ClusterPosition position) {
        ArgumentChecks.value("position", position);
        dispatcher.locked(now -> dispatcher.connections.readAfter(position));
    }

    /**
     * Asks the server for a round trip. A PING waits until the server allows one.
     *
     * @return a future of the answer
     */
    public CompletableFuture<Void> pingAsync() {
        return dispatcher.ping();
    }

    /**
     * Asks the server for a round trip and waits for it. A PING waits until the server allows one.
     *
     * @return how long it took
     * @throws CarillonException if there was no answer in time
     */
    public Duration ping() {
        long began = CallDispatcher.now();
        BlockingWait.result(this::pingAsync);
        return Duration.ofNanos(CallDispatcher.now() - began);
    }

    /**
     * Closes the client: accepts no more calls, and finishes those that are written or wait for room, for the
     * {@code drainTimeout} of the options.
     *
     * @return a future that is done when the connections are closed
     */
    public CompletableFuture<Void> closeAsync() {
        return dispatcher.close().copy();
    }

    /**
     * Closes the client as {@link #closeAsync}, and waits for that; not on a thread of the client. An interrupt ends
     * the waiting, not the closing.
     */
    @Override
    public void close() {
        CompletableFuture<Void> closed = closeAsync();
        if (!ClientThread.isCurrent()) {
            BlockingWait.untilDone(closed);
        }
    }

    @Override
    public String toString() {
        return "client of " + dispatcher.options.addresses;
    }
}
