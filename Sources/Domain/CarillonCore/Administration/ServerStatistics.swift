/// The statistics of a running server (Protocol 13.1).
///
/// Totals count from the start of the server. From two answers with the same `startedAt` you can compute rates. Lists
/// have at most as many rows as were asked for; `lanes` and `Batches.latest` are always whole.
public struct ServerStatistics: Hashable, Sendable {
    /// The server's time of these statistics.
    public var at: Timestamp
    /// The time at which the server started.
    public var startedAt: Timestamp
    /// The name and the version of the server.
    public var software: String
    /// The number of connections of clients.
    public var clients: UInt32
    /// The number of them that are half-open: the client has not authenticated.
    public var halfOpen: UInt32
    /// The requests that were answered, by operation and result.
    public var requests: [RequestCount]
    /// The batches of changes.
    public var batches: Batches
    /// The messages and recipients in memory, by lane.
    public var lanes: [LaneLoad]
    /// The number of deliveries that the provider has accepted, or may have, and whose outcome is not on disk yet. If
    /// the server crashed now, these devices might get a duplicate.
    public var unrecorded: UInt32
    /// The messages in memory: the ones with the highest rate first, and the oldest first at the same rate.
    public var sending: [SendingMessage]
    /// The number of deliveries whose outcome is on disk, by outcome, since the start of the server.
    public var outcomes: [Outcome: UInt64]
    /// The connections to providers, by credential and environment.
    public var pools: [Pool]
    /// The statistics of the database; nil if it cannot be read.
    public var database: Database?
    /// The numbers of devices, groups and topics by app; nil if they cannot be counted.
    public var registryCounts: RegistryCounts?
    /// The statistics of the cluster; nil if the server belongs to none, or has not joined it yet.
    public var cluster: Cluster?

    /// Makes the statistics of a server in which nothing has happened.
    public init(at: Timestamp, startedAt: Timestamp, software: String) {
        self.at = at
        self.startedAt = startedAt
        self.software = software
        clients = 0
        halfOpen = 0
        requests = []
        batches = Batches()
        lanes = []
        unrecorded = 0
        sending = []
        outcomes = [:]
        pools = []
    }

    /// A count of the requests of one operation that had one result.
    public struct RequestCount: Hashable, Sendable {
        /// The opcode (Protocol 16.1).
        public var opcode: UInt16
        /// The error of the answer; nil for a success.
        public var error: ErrorCode?
        /// The number of such requests since the start of the server.
        public var count: UInt64
        /// The total time of the requests, each from the moment when it was read to its answer, in microseconds.
        public var microseconds: UInt64

        /// Makes a count; without `error` it counts successes. `microseconds` is the sum over all `count` requests.
        public init(opcode: UInt16, error: ErrorCode?, count: UInt64, microseconds: UInt64) {
            self.opcode = opcode
            self.error = error
            self.count = count
            self.microseconds = microseconds
        }
    }

    /// The work of the database's one writer.
    public struct Batches: Hashable, Sendable {
        /// The number of batches that are on disk.
        public var count: UInt64 = 0
        /// The number of changes in the batches.
        public var changes: UInt64 = 0
        /// The time that the batches took, with their sync, in microseconds.
        public var microseconds: UInt64 = 0
        /// The durations of the latest batches in microseconds, the oldest first; at most 64.
        public var latest: [UInt32] = []
        /// The number of changes that wait for the writer now.
        public var waiting: UInt32 = 0

        /// Makes the counts of a server that has written nothing.
        public init() {}
    }

    /// The messages and recipients of one lane that are in memory.
    public struct LaneLoad: Hashable, Sendable {
        /// The lane that is counted.
        public var lane: Lane
        /// The number of messages of the lane in memory.
        public var messages: UInt32
        /// The number of recipients that wait for a connection.
        public var waiting: UInt32
        /// The number of recipients that wait for the time of their next attempt.
        public var delayed: UInt32
        /// The number of recipients that the provider has not answered.
        public var inFlight: UInt32

        /// Makes a load: `messages` counts messages, the other numbers count recipients.
        public init(lane: Lane, messages: UInt32, waiting: UInt32, delayed: UInt32, inFlight: UInt32) {
            self.lane = lane
            self.messages = messages
            self.waiting = waiting
            self.delayed = delayed
            self.inFlight = inFlight
        }
    }

    /// A message that is being sent.
    public struct SendingMessage: Hashable, Sendable {
        /// The id of the message.
        public var id: MessageID
        /// The app whose devices get the message.
        public var app: AppID
        /// The lane in which the deliveries wait.
        public var lane: Lane
        /// The time at which the message was accepted.
        public var acceptedAt: Timestamp
        /// The number of recipients.
        public var total: UInt64
        /// The number of recipients that have an outcome.
        public var ended: UInt64
        /// The number of recipients whose push the provider has not answered.
        public var inFlight: UInt32
        /// The approximate number of deliveries that ended in the last second.
        public var rate: UInt32

        /// Makes the progress of one message; `rate` is in deliveries a second.
        public init(
            id: MessageID, app: AppID, lane: Lane, acceptedAt: Timestamp, total: UInt64, ended: UInt64,
            inFlight: UInt32, rate: UInt32
        ) {
            self.id = id
            self.app = app
            self.lane = lane
            self.acceptedAt = acceptedAt
            self.total = total
            self.ended = ended
            self.inFlight = inFlight
            self.rate = rate
        }
    }

