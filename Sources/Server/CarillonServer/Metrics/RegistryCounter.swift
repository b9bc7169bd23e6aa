import CarillonClock
import CarillonCore
import NIOPosix
import Synchronization

/// The numbers of devices, groups and topics of each app. A count reads all names. So it is made on a thread of
/// `upkeep`, only when a client or the metrics ask, and for at most 2 % of the time.
final class RegistryCounter: Sendable {
    /// How long a count is cached at least, in milliseconds. A slow count is cached longer: `costFactor` times as long
    /// as it took.
    private static let cacheMilliseconds: UInt64 = 5_000
    private static let costFactor: UInt64 = 50

    /// A handler of a count, which is nil if it could not be made.
    typealias CountsHandler = @Sendable (ServerStatistics.RegistryCounts?) -> Void

    private struct State {
        var latest: ServerStatistics.RegistryCounts?
        /// The uptime until which `latest` is cached.
        var freshUntil: Uptime = 0
        var isCounting = false
        /// The callers that wait for the first count.
        var waiting: [CountsHandler] = []
    }

    private let registry: any StatisticsReads
    private let state = Mutex(State())
    private let threads: NIOThreadPool

    /// Makes a counter that has not counted yet.
    ///
    /// - Parameter threads: where it counts.
    init(_ registry: any StatisticsReads, on threads: NIOThreadPool) {
        self.registry = registry
        self.threads = threads
    }

    /// Gives the latest count, and begins a new one if it is old. Before the first count, waits for it.
    func fetchCounts(_ handler: @escaping CountsHandler) {
        let latest = state.withLock { state in
            if state.latest == nil { state.waiting.append(handler) }
            return state.latest
        }
        countIfOld()
        if let latest { handler(latest) }
    }

    /// The latest count, without waiting; nil until the first is made. Begins a new one if it is old.
    var latestCounts: ServerStatistics.RegistryCounts? {
        countIfOld()
        return state.withLock { $0.latest }
    }

    private func countIfOld() {
        let now = Clock.uptime()
        let begins = state.withLock { state in
            guard !state.isCounting, now >= state.freshUntil else { return false }
            state.isCounting = true
            return true
        }
        if begins { threads.submit { [self] _ in count() } }
    }

    private func count() {
        let began = Clock.now()
        // Why try?: a registry that has failed reports that itself; the last counts stay.
        let counted = try? registry.registryCounts()
        let now = Clock.uptime()
        let (latest, waiting) = state.withLock { state in
            state.isCounting = false
            state.freshUntil = now + max(Self.cacheMilliseconds, (now - began.uptime) * Self.costFactor)
            if let counted { state.latest = ServerStatistics.RegistryCounts(at: began.wall, apps: counted) }
            defer { state.waiting = [] }
            return (state.latest, state.waiting)
        }
        for answer in waiting { answer(latest) }
    }
}
