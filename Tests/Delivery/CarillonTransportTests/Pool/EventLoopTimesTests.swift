import CarillonProvider
import CarillonTransport
import NIOCore
import NIOPosix
import Testing

/// The processor times of event loops, as the kernel counts them.
struct EventLoopTimesTests {
    @Test func `the times of an event loop grow while it works`() async throws {
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let times = EventLoopTimes(of: loops)
        for loop in loops.makeIterator() { try await loop.submit {}.get() }
        #expect(times.current().count == 2)
        for loop in loops.makeIterator() {
            let before = times.current()
            // The kernel updates the times when the thread is interrupted or sleeps.
            while times.current() == before { try await loop.submit {}.get() }
        }
        try await loops.shutdownGracefully()
        #expect(times.current().isEmpty, "threads that have ended have no times")
    }
}
