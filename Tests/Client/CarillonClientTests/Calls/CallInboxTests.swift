import Testing

@testable import CarillonClient

struct CallInboxTests {
    let inbox = CallInbox()

    private func put() -> (id: UInt64, mustWake: Bool) { inbox.put { .cancel($0) } }

    @Test func `the first command wakes the loop`() {
        #expect(put() == (1, true))
        #expect(put() == (2, false))
        #expect(inbox.take().count == 2)
        #expect(put() == (3, true))
    }

    @Test func `no command wakes the loop while it waits`() {
        #expect(inbox.holdWakes())
        #expect(put() == (1, false))
        #expect(put() == (2, false))
        #expect(inbox.take().count == 2)
        #expect(put() == (3, true))
    }

    @Test func `a loop that was woken does not wait`() {
        #expect(put().mustWake)
        #expect(!inbox.holdWakes())
    }
}
