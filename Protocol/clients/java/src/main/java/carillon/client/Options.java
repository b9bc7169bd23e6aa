package carillon.client;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Options of a client. What is not set has the default that is named. A client copies them when it is made.
 *
 * <p>Its printed form has no key.
 */
public final class Options implements Cloneable {
    private static final String NAME = "carillon-java/" + CarillonClient.VERSION;
    private static final int MAXIMUM_SOFTWARE_BYTES = 64;
    List<Address> addresses;
    boolean isShuffled;
    ApiKeySource apiKey = new ApiKeySource.Fixed(null);
    Security security = Security.AUTO;
    Path caFile;
    String ca;
    Path certificateFile;
    Path certificateKeyFile;
    String serverName;
    String software = NAME;
    String app;
    boolean isLazy;
    Duration requestTimeout = Duration.ofMillis(10_000);
    Duration connectTimeout = Duration.ofMillis(5_000);
    Duration probeAfter = Duration.ofMillis(3_000);
    Duration pingTimeout = Duration.ofMillis(5_000);
    Duration backoff = Duration.ofMillis(100);
    Duration maximumBackoff = Duration.ofMillis(5_000);
    Duration refusalPause = Duration.ofMillis(60_000);
    Duration drainTimeout = Duration.ofMillis(5_000);
    int maximumAttempts = 6;
    int maximumInFlight = 1024;
    int maximumWaitingCalls = 10_000;
    long maximumMemoryBytes = 64L << 20;
    int maximumReceiveBytes = 1 << 20;
    Consumer<CallReport> onCall;
    Consumer<RetryReport> onRetry;
    Consumer<StateReport> onState;

    private Options(List<Address> addresses) {
        this.addresses = addresses;
    }

    /**
     * Begins options with one or several servers of one cluster.
     *
     * @param addresses {@code host:port}, {@code [v6]:port} or {@code unix:path}; several in one text are separated by
     *     commas
     * @return options with all defaults
     * @throws CarillonException INVALID_ARGUMENT for a text that is not an address
     */
    public static Options of(String... addresses) {
        ArgumentChecks.value("addresses", addresses);
        return of(Arrays.stream(addresses).map(text -> ArgumentChecks.value("addresses", text))
            .flatMap(text -> Arrays.stream(text.split(",", -1))).toList());
    }

    /**
     * Begins options with one or several servers of one cluster.
     *
     * @param addresses 1 to 32 addresses
     * @return options with all defaults
     * @throws CarillonException INVALID_ARGUMENT for a text that is not an address
     */
    public static Options of(List<String> addresses) {
        return new Options(Address.parse(ArgumentChecks.value("addresses", addresses)));
    }

    /**
     * Takes the options from environment variables; {@code 127.0.0.1:7474} if no server is named.
     *
     * @return the options
     * @throws CarillonException INVALID_ARGUMENT with the name of the variable as field
     */
    public static Options fromEnvironment() {
        return EnvironmentVariables.options(System.getenv());
    }

    /**
     * Uses the servers in an order drawn once; in the order of the list without it.
     *
     * @return this
     */
    public Options shuffled() {
        isShuffled = true;
        return this;
    }

    /**
     * Sets the API key.
     *
     * @param key 1 to 256 bytes
     * @return this
     */
    public Options apiKey(String key) {
        if (ArgumentChecks.value("api_key", key).isEmpty()
            || key.getBytes(java.nio.charset.StandardCharsets.UTF_8).length > 256) {
            throw CarillonException.invalid("api_key", "must have 1 to 256 bytes");
        }
        apiKey = new ApiKeySource.Fixed(key);
        return this;
    }

    /**
     * Reads the API key from a file, at each connection.
     *
     * @param file the file
     * @return this
     */
    public Options apiKeyFile(Path file) {
        apiKey = new ApiKeySource.OfFile(ArgumentChecks.value("api_key_file", file));
        return this;
    }

    /**
     * Asks a function for the API key, at each connection, on a thread of the client.
     *
     * @param function returns the key; null or an empty text means that there is none
     * @return this
     */
    public Options apiKey(Supplier<String> function) {
        apiKey = new ApiKeySource.OfFunction(ArgumentChecks.value("api_key", function));
        return this;
    }

