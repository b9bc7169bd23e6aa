import Foundation
import Testing

@testable import CarillonThread

struct SystemThreadTests {
    @Test func theBodyRunsOnceOnItsThread() async throws {
        let numbers = AsyncStream<Int> { continuation in
            do {
                try SystemThread.start(named: "test") {
                    continuation.yield(1)
                    continuation.finish()
                }
            } catch {
                continuation.finish()
            }
        }
        var seen: [Int] = []
        for await number in numbers { seen.append(number) }
        #expect(seen == [1])
    }

    @Test func theThreadHasItsName() async throws {
        let names = AsyncStream<String> { continuation in
            do {
                try SystemThread.start(named: "a name") {
                    continuation.yield((try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? "")
                    continuation.finish()
                }
            } catch {
                continuation.finish()
            }
        }
        var seen: [String] = []
        for await name in names { seen.append(name) }
        #expect(seen == ["a name\n"])
    }

    @Test func whatTheBodyHoldsIsReleasedWithItsThread() async throws {
        final class Held: Sendable {
            let released: AsyncStream<Never>.Continuation
            init(_ released: AsyncStream<Never>.Continuation) { self.released = released }
            deinit { released.finish() }
        }
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        func start(_ held: Held) throws { try SystemThread.start(named: "test") { _ = held } }
        try start(Held(continuation))
        for await _ in stream {}
    }

    @Test func aRefusalNamesTheReasonOfTheSystem() {
        let text = "the system has no thread: Resource temporarily unavailable"
        #expect(SystemThread.StartError(code: 11).description == text)
    }
}
