import CarillonCluster
import CarillonClusterTestKit
import CarillonCore
import CarillonRegistryTestKit
import CarillonThread
import NIOPosix
import Synchronization

@testable import CarillonClusterNode

/// The time of the nodes of a test, and the waits of the test for them.
///
/// With a simulated log database it is virtual: it passes only while the test waits, faster than real time, and stands
/// still while a writer applies entries. So the test does not wait for the end of a lease, and a busy machine ends no
/// lease. With PostgreSQL it is the time of the machine.
final class TestTime: Sendable {
    /// The number of waits without an event after which a condition that is still false fails the test: about a minute
    /// of them. A pause of the whole machine counts as one wait.
    private static let maximumWaits = 60_000
    /// The milliseconds of virtual time that pass in a step.
    private static let virtualStep = 20 as UInt64
    /// The milliseconds of real time for which a step waits for other threads.
    private static let realStep = 1 as UInt64

    private let database: SimulatedLogDatabase?
    private let change = ConditionLock()
    /// The functions that each say whether time must stand still for a replica.
    private let pauses = Mutex<[@Sendable () -> Bool]>([])

    init(_ deployment: any LogDeployment) { database = (deployment as? SimulatedDeployment)?.database }

    /// The leases of the nodes: the usual ones, or leases that a busy machine keeps and that end soon.
    var leases: LeaseTimes {
        database == nil
            ? LeaseTimes(leaseMilliseconds: 6_000, marginMilliseconds: 400, renewalMilliseconds: 200) : LeaseTimes()
    }

    /// The times of calls, within which a busy machine does not look like a log database that is away. Tests that need
    /// one that is away wait for these times.
    var calls: NodeLoop.Timeouts {
        var timeouts = NodeLoop.Timeouts()
        if database == nil { timeouts.controlMilliseconds = 3_000 }
        return timeouts
    }

    /// Makes the executor of a new node, which runs its jobs.
    func executor() -> any NodeExecutor {
        if let database { return VirtualExecutor(database: database, time: self) }
        return EventLoopExecutor(MultiThreadedEventLoopGroup.singleton.next())
    }

    /// Lets no virtual time pass while a condition is true. The condition is asked in no job.
    func pause(while condition: @escaping @Sendable () -> Bool) { pauses.withLock { $0.append(condition) } }

    /// Ends a wait early, because another thread has done something.
    func tellChange() { change.withLock { change.signalAll() } }

    /// Lets time pass until a condition is true.
    func wait(until what: @autoclosure () -> String, _ condition: () throws -> Bool) throws {
        var waits = 0
        while try !condition() {
            guard waits < Self.maximumWaits else {
                throw ScenarioFailure(description: "not after \(waits) waits: \(what())")
            }
            if !pass() { waits += 1 }
        }
    }

    /// Lets the next event happen, or waits for one.
    ///
    /// - Returns: false if the wait was in vain.
    private func pass() -> Bool {
        guard let database else { return change.withLock { waitForChange() } }
        if database.hasDueEvent {
            database.advance(by: 0)
            return true
        }
        if change.withLock({ database.hasDueEvent || waitForChange() }) { return true }
        if !pauses.withLock({ $0 }).contains(where: { $0() }) { database.advance(by: Self.virtualStep) }
        return false
    }

    /// Returns true if another thread has done something in time.
    private func waitForChange() -> Bool { change.wait(until: .init(afterMilliseconds: Self.realStep)) }
}

/// An executor that runs the jobs of a node in the virtual time of its log database.
private struct VirtualExecutor: NodeExecutor {
    let database: SimulatedLogDatabase
    let time: TestTime

    var now: Uptime { database.now }

    func execute(_ job: @escaping @Sendable () -> Void) {
        database.execute(after: 0, job)
        time.tellChange()
    }

    func schedule(afterMilliseconds milliseconds: UInt64, _ job: @escaping @Sendable () -> Void) -> @Sendable () -> Void
    {
        let isCancelled = Flag()
        database.execute(after: milliseconds) { if !isCancelled.isSet { job() } }
        return { isCancelled.set() }
    }
}
