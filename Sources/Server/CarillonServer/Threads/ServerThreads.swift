import CarillonTransport
import Glibc
import Logging
import NIOCore
import NIOPosix

/// The threads of the server, divided by how long their work may take. The registry, the metrics port and the HTTP
/// ports start their own.
///
/// On a machine that is busy with a fan-out, an interactive push would wait some milliseconds for a thread, and again
/// for a processor. So bulk has threads of its own, and these yield to all others.
struct ServerThreads: Sendable {
    /// Event loops for short work that a client or a user waits for: sessions, timers, connections to APNs and FCM of
    /// the interactive lane.
    let interactive: MultiThreadedEventLoopGroup
    /// Event loops for connections to APNs and FCM that carry bulk.
    let bulk: MultiThreadedEventLoopGroup
    /// Event loops for connections to the push services of browsers. A push to a browser is encrypted for that browser,
    /// which takes a hundred times as long as sending it. So these loops carry nothing else, and yield like the loops
    /// of bulk.
    let browsers: MultiThreadedEventLoopGroup
    /// The processor times of the threads of `bulk`.
    let bulkTimes: EventLoopTimes
    /// The processor times of the threads of `browsers`.
    let browserTimes: EventLoopTimes
    /// One thread that reads the outbox and the pages of audiences. It serves both lanes, so it does not yield.
    let deliveryReads: NIOThreadPool
    /// Two threads for reads of clients that may take long. They yield like the threads of bulk.
    let longReads: ReaderThreads
    /// One thread for reads of events: a subscriber to events does not wait for long reads.
    let eventReads: ReaderThreads
    /// Two threads for upkeep: sweeps, counts of the registry, and the wait for the last changes of a node that leaves
    /// its cluster.
    let upkeep: NIOThreadPool

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - clientThreads: the number of threads of `interactive`, and of `bulk`.
    ///   - bulkNiceness: the niceness with which the threads of `bulk`, `browsers` and `longReads` yield, 0 to 19.
    ///   - logger: gets a warning if `bulk` cannot yield.
    init(clientThreads: Int, bulkNiceness: Int, logger: Logger) {
        interactive = MultiThreadedEventLoopGroup(numberOfThreads: clientThreads)
        bulk = MultiThreadedEventLoopGroup(numberOfThreads: clientThreads)
        browsers = MultiThreadedEventLoopGroup(numberOfThreads: max(1, clientThreads / 2))
        bulkTimes = EventLoopTimes(of: bulk)
        browserTimes = EventLoopTimes(of: browsers)
        deliveryReads = NIOThreadPool(numberOfThreads: 1)
        // A long read yields to a request that is waited for.
        longReads = ReaderThreads(threads: 2) { _ = Self.lowerPriority(by: bulkNiceness) }
        eventReads = ReaderThreads(threads: 1)
        upkeep = NIOThreadPool(numberOfThreads: 2)
        deliveryReads.start()
        upkeep.start()
        guard bulkNiceness > 0 else { return }
        for loop in browsers.makeIterator() { loop.execute { _ = Self.lowerPriority(by: bulkNiceness) } }
        for (index, loop) in bulk.makeIterator().enumerated() {
            loop.execute {
                let error = Self.lowerPriority(by: bulkNiceness)
                guard error != 0, index == 0 else { return }
                logger.warning(
                    "bulk.niceness has no effect: interactive pushes wait longer while a fan-out runs",
                    metadata: ["error": "\(String(cString: strerror(error)))"])
            }
        }
    }

    /// Ends the threads; nothing runs on them afterwards. Throws the first error that occurs.
    func shutDown() async throws {
        let ends: [() async throws -> Void] = [
            upkeep.shutdownGracefully, deliveryReads.shutdownGracefully, longReads.shutDown, eventReads.shutDown,
            bulk.shutdownGracefully, browsers.shutdownGracefully, interactive.shutdownGracefully,
        ]
        var failure: (any Error)?
        // If one group does not end, the others are ended all the same.
        for end in ends {
            do { try await end() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Sets the niceness of the calling thread; returns the error number, 0 for none.
    private static func lowerPriority(by niceness: Int) -> Int32 {
        // On Linux it affects the calling thread only, unlike in POSIX: setpriority(2). More niceness needs no
        // privilege, but a filter of system calls can forbid it.
        let result = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Int32(niceness))
        return result == 0 ? 0 : errno
    }
}
