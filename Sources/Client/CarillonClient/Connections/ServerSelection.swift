import CarillonCore

/// Chooses the next address to try (`Protocol/clients/CONTRACT.md`, ADR and CRED). It knows no sockets and no clock.
struct ServerSelection: Sendable {
    /// The state of one address.
    private struct Server {
        /// The time before which the address is not tried.
        var notBefore: Uptime = 0
        /// The server's refusal of this client; nil if there is none.
        var refusal: Refusal?
    }

    /// An answer of a server that refuses this client.
    private struct Refusal {
        var error: CarillonError
        /// The key that was refused; nil if the client had none.
        var key: [UInt8]?
        /// The time at which the address is tried again.
        var until: Uptime
    }

    /// The address to try now, or why none is tried.
    enum Choice: Hashable {
        /// The address of this index.
        case address(Int)
        /// No address before that time.
        case wait(until: Uptime)
        /// No address, because all refuse this client; with the error of the first one.
        case refused(CarillonError)
    }

    private let backoff: FailureBackoff
    private let refusalPauseMilliseconds: UInt64
    private var servers: [Server]
    private var lastConnected: Int?
    /// The addresses of this round that are still to be tried.
    private var round: [Int] = []
    /// The number of rounds in a row without a connection that has worked.
    private(set) var failedRounds = 0
    private var pauseUntil: Uptime = 0
    private var isRoundOver = true
    /// The reasons why the attempts of the last round, or of this one, have failed.
    private(set) var causes: [String] = []
    /// The error of the last attempt that has failed; nil once a connection has worked.
    private(set) var lastError: CarillonError?

    init(count: Int, backoff: FailureBackoff, refusalPauseMilliseconds: UInt64) {
        servers = Array(repeating: Server(), count: count)
        self.backoff = backoff
        self.refusalPauseMilliseconds = refusalPauseMilliseconds
    }

    /// The first of the refusals in the order of the list; nil if no address refuses.
    var firstRefusal: CarillonError? { servers.lazy.compactMap { $0.refusal?.error }.first }

    var areAllRefused: Bool { servers.allSatisfy { $0.refusal != nil } }

    func isRefused(_ index: Int) -> Bool { servers[index].refusal != nil }

    /// Returns the earliest time at which an address can be tried; a time in the past means now.
    func nextTime() -> Uptime {
        let times = servers.map { $0.refusal.map(\.until) ?? max($0.notBefore, pauseUntil) }
        return times.min() ?? 0
    }

    /// Ends the refusals of keys other than the one that is used now.
    mutating func liftRefusals(key: [UInt8]?) {
        for index in servers.indices {
            guard let refusal = servers[index].refusal else { continue }
            if refusal.error.code == .authenticationFailed, refusal.key != key { servers[index].refusal = nil }
        }
    }

    /// Chooses the address of the next attempt. Refusals whose time has passed end.
    mutating func next(at now: Uptime) -> Choice {
        for index in servers.indices {
            if let refusal = servers[index].refusal, now >= refusal.until { servers[index].refusal = nil }
        }
        if areAllRefused, let first = servers.compactMap(\.refusal).min(by: { $0.until < $1.until }) {
            return .refused(first.error)
        }
        if now < pauseUntil { return .wait(until: nextTime()) }
        round = round.filter { isAvailable($0, at: now) }
        if round.isEmpty {
            let start = lastConnected.map { $0 + 1 } ?? 0
            round = servers.indices.map { (start + $0) % servers.count }.filter { isAvailable($0, at: now) }
        }
        guard !round.isEmpty else { return .wait(until: nextTime()) }
        if isRoundOver { causes = [] }
        isRoundOver = false
        return .address(round.removeFirst())
    }

    private func isAvailable(_ index: Int, at now: Uptime) -> Bool {
        servers[index].refusal == nil && servers[index].notBefore <= now
    }

    mutating func connectionOpened(_ index: Int) {
        lastConnected = index
    }

    /// Records that a connection has worked: whatever ends it, the next round begins without a pause.
    mutating func connectionWorked() {
        failedRounds = 0
        round = []
        causes = []
        lastError = nil
        isRoundOver = true
        pauseUntil = 0
    }

    /// Records the failure of an attempt to connect, or of a connection that had not worked. Returns true if it was the
    /// last of its round.
    mutating func connectionFailed(
        _ index: Int, with error: CarillonError, cause: String, at now: Uptime,
        using generator: inout some RandomNumberGenerator
    ) -> Bool {
        causes.append(cause)
        lastError = error
        round = round.filter { isAvailable($0, at: now) }
        guard round.isEmpty else { return false }
        failedRounds += 1
        isRoundOver = true
        pauseUntil = now + backoff.pauseMilliseconds(afterFailures: failedRounds, using: &generator)
        return true
    }

    /// Records that an address refuses this client with this key.
    mutating func refuse(_ index: Int, with error: CarillonError, key: [UInt8]?, at now: Uptime) {
        var error = error
        error.effect = .notExecuted
        error.retryAfter = nil
        servers[index].refusal = Refusal(error: error, key: key, until: now + refusalPauseMilliseconds)
    }

    /// Lets an address rest for `milliseconds`.
    mutating func delay(_ index: Int, milliseconds: UInt64, at now: Uptime) {
        servers[index].notBefore = max(servers[index].notBefore, now + milliseconds)
    }
}
