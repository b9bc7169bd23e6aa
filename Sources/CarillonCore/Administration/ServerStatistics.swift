/// The statistics of a running server (Protocol 8c.1).
///
/// Totals count from the start of the server, so two answers with the same `startedAt` give the rates between them.
/// Lists have at most as many rows as were asked for.
public struct ServerStatistics: Hashable, Sendable {
    /// The server's time.
    public var at: Timestamp
    /// When the server started.
    public var startedAt: Timestamp
    /// Its name and version.
    public var software: String
    /// Connections of clients.
    public var clients: UInt32
    /// Connections of clients whose handshake is not finished.
    public var handshakes: UInt32
    /// Requests that were answered, by operation and result.
    public var requests: [RequestCount]
    /// The commits of the database.
    public var commits: Commits
    /// The messages and recipients in memory, by lane.
    public var lanes: [LaneLoad]
    /// Deliveries that the provider has accepted, or may have, and whose outcome is not on disk yet: the upper bound of
    /// duplicates.
    public var unrecorded: UInt32
    /// Messages in memory: those that move fastest first, then the oldest.
    public var sending: [SendingMessage]
    /// Deliveries whose outcome is on disk, by outcome, since the start of the server.
    public var outcomes: [Outcome: UInt64]
    /// Connections to providers, by credential and environment.
    public var pools: [Pool]
    /// The database; nil if it cannot be read.
    public var database: Database?
    /// Devices, groups and topics by app; nil if they cannot be counted.
    public var registryCounts: RegistryCounts?
    /// The cluster; nil if the server belongs to none, or has not joined it yet.
    public var cluster: Cluster?

    /// Makes the statistics of a server in which nothing has happened.
    public init(at: Timestamp, startedAt: Timestamp, software: String) {
        self.at = at
        self.startedAt = startedAt
        self.software = software
        clients = 0
        handshakes = 0
        requests = []
        commits = Commits()
        lanes = []
        unrecorded = 0
        sending = []
        outcomes = [:]
        pools = []
    }

    /// Requests of one operation that had one result.
    public struct RequestCount: Hashable, Sendable {
        /// The opcode (Protocol 10.1).
        public var opcode: UInt16
        /// The error; nil if it was none.
        public var error: ErrorCode?
        /// The number of requests.
        public var count: UInt64
        /// Microseconds that they took together, from the end of reading a request to its answer.
        public var microseconds: UInt64

        /// The counts of one operation and one result.
        public init(opcode: UInt16, error: ErrorCode?, count: UInt64, microseconds: UInt64) {
            self.opcode = opcode
            self.error = error
            self.count = count
            self.microseconds = microseconds
        }
    }

    /// The work of the database's one writer.
    public struct Commits: Hashable, Sendable {
        /// Commits.
        public var count: UInt64 = 0
        /// Changes in them.
        public var changes: UInt64 = 0
        /// Microseconds that they took, fsync included.
        public var microseconds: UInt64 = 0
        /// Microseconds of the latest ones, the oldest of these first; at most 64.
        public var latest: [UInt32] = []
        /// Changes that wait for the writer now.
        public var waiting: UInt32 = 0

        /// Makes the counts of a server that has written nothing.
        public init() {}
    }

    /// The messages and recipients of one lane that are in memory.
    public struct LaneLoad: Hashable, Sendable {
        /// The lane that is counted.
        public var lane: Lane
        /// Messages of the lane in memory.
        public var messages: UInt32
        /// Recipients that wait for a connection.
        public var waiting: UInt32
        /// Recipients that wait for the time of their next attempt.
        public var delayed: UInt32
        /// Recipients that the provider has not answered.
        public var inFlight: UInt32

        /// The load of one lane, in messages and recipients.
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
        /// The app of the message.
        public var app: AppID
        /// The lane of the message.
        public var lane: Lane
        /// When it was accepted.
        public var acceptedAt: Timestamp
        /// Recipients.
        public var total: UInt64
        /// Recipients that have an outcome.
        public var ended: UInt64
        /// Recipients whose push the provider has not answered.
        public var inFlight: UInt32
        /// Deliveries that ended in the last second, approximately.
        public var rate: UInt32

