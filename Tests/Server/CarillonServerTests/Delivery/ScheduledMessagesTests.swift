import CarillonCore
import CarillonTestKit
import Synchronization
import Testing

@testable import CarillonServer

/// Messages that wait for their time: the registry is asked when the first is due, and not before.
struct ScheduledMessagesTests {
    /// The answers of the registry to releases, the first of them first.
    private final class Answers: Sendable {
        private let left: Mutex<[Result<ChangeAnswer, RegistryError>]>
        /// The closure that is called before each answer.
        let during = Mutex<(@Sendable () -> Void)?>(nil)

        init(_ answers: [Result<ChangeAnswer, RegistryError>]) { left = Mutex(answers) }

        func next() throws(RegistryError) -> ChangeAnswer {
            during.withLock { $0 }?()
            return try left.withLock { $0.isEmpty ? .failure(.closed) : $0.removeFirst() }.get()
        }
    }

    private let answers: Answers
    private let registry: FakeRegistry
    private let log = RecordingLog()
    private let messages: ScheduledMessages
    private let accepted = Accepted()

    private final class Accepted: Sendable {
        let ids = Mutex<[UInt64]>([])
    }

    /// Makes the messages over a registry that gives these answers.
    ///
    /// - Parameter answers: of the registry to releases.
    private init(_ answers: [Result<ChangeAnswer, RegistryError>]) {
        let answers = Answers(answers)
        self.answers = answers
        registry = FakeRegistry { _ throws(RegistryError) in try answers.next() }
        messages = ScheduledMessages(registry: registry, logger: log.logger)
    }

    init() { self.init([]) }

    /// Lets the time come; returns how often the registry was asked so far.
    private func release(at milliseconds: UInt64) -> Int {
        messages.release(at: Timestamp(milliseconds: milliseconds)) { [accepted] entry in
            accepted.ids.withLock { $0.append(entry.id.rawValue) }
        }
        return registry.changes.count
    }

    private static func released(_ id: UInt64, next: UInt64?) -> Result<ChangeAnswer, RegistryError> {
        .success(.released([ServiceHarness.message(id).outbound], next: next.map { Timestamp(milliseconds: $0) }))
    }

    @Test func `messages are released when the first is due`() {
        let test = Self([Self.released(1, next: 900), Self.released(2, next: nil)])
        #expect(test.release(at: 1_000_000) == 0, "none waits")
        for due in [700, 500, 900] as [UInt64] { test.messages.add(dueAt: Timestamp(milliseconds: due)) }
        let asked = [499, 500, 899, 900, 5_000].map { test.release(at: $0) }
        #expect(asked == [0, 1, 1, 2, 2])
        #expect(test.registry.changes == [500, 900].map { .releaseScheduled(now: Timestamp(milliseconds: $0)) })
        #expect(test.accepted.ids.withLock { $0 } == [1, 2])
    }

    @Test func `only one release runs at a time`() {
        let test = Self([Self.released(1, next: nil), Self.released(2, next: nil)])
        test.messages.add(dueAt: .zero)
        test.answers.during.withLock {
            $0 = {
                // Due during the release: it is not forgotten.
                test.messages.add(dueAt: Timestamp(milliseconds: 20))
                _ = test.release(at: 30)
            }
        }
        #expect(test.release(at: 10) == 1)
        test.answers.during.withLock { $0 = nil }
        #expect(test.release(at: 19) == 1)
        #expect(test.release(at: 20) == 2)
    }

    @Test func `a release that fails is repeated and one of a closed registry is not`() {
        let test = Self([.failure(.storageFull), Self.released(1, next: 50), .failure(.closed)])
        test.messages.add(dueAt: Timestamp(milliseconds: 10))
        let asked = [10, 11, 50, 60].map { test.release(at: $0) }
        #expect(asked == [1, 2, 3, 3])
        #expect(test.log.messages == ["warning: scheduled messages cannot be released yet"])
        #expect(test.accepted.ids.withLock { $0 } == [1])
    }
}
