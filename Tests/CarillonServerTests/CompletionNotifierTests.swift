import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import CarillonServer

struct AnswerPostTests {
    private let loop = EmbeddedEventLoop()
    private let post = CompletionNotifier()
    private let calls = Calls()

    /// What was called, in order.
    private final class Calls: Sendable {
        private let names = Mutex<[String]>([])

        var all: [String] { names.withLock { $0 } }

        func note(_ name: String) -> @Sendable () -> Void {
            { [self] in names.withLock { $0.append(name) } }
        }
    }

    @Test func aCallIsMadeByTheLoop() {
        post.call(loop, calls.note("one"))
        #expect(calls.all == [])
        loop.run()
        #expect(calls.all == ["one"])
    }

    @Test func callsWaitUntilTheWorkHasEnded() {
        post.hold {
            post.call(loop, calls.note("one"))
            post.call(loop, calls.note("two"))
            loop.run()
            #expect(calls.all == [])
        }
        loop.run()
        #expect(calls.all == ["one", "two"])
        post.call(loop, calls.note("three"))
        loop.run()
        #expect(calls.all == ["one", "two", "three"])
    }

    @Test func eachLoopGetsItsOwn() {
        let other = EmbeddedEventLoop()
        post.hold {
            post.call(loop, calls.note("one"))
            post.call(other, calls.note("two"))
        }
        other.run()
        #expect(calls.all == ["two"])
        loop.run()
        #expect(calls.all == ["two", "one"])
    }
}
