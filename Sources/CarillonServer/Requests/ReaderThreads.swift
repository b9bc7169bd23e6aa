import CarillonCore
import NIOPosix
import Synchronization

/// Threads for reads that may take longer than an event loop can wait. Principals take turns, and one principal has at
/// most all threads but one; a single thread serves all of them.
final class ReaderThreads: Sendable {
    /// A read; its argument is false if the server ends and nothing must be read.
    typealias ReadOperation = @Sendable (_ isActive: Bool) -> Void

    private final class Prepared: Sendable {}

    private let threads: NIOThreadPool
    private let prepare: @Sendable () -> Void
    /// Set on the threads that are prepared.
    private let prepared = ThreadSpecificVariable<Prepared>()
    private let queue: Mutex<TurnQueue<ReadOperation>>

    /// Starts the threads; there must be at least one.
    ///
    /// - Parameter prepare: is called on each thread before the first read.
    init(threads count: Int, prepare: @escaping @Sendable () -> Void = {}) {
        threads = NIOThreadPool(numberOfThreads: count)
        queue = Mutex(TurnQueue(maximumRunning: count - 1))
        self.prepare = prepare
        threads.start()
    }

    /// The number of reads that wait.
    var waiting: Int { queue.withLock { $0.count } }

    /// Runs a read in the turn of its principal. `read` is called exactly once.
    func submit(for principal: String, _ read: @escaping ReadOperation) {
        queue.withLock { $0.append(read, of: principal) }
        wake()
    }

    /// Ends the threads; reads that wait are told so.
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
            if prepared.currentValue == nil {
                prepare()
                prepared.currentValue = Prepared()
            }
            read(true)
            queue.withLock { $0.ended(of: principal) }
            // A read of this principal may have been passed over meanwhile.
            wake()
        }
    }
}
