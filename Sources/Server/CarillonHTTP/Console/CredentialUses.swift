import CarillonCore

/// The last use of each credential, and its last refusal by the provider. A decision without clock or I/O: the
/// statistics of the server go in.
///
/// The totals of a pool only grow. If a total has grown from one sample to the next, the uses happened between them.
/// The time is taken from the later sample, and is late by at most the interval of the samples.
struct CredentialUses {
    /// A credential in one environment.
    struct Key: Hashable, Sendable {
        var credential: String
        var environment: APNsEnvironment
    }

    /// The last use and the last refusal of a credential.
    struct Use: Hashable, Sendable {
        /// The time at which the last push was sent with the credential; nil if no push was sent with it.
        var usedAt: Timestamp?
        /// The last refusal; nil if the credential was not refused.
        var refusal: Refusal?
    }

    /// An answer that refuses the credential, or its use for a push.
    struct Refusal: Hashable, Sendable {
        var at: Timestamp
        /// The status of HTTP: 401 or 403.
        var status: UInt16
        /// The provider's reason; empty if the provider gave none.
        var reason: String
    }

    private var uses: [Key: Use] = [:]
    private var pools: [Key: ServerStatistics.Pool] = [:]

    /// Adds a sample. Credentials that no app uses are forgotten.
    mutating func add(_ statistics: ServerStatistics) {
        var known: [Key: Use] = [:]
        var current: [Key: ServerStatistics.Pool] = [:]
        for pool in statistics.pools {
            let key = Key(credential: pool.credential, environment: pool.environment)
            let before = pools[key]
            var use = uses[key] ?? Use()
            if pool.attempts > before?.attempts ?? 0 { use.usedAt = statistics.at }
            if let answer = Self.refusal(in: pool, since: before) {
                use.refusal = Refusal(at: statistics.at, status: answer.status, reason: answer.reason)
            }
            known[key] = use
            current[key] = pool
        }
        uses = known
        pools = current
    }

    /// Returns the most frequent refusal since a sample; nil if no push was refused.
    private static func refusal(
        in pool: ServerStatistics.Pool, since before: ServerStatistics.Pool?
    ) -> ServerStatistics.AnswerCount? {
        let refusals = pool.answers.compactMap { answer -> ServerStatistics.AnswerCount? in
            guard answer.status == 401 || answer.status == 403 else { return nil }
            let old = before?.answers.first { ($0.status, $0.reason) == (answer.status, answer.reason) }?.count ?? 0
            guard answer.count > old else { return nil }
            var growth = answer
            growth.count -= old
            return growth
        }
        return refusals.max { ($0.count, $1.reason) < ($1.count, $0.reason) }
    }

    /// Returns the last use and the last refusal of a credential in an environment; nil if no app uses it.
    func use(of credential: String, _ environment: APNsEnvironment) -> Use? {
        uses[Key(credential: credential, environment: environment)]
    }

    /// Appends all uses as a JSON array.
    func append(to output: inout JSONStreamWriter) {
        let sorted = uses.sorted {
            ($0.key.credential, $0.key.environment.rawValue) < ($1.key.credential, $1.key.environment.rawValue)
        }
        output.array { output in
            for (key, use) in sorted {
                output.object { output in
                    output.member("credential", key.credential)
                    output.member("environment", key.environment.name)
                    if let usedAt = use.usedAt { output.member("used_at", usedAt.milliseconds) }
                    guard let refusal = use.refusal else { return }
                    output.member("refused_at", refusal.at.milliseconds)
                    output.member("status", refusal.status)
                    output.member("reason", refusal.reason)
                }
            }
        }
    }
}
