/// Which connections carry a delivery: those of one credential to one APNs.
package struct PoolKey: Hashable, Sendable, CustomStringConvertible {
    /// Which APNs.
    package var environment: Environment
    /// The credential's name in configuration; no secret.
    package var credential: String

    /// Makes a key.
    package init(environment: Environment, credential: String) {
        self.environment = environment
        self.credential = credential
    }

    /// `credential/environment`.
    package var description: String { "\(credential)/\(environment.name)" }
}

/// Which pool serves an app in an environment.
package struct Routes: Hashable, Sendable {
    private var pools: [AppID: [Environment: PoolKey]]

    /// Makes routes.
    package init(_ pools: [AppID: [Environment: PoolKey]]) {
        self.pools = pools
    }

    /// The pool, or nil if no credential is configured for it.
    package func pool(for app: AppID, _ environment: Environment) -> PoolKey? {
        pools[app]?[environment]
    }

    /// Whether the app is served at all.
    package func serves(_ app: AppID) -> Bool { pools[app] != nil }

    /// Every pool.
    package var all: Set<PoolKey> { Set(pools.values.flatMap(\.values)) }
}

/// A message on its way out; all of its deliveries share the one object.
package final class OutboundMessage: Sendable {
    /// The message.
    package let id: MessageID
    /// What is said.
    package let content: MessageContent
    /// How urgent it is.
    package let lane: Lane
    /// As the outbox had it when it came into memory.
    package let entry: OutboxEntry

    /// Makes it of an outbox entry.
    package init(_ entry: OutboxEntry) {
        self.entry = entry
        id = entry.id
        content = entry.content
        lane = entry.queue.lane
    }
}

/// One message to one device, handed to a connection.
package struct Delivery: Sendable {
    /// The message.
    package let message: OutboundMessage
    /// Where the recipient and its token stand.
    package let page: RecipientPage
    /// The recipient: an index of `page.recipients`.
    package let index: Int
    /// The device.
    package let device: DeviceID
    /// Milliseconds of uptime.
    package let handedOutAt: UInt64

    /// Makes a delivery.
    package init(message: OutboundMessage, page: RecipientPage, index: Int, device: DeviceID, handedOutAt: UInt64) {
        self.message = message
        self.page = page
        self.index = index
        self.device = device
        self.handedOutAt = handedOutAt
    }

    /// What is kept of it once it is submitted.
    package var attempt: Attempt {
        Attempt(
            message: message, page: page.number, recipient: page.recipients[index], device: device,
            handedOutAt: handedOutAt)
    }
}

/// A delivery on its way. It does not hold the page: one that APNs never answers must not keep thousands of recipients in
/// memory until its time is up.
package struct Attempt: Sendable {
    /// The message.
    package let message: OutboundMessage
    /// The page's number.
    package let page: UInt32
    /// The recipient as it was read.
    package let recipient: RecipientPage.Recipient
    /// The device.
    package let device: DeviceID
    /// When the delivery was handed out, in milliseconds of uptime.
    package let handedOutAt: UInt64
}

/// What one attempt came to.
package struct DeliveryResult: Sendable {
    /// The attempt.
    package let attempt: Attempt
    /// What it came to.
    package let verdict: Verdict
    /// The HTTP status of APNs; 0 if there was no answer.
    package let status: UInt16
    /// APNs' reason, or the connection's own word for an end without an answer; nil for a success.
    package let reason: String?
    /// The number of the connection that carried the attempt; 0 if it was not written.
    package let connection: UInt32

    /// Makes a result.
    package init(
        _ attempt: Attempt, _ verdict: Verdict, status: UInt16 = 0, reason: String? = nil, connection: UInt32 = 0
    ) {
        self.attempt = attempt
        self.verdict = verdict
        self.status = status
        self.reason = reason
        self.connection = connection
    }
}

/// How many deliveries a connection takes at most.
package struct PullLimits: Hashable, Sendable {
    /// Of both lanes together.
    package var all: Int
    /// Of the interactive lane.
    package var interactive: Int
    /// Of the bulk lane.
    package var bulk: Int

    /// Makes limits; those of a lane are `all` if nothing else is said.
    package init(_ all: Int, interactive: Int? = nil, bulk: Int? = nil) {
        self.all = all
        self.interactive = interactive ?? all
        self.bulk = bulk ?? all
    }

    /// What is left when so many are there.
    package func less(_ count: Int) -> PullLimits {
        PullLimits(max(0, all - count), interactive: max(0, interactive - count), bulk: max(0, bulk - count))
    }
}

/// Where connections get their work: they ask when they have free streams, nothing is pushed at them.
///
/// Each delivery taken is given back exactly once, with its verdict. Safe to call from any event loop.
package protocol DeliverySource: Sendable {
    /// Appends at most as many deliveries for `pool` as a connection takes.
    func pull(for pool: PoolKey, _ limits: PullLimits, into deliveries: inout [Delivery])

    /// Takes back what attempts came to that were pulled for `pool`.
    func completed(_ results: [DeliveryResult], for pool: PoolKey)

    /// The credential of `pool` was refused: nothing will be pulled for it any more.
    ///
    /// - Parameter speaker: the pool that says so; another may have taken its place under the same key.
    func stopped(_ pool: PoolKey, by speaker: ObjectIdentifier)

    /// `pool` has had no connection for a while, or has one again; what waits for it is not asked for meanwhile.
    ///
    /// - Parameter speaker: the pool that says so, as in `stopped`.
    func reachabilityChanged(of pool: PoolKey, isReachable: Bool, by speaker: ObjectIdentifier)

    /// A connection of `pool` works, or one that worked is over.
    func connectionChanged(of pool: PoolKey, isUp: Bool)
}