        /// The progress of one message; `rate` is in deliveries a second.
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
        /// The name of the credential.
        public var credential: String
        /// Which APNs; production if the provider is another.
        public var environment: APNsEnvironment
        /// True if the provider has refused the credential: nothing is sent with it.
        public var isStopped = false
        /// Connections that are being opened.
        public var opening: UInt32 = 0
        /// Connections that accept pushes.
        public var open: UInt32 = 0
        /// Connections that only wait for outstanding answers.
        public var draining: UInt32 = 0
        /// Pushes that are not answered.
        public var inFlight: UInt32 = 0
        /// Concurrent streams that the provider allows on the open connections together.
        public var streams: UInt32 = 0
        /// The limit of deliveries a second while the provider says that it is busy; nil otherwise.
        public var throttle: UInt32?
        /// Pushes put on the wire.
        public var attempts: UInt64 = 0
        /// Answers by status and reason.
        public var answers: [AnswerCount] = []
        /// Whether there has been no connection to the provider for a while: messages wait.
        public var isUnreachable = false
        /// Attempts to connect that failed.
        public var failures: UInt64 = 0
        /// The latest of these whose reason is known; nil if there is none.
        public var lastFailure: ConnectionFailure?
        /// The present time without a working connection; nil if there is one, and if no attempt has failed since there
        /// was one.
        public var outage: Outage?

        /// Makes a pool that has done nothing.
        public init(credential: String, environment: APNsEnvironment) {
            self.credential = credential
            self.environment = environment
        }
    }

    /// A connection to a provider that could not be made, or broke before it worked.
    public struct ConnectionFailure: Hashable, Sendable {
        /// When that was.
        public var at: Timestamp
        /// The reason, in words for operators.
        public var reason: String

        /// The reason is shown to operators as it is: no secret may be in it.
        public init(at: Timestamp, reason: String) {
            self.at = at
            self.reason = reason
        }
    }

    /// A time in which a pool has no working connection, because attempts to connect fail.
    public struct Outage: Hashable, Sendable {
        /// When the first attempt has failed.
        public var since: Timestamp
        /// When the next one begins; nil while one is being made.
        public var nextAttempt: Timestamp?
        /// Why the last one has failed.
        public var cause: ConnectionFailureCause

        /// An outage; without `nextAttempt` an attempt is being made.
        public init(since: Timestamp, nextAttempt: Timestamp? = nil, cause: ConnectionFailureCause) {
            self.since = since
            self.nextAttempt = nextAttempt
            self.cause = cause
        }
    }

    /// Answers of providers of one kind.
    public struct AnswerCount: Hashable, Sendable {
        /// The HTTP status; 0 means all answers that are not counted separately.
        public var status: UInt16
        /// Apple's reason; empty if there is none.
        public var reason: String
        /// The number of answers.
        public var count: UInt64

        /// The answers of one status and one reason.
        public init(status: UInt16, reason: String, count: UInt64) {
            self.status = status
            self.reason = reason
            self.count = count
        }
    }

    /// The database and its messages.
    public struct Database: Hashable, Sendable {
        /// Bytes of the file, free pages in it included.
        public var bytes: UInt64 = 0
        /// Bytes of the free pages.
        public var freeBytes: UInt64 = 0
        /// Bytes of the memory map, which grows up to `limitBytes`.
        public var mapBytes: UInt64 = 0
        /// The largest size that the map may grow to, in bytes.
        public var limitBytes: UInt64 = 0
        /// Snapshots that are being read.
        public var readers: UInt32 = 0
        /// Commits since the oldest of these snapshots.
        public var readerAge: UInt64 = 0
        /// Messages that are stored, in any state.
        public var messages: UInt64 = 0
        /// Messages that are to be sent now.
        public var unfinished: UInt64 = 0
        /// Messages that wait for their time.
        public var scheduled: UInt64 = 0

        /// Makes the statistics of an empty database.
        public init() {}
    }

    /// The numbers of devices, groups and topics at one time.
    public struct RegistryCounts: Hashable, Sendable {
        /// When they were counted.
        public var at: Timestamp
        /// The apps, by name.
        public var apps: [AppCount]

        /// Makes counts that were taken at a time.
        public init(at: Timestamp, apps: [AppCount]) {
            self.at = at
            self.apps = apps
        }
    }

    /// The counts of one app.
    public struct AppCount: Hashable, Sendable {
        /// The app that is counted.
        public var app: AppID
        /// Active devices.
        public var devices: UInt64
        /// Quarantined devices.
        public var quarantined: UInt64
        /// Groups of the app.
        public var groups: UInt64
        /// Topics of the app.
        public var topics: UInt64
        /// The active devices by the provider that delivers to them, with every provider; nil if the server does not
        /// say.
        public var devicesByProvider: [Provider: UInt64]?

        /// The counts of one app; nil for `devicesByProvider` if the server does not say.
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
