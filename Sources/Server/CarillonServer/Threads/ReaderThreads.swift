import CarillonClock
import CarillonCore
import Glibc
import NIOPosix
import Synchronization

/// Threads for reads that may take longer than an event loop can wait. Principals take turns. The reads of one
/// principal never take all threads; if there is only one thread, it serves all principals.
final class ReaderThreads: Sendable {
    /// A read; its argument is false if the server ends and nothing must be read.
    typealias ReadOperation = @Sendable (_ isActive: Bool) -> Void

    /// The state that a thread keeps of its reads.
    private final class State: Sendable {
        let pause = Mutex(ReaderPause())
    }

    private let threads: NIOThreadPool
    private let prepare: @Sendable () -> Void
    private let uptimeNanoseconds: @Sendable () -> UInt64
    private let takePause: @Sendable () -> Void
    /// The state of each thread that is prepared.
    private let threadState = ThreadSpecificVariable<State>()
    private let queue: Mutex<RoundRobinQueue<ReadOperation>>

    /// Starts the threads; there must be at least one.
    ///
    /// - Parameters:
    ///   - prepare: is called on each thread before the first read.
    ///   - pause: waits for the time of a pause; see ``ReaderPause``.
    init(
        threads count: Int, prepare: @escaping @Sendable () -> Void = {},
        uptimeNanoseconds: @escaping @Sendable () -> UInt64 = Clock.uptimeNanoseconds,
        pause: @escaping @Sendable () -> Void = { usleep(UInt32(ReaderPause.pauseNanoseconds / 1_000)) }
    ) {
        threads = NIOThreadPool(numberOfThreads: count)
        queue = Mutex(RoundRobinQueue(maximumRunning: count - 1))
        self.prepare = prepare
        self.uptimeNanoseconds = uptimeNanoseconds
        takePause = pause
        threads.start()
    }

    var waitingCount: Int { queue.withLock { $0.count } }

    /// Runs a read in the turn of its principal. `read` is called exactly once.
    func submit(for principal: String, _ read: @escaping ReadOperation) {
        queue.withLock { $0.append(read, of: principal) }
        wake()
    }

    /// Ends the threads. Reads that wait are called with `isActive` false.
    func shutDown() async throws {
        try await threads.shutdownGracefully()
        for read in queue.withLock({ $0.removeAll() }) { read(false) }
    }

    private func wake() {
        threads.submit { [self] state in
            guard case .active = state else {
                for read in queue.withLock({ $0.removeAll() }) { read(false) }
                return
            }
            guard let (read, principal) = queue.withLock({ $0.begin() }) else { return }
            let thread = preparedThread()
            let begin = uptimeNanoseconds()
            read(true)
            // The principal has its turn until the end of the pause: another thread does not go on for it.
            let end = uptimeNanoseconds()
            let othersWait = waitingCount > 0
            let mustPause = thread.pause.withLock {
                $0.countRead(fromNanoseconds: begin, toNanoseconds: end, othersWait: othersWait)
            }
            if mustPause { takePause() }
            queue.withLock { $0.pieceEnded(of: principal) }
            // While this read ran, other threads may have passed over the next read of this principal.
            wake()
        }
    }

    /// Returns the state of the calling thread, which is prepared.
    private func preparedThread() -> State {
        if let state = threadState.currentValue { return state }
        prepare()
        let state = State()
        threadState.currentValue = state
        return state
    }
}
