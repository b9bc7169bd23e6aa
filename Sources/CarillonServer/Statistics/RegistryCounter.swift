import CarillonCore
import CarillonTransport
import NIOPosix
import Synchronization

/// Counts devices, groups and topics of each app. That goes through all names, so it is done on a thread of its own, when
/// somebody asks, and so rarely that it costs no more than one second in fifty.
final class RegistryCounter: Sendable {
    /// A count is good for at least so long, in milliseconds; and for `costFactor` times what it took.
    private static let freshness: UInt64 = 5_000
    private static let costFactor: UInt64 = 50

    /// Told of a count; nil if it could not be made.
    typealias Answer = @Sendable (ServerStatistics.RegistryCounts?) -> Void

    private struct State {
        var latest: ServerStatistics.RegistryCounts?
        /// Uptime until which it is good.
        var freshUntil: UInt64 = 0
        var isCounting = false
        /// Those who asked before there was any.
        var waiting: [Answer] = []
    }

    private let registry: any Registry
    private let state = Mutex(State())

    init(_ registry: any Registry) {
        self.registry = registry
    }

    /// Tells the latest count, and has it renewed if it is old; the first one is waited for.
    func latest(_ answer: @escaping Answer) {
        let now = Clock.now().uptimeMilliseconds
        let (latest, begins) = state.withLock { state in
            let begins = !state.isCounting && now >= state.freshUntil
            state.isCounting = state.isCounting || begins
            if state.latest == nil { state.waiting.append(answer) }
            return (state.latest, begins)
        }
        if begins { NIOThreadPool.singleton.submit { [self] _ in count() } }
        if let latest { answer(latest) }
    }

    private func count() {
        let began = Clock.now()
        let counted = try? registry.registryCounts()
        let now = Clock.now().uptimeMilliseconds
        let (latest, waiting) = state.withLock { state in
            state.isCounting = false
            state.freshUntil = now + max(Self.freshness, (now - began.uptimeMilliseconds) * Self.costFactor)
            if let counted { state.latest = ServerStatistics.RegistryCounts(at: began.wall, apps: counted) }
            defer { state.waiting = [] }
            return (state.latest, state.waiting)
        }
        for answer in waiting { answer(latest) }
    }
}