    /**
     * Sets whether connections are protected by TLS; {@link Security#AUTO} without it.
     *
     * @param value the choice
     * @return this
     */
    public Options security(Security value) {
        security = ArgumentChecks.value("security", value);
        return this;
    }

    /**
     * Trusts the authorities of a PEM file, read at each connection; those of Java without it.
     *
     * @param file the file
     * @return this
     */
    public Options caFile(Path file) {
        caFile = ArgumentChecks.value("ca_file", file);
        return this;
    }

    /**
     * Trusts the authorities of a PEM text.
     *
     * @param pem certificates
     * @return this
     */
    public Options ca(String pem) {
        ca = ArgumentChecks.value("ca", pem);
        return this;
    }

    /**
     * Sets the client certificate: PEM files, read at each connection.
     *
     * @param certificate the certificate and its chain
     * @param key its private key, PKCS #8
     * @return this
     */
    public Options certificate(Path certificate, Path key) {
        certificateFile = ArgumentChecks.value("certificate_file", certificate);
        certificateKeyFile = ArgumentChecks.value("certificate_key_file", key);
        return this;
    }

    /**
     * Sets the name that the certificate of the server must have; the host without it.
     *
     * @param name the name
     * @return this
     */
    public Options serverName(String name) {
        serverName = ArgumentChecks.value("server_name", name);
        return this;
    }

    /**
     * Adds the name of the program for the log of the server.
     *
     * @param name name and version; cut if it is too long
     * @return this
     */
    public Options programName(String name) {
        StringBuilder text = new StringBuilder(NAME + " ");
        int size = text.length();
        for (int point : ArgumentChecks.value("program_name", name).codePoints().toArray()) {
            size += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
            if (size > MAXIMUM_SOFTWARE_BYTES) {
                break;
            }
            text.appendCodePoint(point);
        }
        software = text.toString();
        return this;
    }

    /**
     * Sets the app of {@link CarillonClient#app()}.
     *
     * @param name the app
     * @return this
     */
    public Options app(String name) {
        app = ArgumentChecks.value("app", name);
        return this;
    }

    /**
     * Makes the client without connecting: the first call connects.
     *
     * @return this
     */
    public Options lazy() {
        isLazy = true;
        return this;
    }

    /**
     * Sets the deadline of a call; 10 s without it.
     *
     * @param value more than 0
     * @return this
     */
    public Options requestTimeout(Duration value) {
        requestTimeout = positive("request_timeout", value);
        return this;
    }

    /**
     * Sets how long an attempt to connect may take, resolving and TLS included; 5 s without it.
     *
     * @param value more than 0
     * @return this
     */
    public Options connectTimeout(Duration value) {
        connectTimeout = positive("connect_timeout", value);
        return this;
    }

    /**
     * Sets the silence after which a waiting request is probed by a PING; 3 s without it.
     *
     * @param value more than 0
     * @return this
     */
    public Options probeAfter(Duration value) {
        probeAfter = positive("probe_after", value);
        return this;
    }

    /**
     * Sets how long a server may be silent after a PING; 5 s without it.
     *
     * @param value more than 0
     * @return this
     */
    public Options pingTimeout(Duration value) {
        pingTimeout = positive("ping_timeout", value);
        return this;
    }

    /**
     * Sets the first pause between attempts; 100 ms without it.
     *
     * @param value more than 0
     * @return this
     */
    public Options backoff(Duration value) {
        backoff = positive("backoff", value);
        return this;
    }

    /**
     * Sets the longest pause between attempts; 5 s without it.
     *
     * @param value more than 0
     * @return this
     */
    public Options maximumBackoff(Duration value) {
        maximumBackoff = positive("maximum_backoff", value);
        return this;
    }

    /**
     * Sets how long an address that has refused the client is not asked; 60 s without it.
     *
     * @param value more than 0
     * @return this
     */
    public Options refusalPause(Duration value) {
        refusalPause = positive("refusal_pause", value);
        return this;
    }

    /**
     * Sets how long close waits for calls; 5 s without it.
     *
     * @param value more than 0
     * @return this
     */
    public Options drainTimeout(Duration value) {
        drainTimeout = positive("drain_timeout", value);
        return this;
    }

