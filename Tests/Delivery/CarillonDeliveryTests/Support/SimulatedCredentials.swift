import CarillonCore

/// The credentials that a provider refuses in a simulation, and what the engine may still hand out for them. Once it
/// knows of a refusal, it hands out one delivery at a time; after the second refusal, only when a minute has passed.
struct SimulatedCredentials {
    /// The deliveries of an app over a pool.
    struct Use: Hashable {
        var pool: PoolKey
        var app: AppID
    }

    /// The knowledge of the engine about a refusal.
    private struct Knowledge {
        /// The time at which a delivery that was handed out with that knowledge was refused; nil if none was.
        var trialRefusedAt: Uptime?
        /// The delivery that was handed out with that knowledge and has not come back.
        var trial: SimulatedRegistry.RecipientKey?
    }

    private static let minimumPause: UInt64 = 60_000

    /// The apps and pools whose credential the provider refuses.
    private var refused: Set<Use> = []
    private var known: [Use: Knowledge] = [:]
    /// The pools whose connections the provider has ended because of the credential.
    private var endedByProvider: Set<PoolKey> = []

    func accepts(_ use: Use) -> Bool { !refused.contains(use) }

    /// Changes the mind of the provider about a credential.
    mutating func toggle(_ use: Use) { refused.formSymmetricDifference([use]) }

    /// Lets the provider accept every credential from now on; the engine is not told.
    mutating func acceptAll() { refused = [] }

    /// Records that a connection of the pool was ended because of the credential.
    mutating func connectionEnded(of pool: PoolKey) { endedByProvider.insert(pool) }

    /// Forgets what the engine knew of a pool, or of all of them (nil), because it has forgotten it.
    mutating func forget(_ pool: PoolKey? = nil) {
        known = known.filter { pool != nil && $0.key.pool != pool }
    }

    /// Records a delivery that is handed out; returns the reason why it must not be, or nil.
    mutating func handedOut(_ key: SimulatedRegistry.RecipientKey, _ use: Use, at now: Uptime) -> String? {
        guard let knowledge = known[use] else { return nil }
        if let trial = knowledge.trial {
            return "\(key) is tried with a refused credential, and \(trial) is on its way"
        }
        if let at = knowledge.trialRefusedAt, now < at + Self.minimumPause {
            return "\(key) is tried \(now - at) ms after the credential was refused"
        }
        known[use]?.trial = key
        return nil
    }

    /// Takes note of a delivery that has come back.
    mutating func completed(_ key: SimulatedRegistry.RecipientKey, of use: Use, with verdict: Verdict, at now: Uptime) {
        let isTrial = known[use]?.trial == key
        if isTrial { known[use]?.trial = nil }
        switch verdict {
        case .credentialRefused:
            known[use, default: Knowledge()].trialRefusedAt = isTrial ? now : known[use]?.trialRefusedAt
        case .delivered, .refused, .tryLater(.throttled, _):
            guard isTrial || endedByProvider.contains(use.pool) else { return }
            // A trial of one app that is accepted admits a pool that was refused as a whole.
            if endedByProvider.contains(use.pool) { forget(use.pool) } else { known[use] = nil }
        case .tryLater(.serverBusy, _), .tryLater(.heldBack, _), .notProcessed, .unknown: break
        }
    }
}
