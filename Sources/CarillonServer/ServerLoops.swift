import NIOCore
import NIOPosix

#if canImport(Glibc)
import Glibc
#endif

/// The threads that work is done on, apart by who waits for it.
///
/// On a machine that is busy with a fan-out a person's push would wait for a thread and then for a processor, each time some
/// milliseconds. So what sends bulk has threads of its own, and these give way to all others.
struct ServerLoops: Sendable {
    /// For what somebody waits for, all of it short: sessions, timers, and connections to APNs of the interactive lane.
    let prompt: MultiThreadedEventLoopGroup
    /// For connections to APNs that carry bulk.
    let bulk: MultiThreadedEventLoopGroup
    /// One thread that reads the outbox and the pages of audiences, of both lanes: so it gives way to nobody.
    let pages: NIOThreadPool
    /// One thread that reads what clients ask for, where that may take long.
    let listings: NIOThreadPool

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - threads: of `prompt`, and of `bulk`.
    ///   - bulkNiceness: how far `bulk` gives way, 0 to 19.
    init(threads: Int, bulkNiceness: Int) {
        prompt = MultiThreadedEventLoopGroup(numberOfThreads: threads)
        bulk = MultiThreadedEventLoopGroup(numberOfThreads: threads)
        pages = NIOThreadPool(numberOfThreads: 1)
        listings = NIOThreadPool(numberOfThreads: 1)
        pages.start()
        listings.start()
        for loop in bulk.makeIterator() { loop.execute { Self.giveWay(bulkNiceness) } }
    }

    /// Ends the threads; nothing runs on them afterwards.
    func shutDown() async throws {
        try await pages.shutdownGracefully()
        try await listings.shutdownGracefully()
        try await bulk.shutdownGracefully()
        try await prompt.shutdownGracefully()
    }

    /// Lets the thread that calls it give way to those with a smaller number.
    private static func giveWay(_ niceness: Int) {
        #if os(Linux)
        // Of the calling thread only, against POSIX: setpriority(2). More niceness is always allowed.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Int32(niceness))
        #endif
    }
}
