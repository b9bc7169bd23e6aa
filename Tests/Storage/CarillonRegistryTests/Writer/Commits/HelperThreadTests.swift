import CarillonCore
import Testing

@testable import CarillonRegistry

/// A thread that does one task after the other.
struct HelperThreadTests {
    private let queue = WriteQueue(options: LMDBRegistry.Options())

    @Test func `each task has its result`() throws {
        let helper = try HelperThread<Int, Int>(named: "test", .append, of: queue) { .success($0 * 2) }
        for number in 1...100 {
            #expect(!helper.isUnderWay)
            helper.begin(number)
            #expect(helper.isUnderWay)
            #expect(try helper.takeOutput() == number * 2)
            #expect(!helper.isDone)
        }
        helper.stop()
    }

    @Test func `the failure of a task is thrown or ignored`() throws {
        let helper = try HelperThread<Int, Int>(named: "test", .append, of: queue) { _ in
            .failure(.storageFailed("below zero"))
        }
        helper.begin(-1)
        #expect(throws: RegistryError.storageFailed("below zero")) { try helper.takeOutput() }
        helper.begin(-1)
        helper.waitIfUnderWay()
        #expect(!helper.isUnderWay)
        helper.waitIfUnderWay()
        helper.stop()
    }

    @Test func `the queue tells that a task has ended`() throws {
        let helper = try HelperThread<Int, Int>(named: "test", .sync, of: queue) { .success($0) }
        for number in 1...100 {
            helper.begin(number)
            #expect(queue.waitForEndOrReads(of: .sync) == .taskEnded)
            #expect(helper.isDone)
            #expect(try helper.takeOutput() == number)
        }
        helper.stop()
    }

    @Test func `the values that a task holds are released when the thread stops`() throws {
        final class Held: Sendable {}
        var held: Held? = Held()
        weak let released = held
        let helper = try HelperThread<Int, Bool>(named: "test", .append, of: queue) { [held] _ in .success(held != nil)
        }
        held = nil
        helper.begin(1)
        #expect(try helper.takeOutput())
        helper.stop()
        #expect(released == nil)
    }

    @Test func `a second task at a time traps`() async {
        await #expect(processExitsWith: .failure) {
            let helper = try HelperThread<Int, Int>(named: "test", .append, of: WriteQueue(options: .init())) {
                .success($0)
            }
            helper.begin(1)
            helper.begin(2)
        }
    }

    /// The thread would wait for ever.
    @Test func `ending a task that was not begun traps`() async {
        await #expect(processExitsWith: .failure) {
            let helper = try HelperThread<Int, Int>(named: "test", .append, of: WriteQueue(options: .init())) {
                .success($0)
            }
            _ = try helper.takeOutput()
        }
    }
}