    /**
     * Sets how many attempts a call may make; 6 without it, 1 for no repetition.
     *
     * @param value at least 1
     * @return this
     */
    public Options maximumAttempts(int value) {
        maximumAttempts = (int) atLeast("maximum_attempts", value, 1);
        return this;
    }

    /**
     * Sets how many requests may be outstanding on a connection; 1,024 without it.
     *
     * @param value at least 1
     * @return this
     */
    public Options maximumInFlight(int value) {
        maximumInFlight = (int) atLeast("maximum_in_flight", value, 1);
        return this;
    }

    /**
     * Sets how many calls may wait for a connection or for room; 10,000 without it.
     *
     * @param value at least 1
     * @return this
     */
    public Options maximumWaitingCalls(int value) {
        maximumWaitingCalls = (int) atLeast("maximum_waiting_calls", value, 1);
        return this;
    }

    /**
     * Sets how many bytes the requests of all calls that have not ended may have; 64 MiB without it.
     *
     * @param value at least 1
     * @return this
     */
    public Options maximumMemoryBytes(long value) {
        maximumMemoryBytes = atLeast("maximum_memory_bytes", value, 1);
        return this;
    }

    /**
     * Sets the longest frame of a server; 1 MiB without it.
     *
     * @param value 4,096 to 1 GiB
     * @return this
     */
    public Options maximumReceiveBytes(int value) {
        if (value > 1 << 30) {
            throw CarillonException.invalid("maximum_receive_bytes", "must be at most 1 GiB");
        }
        maximumReceiveBytes = (int) atLeast("maximum_receive_bytes", value, 4096);
        return this;
    }

    /**
     * Calls back at the end of each call.
     *
     * @param hook must not block, and can be called on several threads at the same time; what it throws is dropped
     * @return this
     */
    public Options onCall(Consumer<CallReport> hook) {
        onCall = ArgumentChecks.value("on_call", hook);
        return this;
    }

    /**
     * Calls back when a call is repeated.
     *
     * @param hook must not block; what it throws is dropped
     * @return this
     */
    public Options onRetry(Consumer<RetryReport> hook) {
        onRetry = ArgumentChecks.value("on_retry", hook);
        return this;
    }

    /**
     * Calls back when the state of the client changes.
     *
     * @param hook must not block; what it throws is dropped
     * @return this
     */
    public Options onState(Consumer<StateReport> hook) {
        onState = ArgumentChecks.value("on_state", hook);
        return this;
    }

    /** Refuses a duration that is not above 0. */
    static Duration positive(String name, Duration value) {
        if (ArgumentChecks.value(name, value).isNegative() || value.isZero()) {
            throw CarillonException.invalid(name, "must be above 0");
        }
        return value;
    }

    private static long atLeast(String name, long value, long least) {
        if (value < least) {
            throw CarillonException.invalid(name, "must be at least " + least);
        }
        return value;
    }

    /** Returns a duration in nanoseconds, at most some 70 years. */
    static long nanos(Duration duration) {
        return Math.min(duration.getSeconds(), 1L << 31) * 1_000_000_000L + duration.getNano();
    }

    /** Returns a copy whose addresses are in their order, or INVALID_ARGUMENT (CONTRACT.md, TLS-2). */
    Options checked() {
        Options copy;
        try {
            copy = (Options) clone();
        } catch (CloneNotSupportedException error) {
            throw new IllegalStateException(error);
        }
        for (Address address : addresses) {
            if (security == Security.PLAINTEXT && address.isLiteral() && !address.isLoopback()) {
                throw CarillonException.invalid("security", "forbids plaintext to " + address);
            }
        }
        if (isShuffled) {
            copy.addresses = new java.util.ArrayList<>(addresses);
            java.util.Collections.shuffle(copy.addresses);
        }
        return copy;
    }

    /** Returns true if connections to the address are protected by TLS (TLS-1). */
    boolean hasTls(Address address) {
        if (address.isUnix() || security == Security.PLAINTEXT || security == Security.PLAINTEXT_ANYWHERE) {
            return false;
        }
        boolean isAskedFor = caFile != null || ca != null || certificateFile != null || serverName != null;
        return security == Security.TLS || isAskedFor || !address.isLoopback();
    }

    @Override
    public String toString() {
        return "options for " + addresses;
    }
}
