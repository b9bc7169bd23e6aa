import Foundation
import Synchronization

/// The signals SIGINT (Control-C) and SIGTERM while a command runs: the first ones ask it to end, the next one ends the
/// process.
///
/// A program has one at a time. From the end of `init` on no signal is lost: the handler is installed there and not by
/// a queue that comes later.
package final class Interruption: Sendable {
    /// The time after which a wait looks at the count again.
    private static let interval = Duration.milliseconds(50)

    /// The values that the handler of the signals reads and writes. A handler may use atomic numbers, but no lock and
    /// no memory of the heap.
    private enum HandlerValues {
        static let count = Atomic(0)
        static let limit = Atomic(0)
    }

    /// Installs the handler.
    ///
    /// - Parameter limit: the number of signals that only ask the command to end.
    package init(atMost limit: Int = 1) {
        // The first use of these makes them; a handler must not.
        HandlerValues.count.store(0, ordering: .relaxed)
        HandlerValues.limit.store(limit, ordering: .relaxed)
        for number in [SIGINT, SIGTERM] {
            signal(number) { number in
                let count = HandlerValues.count.add(1, ordering: .relaxed).newValue
                if count >= HandlerValues.limit.load(ordering: .relaxed) { signal(number, SIG_DFL) }
            }
        }
    }

    /// The number of signals that have come.
    package var count: Int { HandlerValues.count.load(ordering: .relaxed) }

    package var hasOccurred: Bool { count > 0 }

    /// Sleeps for a duration, or until a signal comes.
    package func sleep(for duration: Duration) async throws {
        let end = ContinuousClock.now + duration
        while !hasOccurred, ContinuousClock.now < end {
            try await Task.sleep(for: min(Self.interval, ContinuousClock.now.duration(to: end)))
        }
    }

    /// Returns the result of `body`, or nil if a signal comes earlier; `body` is cancelled then.
    package func unlessInterrupted<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result? {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                while !self.hasOccurred { try await Task.sleep(for: Self.interval) }
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    deinit {
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    }
}
