import CarillonCluster
import CarillonCore
import Testing

@testable import CarillonPostgreSQL

/// The times at which the end of the log is polled for a call that waits for entries, in milliseconds. A poll is
/// repeated after 250 with notifications and after 20 without, and entries are gathered for 10.
struct EntryWaitTests {
    private var wait = EntryWait(polling: PostgreSQLLog.Polling())
    /// The session for reads, which has notifications.
    private let session: Int32 = 7

    /// Begins a call at the end of the log, which is position 5.
    private mutating func beginCall(deadline: Uptime = 10_000, notifyingSession: Int32?) {
        _ = wait.begin(after: 5, deadline: deadline, notifyingSession: notifyingSession) { _ in }
    }

    /// Makes the poll that is due, and returns true if the call ends with the head that it finds.
    private mutating func poll(at now: Uptime, head: LogPosition = 5, notifyingSession: Int32?) -> Bool {
        guard wait.beginPoll(at: now) != nil else {
            Issue.record("no poll is due at \(now)")
            return false
        }
        let page = LogPage(ends: LogEnds(head: head, trimmed: 0))
        return wait.pollEnded(.success(page), since: now, at: now, notifyingSession: notifyingSession) != nil
    }

    @Test mutating func `a poll without entries is repeated soon without notifications`() {
        beginCall(notifyingSession: nil)
        #expect(!poll(at: 1_000, notifyingSession: nil))
        #expect(wait.pollTime == 1_020)
    }

    @Test mutating func `a poll without entries is repeated late with notifications`() {
        beginCall(notifyingSession: session)
        #expect(!poll(at: 1_000, notifyingSession: session))
        #expect(wait.pollTime == 1_250)
    }

    @Test mutating func `a notification makes a poll due at once`() {
        beginCall(notifyingSession: session)
        #expect(!poll(at: 1_000, notifyingSession: session))
        wait.notified()
        #expect(wait.beginPoll(at: 1_001) != nil)
    }

    /// The entry may be later than those that the poll has seen.
    @Test mutating func `a notification during a poll repeats the poll at once`() {
        beginCall(notifyingSession: session)
        _ = wait.beginPoll(at: 1_000)
        wait.notified()
        let page = LogPage(ends: LogEnds(head: 5, trimmed: 0))
        #expect(wait.pollEnded(.success(page), since: 1_000, at: 1_001, notifyingSession: session) == nil)
        #expect(wait.pollTime == 1_001)
    }

    @Test mutating func `after an entry further entries are gathered`() {
        beginCall(notifyingSession: session)
        #expect(poll(at: 1_000, head: 6, notifyingSession: session))
        beginCall(notifyingSession: session)
        #expect(wait.pollTime == 1_010)
    }

    @Test mutating func `a new call at the end of the log need not poll again`() {
        beginCall(notifyingSession: session)
        #expect(poll(at: 10_000, notifyingSession: session), "the deadline has come")
        beginCall(deadline: 20_000, notifyingSession: session)
        #expect(wait.pollTime == 10_250)
    }

    @Test mutating func `a new call polls at once after the session has changed`() {
        beginCall(notifyingSession: session)
        #expect(poll(at: 10_000, notifyingSession: session))
        beginCall(deadline: 20_000, notifyingSession: session + 1)
        #expect(wait.pollTime == 0)
    }

    @Test mutating func `an entry of this node ends no wait`() {
        beginCall(notifyingSession: session)
        wait.appended(at: 6)
        #expect(!poll(at: 1_000, head: 6, notifyingSession: session))
    }

    @Test mutating func `a failure of a poll ends the call`() {
        beginCall(notifyingSession: session)
        _ = wait.beginPoll(at: 1_000)
        let failure = LogError.unavailable(.none, "no connection")
        #expect(wait.pollEnded(.failure(failure), since: 1_000, at: 1_001, notifyingSession: nil) != nil)
        #expect(wait.call == nil)
    }
}
