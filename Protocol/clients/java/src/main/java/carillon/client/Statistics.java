package carillon.client;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The state of a server (§13.1). Totals count from its start.
 *
 * @param server the server and its connections
 * @param requests answered requests, the most frequent first
 * @param batches the batches of changes
 * @param lanes what is in memory now
 * @param unrecorded deliveries that are not on disk yet
 * @param sending messages in memory
 * @param outcomes devices that have ended, by outcome
 * @param pools connections to providers
 * @param answers answers of providers
 * @param database the file of the database
 * @param kept messages that are kept
 * @param countedAt when the apps were counted
 * @param apps what each app has
 * @param failures pools that could not connect
 * @param outages pools that have no working connection now, because attempts fail
 * @param nodes the nodes of the cluster; none without a cluster
 * @param log the log of the cluster
 * @param claims what each node has claimed, in the order of {@code nodes}; none if the server does not say
 * @param devicesByProvider the devices of each app by provider, in the order of {@code apps}; none if the server does
 *     not say
 */
public record Statistics(Server server, List<RequestCount> requests, Batches batches, List<LaneLoad> lanes,
    long unrecorded, List<SendingMessage> sending, Map<Outcome, Long> outcomes, List<Pool> pools,
    List<AnswerCount> answers, Database database, Kept kept, Optional<Instant> countedAt, List<AppCount> apps,
    List<PoolFailure> failures, List<PoolOutage> outages, List<ClusterNode> nodes, Log log,
    List<NodeClaims> claims, List<ProviderCounts> devicesByProvider) {
    /**
     * The server and its connections.
     *
     * @param at its time
     * @param startedAt when it began
     * @param software name and version
     * @param clients connections of clients now
     * @param halfOpen of these, those whose client has not authenticated yet
     */
    public record Server(Instant at, Instant startedAt, String software, long clients, long halfOpen) {
    }

    /**
     * Answered requests.
     *
     * @param opcode the opcode
     * @param code the code of the error; 0 if there was none
     * @param count how many
     * @param micros their time together, in microseconds
     */
    public record RequestCount(int opcode, int code, long count, long micros) {
    }

    /**
     * The batches of changes that the registry has written.
     *
     * @param queued changes that wait now
     * @param batches total of batches
     * @param changes total of changes in them
     * @param micros total of their time, in microseconds
     * @param latest times of the latest, in microseconds
     */
    public record Batches(long queued, long batches, long changes, long micros, List<Long> latest) {
    }

    /**
     * What a lane has in memory.
     *
     * @param lane the lane
     * @param messages messages
     * @param waiting recipients that wait for a connection
     * @param delayed recipients that wait for their next attempt
     * @param inFlight recipients that the provider has not answered
     */
    public record LaneLoad(Lane lane, long messages, long waiting, long delayed, long inFlight) {
    }

    /**
     * A message in memory.
     *
     * @param messageId its id
     * @param app its app
     * @param lane its lane
     * @param acceptedAt when it was accepted
     * @param total devices addressed
     * @param ended of these, how many have an outcome
     * @param inFlight pushes without an answer
     * @param rate devices that ended in the last second, about
     */
    public record SendingMessage(long messageId, String app, Lane lane, Instant acceptedAt, long total, long ended,
        long inFlight, long rate) {
    }

    /**
     * Connections to a provider.
     *
     * @param credential the credential
     * @param environment the environment
     * @param parked true if the provider refuses the credential
     * @param opening connections that are being made
     * @param open connections that take pushes
     * @param draining connections that only wait for answers
     * @param inFlight pushes without an answer
     * @param streams pushes that the provider would accept at once
     * @param throttle deliveries a second at most; 0 if there is no bound
     * @param attempts total of attempts
     */
    public record Pool(String credential, Environment environment, boolean parked, long opening, long open,
        long draining, long inFlight, long streams, long throttle, long attempts) {
    }

    /**
     * Answers of a provider.
     *
     * @param pool the index of the pool
     * @param status the HTTP status
     * @param reason the reason, for operators
     * @param count how many
     */
    public record AnswerCount(long pool, int status, String reason, long count) {
    }

    /**
     * The file of the database; all are empty if it cannot be read.
     *
     * @param bytes its size
     * @param freeBytes of these, in free pages
     * @param mapBytes the size of the memory map
     * @param limitBytes the size to which the map may grow
     * @param readers snapshots that are being read
     * @param readerAgeCommits commits since the oldest of these
     */
    public record Database(OptionalLong bytes, OptionalLong freeBytes, OptionalLong mapBytes,
        OptionalLong limitBytes, OptionalLong readers, OptionalLong readerAgeCommits) {
    }

    /**
     * Messages that are kept; all are empty if the database cannot be read.
     *
     * @param all in any state
     * @param unfinished those that are to be sent now
     * @param scheduled those that wait for their time
     */
    public record Kept(OptionalLong all, OptionalLong unfinished, OptionalLong scheduled) {
    }

    /**
     * What an app has.
     *
     * @param app the app
     * @param devices active devices
     * @param quarantined quarantined devices
     * @param groups groups
     * @param topics topics
     */
    public record AppCount(String app, long devices, long quarantined, long groups, long topics) {
    }

    /**
     * The active devices of an app by the provider that delivers to them.
     *
     * @param apns devices of Apple
     * @param fcm devices of Android
     * @param web browsers
     */
    public record ProviderCounts(long apns, long fcm, long web) {
    }

    /**
     * A pool that could not connect.
     *
     * @param pool the index of the pool
     * @param unreachable true if it has had no connection for 10 seconds
     * @param count attempts that failed
     * @param lastAt when the latest failed, in milliseconds since 1970; 0 if none had a reason
     * @param reason why, for operators
     */
    public record PoolFailure(long pool, boolean unreachable, long count, long lastAt, String reason) {
    }

    /**
     * A pool without a working connection, because attempts to connect fail.
     *
     * @param pool the index of the pool
     * @param beganAt when the first attempt has failed
     * @param nextAttemptAt when the next one begins; empty while one is being made
     * @param cause a word for programs, such as {@code certificate-expired}
     */
    public record PoolOutage(long pool, Optional<Instant> beganAt, Optional<Instant> nextAttemptAt, String cause) {
    }

    /**
     * A node of a cluster, in its last incarnation.
     *
     * @param node its name
     * @param incarnation the number of the incarnation
     * @param isOver true if the incarnation is over
     * @param position how far its replica was
     * @param hash of its state then
     * @param silentMs milliseconds since its last sign of life
     * @param leaseMs milliseconds that are left of its lease
     * @param format the newest form of entries that it knows
     * @param version of its program
     * @param address where clients reach it
     */
    public record ClusterNode(String node, long incarnation, boolean isOver, long position, java.util.UUID hash,
        long silentMs, long leaseMs, int format, String version, String address) {
    }

    /**
     * What a node of a cluster has claimed.
     *
     * @param messages of which it sends the whole or a part
     * @param blocks of pages of messages that several nodes send
     * @param pages in these blocks
     */
    public record NodeClaims(long messages, long blocks, long pages) {
    }

    /**
     * The log of a cluster; without one all are empty.
     *
     * @param position of its last entry
     * @param entries that it keeps
     * @param snapshot up to where the newest snapshot goes
     */
    public record Log(OptionalLong position, OptionalLong entries, OptionalLong snapshot) {
    }
}
