import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import CarillonServer

/// Completions that run on their event loops, once the work that is measured has ended.
struct CompletionNotifierTests {
    private let loop = EmbeddedEventLoop()
    private let notifier = CompletionNotifier()
    private let calls = Calls()

    /// The names of the calls that were made, in order.
    private final class Calls: Sendable {
        private let names = Mutex<[String]>([])

        var all: [String] { names.withLock { $0 } }

        func recording(_ name: String) -> @Sendable () -> Void {
            { [self] in names.withLock { $0.append(name) } }
        }
    }

    @Test func `a completion runs on its loop`() {
        notifier.wake(loop, calls.recording("one"))
        #expect(calls.all == [])
        loop.run()
        #expect(calls.all == ["one"])
    }

    @Test func `completions wait until the work has ended`() {
        notifier.collect {
            notifier.wake(loop, calls.recording("one"))
            notifier.wake(loop, calls.recording("two"))
            loop.run()
            #expect(calls.all == [])
        }
        loop.run()
        #expect(calls.all == ["one", "two"])
        notifier.wake(loop, calls.recording("three"))
        loop.run()
        #expect(calls.all == ["one", "two", "three"])
    }

    @Test func `each loop runs its own completions`() {
        let other = EmbeddedEventLoop()
        notifier.collect {
            notifier.wake(loop, calls.recording("one"))
            notifier.wake(other, calls.recording("two"))
        }
        other.run()
        #expect(calls.all == ["two"])
        loop.run()
        #expect(calls.all == ["two", "one"])
    }
}
