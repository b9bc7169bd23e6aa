import Foundation
import Testing

@testable import CarillonThread

/// A thread of the system: its name, its body, and what it holds.
struct SystemThreadTests {
    /// Runs a body on a thread with that name, and returns all that it yields.
    private func yielded(
        onThread name: String, _ body: @escaping @Sendable () -> String
    ) async throws -> [String] {
        let (texts, continuation) = AsyncStream.makeStream(of: String.self)
        try SystemThread.start(named: name) {
            continuation.yield(body())
            continuation.finish()
        }
        return await texts.reduce(into: []) { $0.append($1) }
    }

    @Test func `the body runs once on its thread`() async throws {
        #expect(try await yielded(onThread: "test") { "once" } == ["once"])
    }

    @Test func `the thread has its name`() async throws {
        let names = try await yielded(onThread: "a name") {
            (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
        }
        #expect(names == ["a name\n"])
    }

    @Test func `what the body holds is released with its thread`() async throws {
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

    @Test func `a refusal names the reason of the system`() {
        let text = "the system has no thread: Resource temporarily unavailable"
        #expect(SystemThread.StartError(code: 11).description == text)
    }
}