    /// The connections of one credential to one service of a provider.
    public struct Pool: Hashable, Sendable {
        /// The credential's name in the configuration; not a secret.
        public var credential: String
        /// The environment of APNs; production if the provider is another.
        public var environment: APNsEnvironment
        /// True if the provider has refused the credential: nothing is sent with it.
        public var isParked = false
        /// The number of connections that are being opened.
        public var opening: UInt32 = 0
        /// The number of connections that accept pushes.
        public var open: UInt32 = 0
        /// The number of connections that only wait for outstanding answers.
        public var draining: UInt32 = 0
        /// The number of pushes that are not answered.
        public var inFlight: UInt32 = 0
        /// The number of concurrent streams that the provider allows on the open connections together.
        public var streams: UInt32 = 0
        /// The limit of deliveries a second while the provider says that it is busy; nil otherwise.
        public var throttle: UInt32?
        /// The number of pushes put on the wire.
        public var attempts: UInt64 = 0
        /// The answers by status and reason.
        public var answers: [AnswerCount] = []
        /// True if there has been no connection to the provider for a while, so that messages wait.
        public var isUnreachable = false
        /// The number of attempts to connect that failed.
        public var failures: UInt64 = 0
        /// The latest failure to connect whose reason is known; nil before such a failure.
        public var lastFailure: ConnectionFailure?
        /// The present time without a working connection; nil if the pool has a working connection, or no attempt has
        /// failed since it had one.
        public var outage: Outage?

        /// Makes a pool that has done nothing.
        public init(credential: String, environment: APNsEnvironment) {
            self.credential = credential
            self.environment = environment
        }
    }

    /// A connection to a provider that could not be made, or broke before it worked.
    public struct ConnectionFailure: Hashable, Sendable {
        /// The time of the failure.
        public var at: Timestamp
        /// The reason, in words for operators.
        public var reason: String

        /// Makes a failure. Operators see the reason as it is: no secret may be in it.
        public init(at: Timestamp, reason: String) {
            self.at = at
            self.reason = reason
        }
    }

    /// A time in which a pool has no working connection, because attempts to connect fail.
    public struct Outage: Hashable, Sendable {
        /// The time at which the first attempt failed.
        public var since: Timestamp
        /// The time at which the next attempt begins; nil while an attempt is being made.
        public var nextAttemptAt: Timestamp?
        /// The cause of the last failure.
        public var cause: ConnectionFailureCause

        /// Makes an outage; without `nextAttemptAt` an attempt is being made.
        public init(since: Timestamp, nextAttemptAt: Timestamp? = nil, cause: ConnectionFailureCause) {
            self.since = since
            self.nextAttemptAt = nextAttemptAt
            self.cause = cause
        }
    }

    /// A count of the answers of a provider that are of one kind.
    public struct AnswerCount: Hashable, Sendable {
        /// The HTTP status; 0 means all answers that are not counted separately.
        public var status: UInt16
        /// The provider's reason; empty if the answers have no reason.
        public var reason: String
        /// The number of such answers since the start of the server.
        public var count: UInt64

        /// Makes a count; status 0 stands for all answers that are not counted separately.
        public init(status: UInt16, reason: String, count: UInt64) {
            self.status = status
            self.reason = reason
            self.count = count
        }
    }

    /// The statistics of the database and its messages.
    public struct Database: Hashable, Sendable {
        /// The bytes of the file, free pages in it included.
        public var bytes: UInt64 = 0
        /// The bytes of the free pages.
        public var freeBytes: UInt64 = 0
        /// The bytes of the memory map, which grows up to `limitBytes`.
        public var mapBytes: UInt64 = 0
        /// The largest size that the map may grow to, in bytes.
        public var limitBytes: UInt64 = 0
        /// The number of snapshots that are being read.
        public var readers: UInt32 = 0
        /// The number of commits since the oldest of these snapshots.
        public var readerAgeCommits: UInt64 = 0
        /// The number of messages that are stored, in any state.
        public var messages: UInt64 = 0
        /// The number of messages that are to be sent now.
        public var unfinished: UInt64 = 0
        /// The number of messages that wait for their time.
        public var scheduled: UInt64 = 0

        /// Makes the statistics of an empty database.
        public init() {}
    }

    /// The numbers of devices, groups and topics at one time.
    public struct RegistryCounts: Hashable, Sendable {
        /// The time at which they were counted.
        public var at: Timestamp
        /// The apps, by name.
        public var apps: [AppCount]

        /// Makes counts; `apps` must ascend by name.
        public init(at: Timestamp, apps: [AppCount]) {
            self.at = at
            self.apps = apps
        }
    }

    /// The counts of one app.
    public struct AppCount: Hashable, Sendable {
        /// The app that is counted.
        public var app: AppID
        /// The number of active devices.
        public var devices: UInt64
        /// The number of quarantined devices.
        public var quarantined: UInt64
        /// The number of groups of the app.
        public var groups: UInt64
        /// The number of topics of the app.
        public var topics: UInt64
        /// The numbers of active devices by the provider that delivers to them, with every provider; nil if the server
        /// does not say.
        public var devicesByProvider: [Provider: UInt64]?

        /// Makes the counts of one app; nil for `devicesByProvider` means that the server does not say.
        public init(
            app: AppID, devices: UInt64, quarantined: UInt64, groups: UInt64, topics: UInt64,
            devicesByProvider: [Provider: UInt64]? = nil
        ) {
            self.app = app
            self.devices = devices
            self.quarantined = quarantined
            self.groups = groups
            self.topics = topics
            self.devicesByProvider = devicesByProvider
        }
    }
}
