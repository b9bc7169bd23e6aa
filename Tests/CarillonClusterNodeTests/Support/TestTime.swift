import CarillonCluster
import CarillonClusterTestKit
import CarillonCore
import CarillonThread
import NIOPosix
import Synchronization

@testable import CarillonClusterNode

/// The time of the nodes of a test, and waiting for what they do.
///
/// With a simulated log database it is virtual: it passes only while the test waits, faster than real time, and stands
/// still while a writer applies entries. So a lease costs no waiting, and a busy machine ends none. With PostgreSQL it
/// is the time of the machine.
final class TestTime: Sendable {
    /// How often a test waits in vain for a condition, at most: a minute. A machine that stands still does not count.
    private static let maximumWaits = 60_000
    /// Milliseconds of virtual time that pass in a step, and of real time for which a step waits for other threads.
    private static let (virtualStep, realStep) = (20 as UInt64, 1 as UInt64)

    private let database: SimulatedLogDatabase?
    private let news = ConditionLock()
    /// Each says whether time must stand still for a replica.
    private let writers = Mutex<[@Sendable () -> Bool]>([])

    init(_ deployment: any LogDeployment) { database = (deployment as? SimulatedDeployment)?.database }

    /// The leases of the nodes: the usual ones, or such as a busy machine keeps, and that cost little waiting.
    var leases: LeaseTimes {
        database == nil
            ? LeaseTimes(leaseMilliseconds: 6_000, marginMilliseconds: 400, renewalMilliseconds: 200) : LeaseTimes()
    }

    /// A busy machine must not look like a log database that is away; tests that need one that is wait for it.
    var calls: NodeLoop.Times {
        var times = NodeLoop.Times()
        if database == nil { times.controlMilliseconds = 3_000 }
        return times
    }

    /// Runs the jobs of a new node.
    func executor() -> any NodeExecutor {
        if let database { return VirtualExecutor(database: database, time: self) }
        return EventLoopExecutor(MultiThreadedEventLoopGroup.singleton.next())
    }

    /// Time is to stand still while a condition is true. It is asked in no job.
    func standsStill(while condition: @escaping @Sendable () -> Bool) { writers.withLock { $0.append(condition) } }

    /// Ends a wait early: another thread has done something.
    func tellNews() { news.withLock { news.signalAll() } }

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

    /// Lets something happen, or waits for it.
    ///
    /// - Returns: false if it has waited in vain.
    private func pass() -> Bool {
        guard let database else { return news.withLock { waitForNews() } }
        if database.hasDueEvent {
            database.advance(by: 0)
            return true
        }
        if news.withLock({ database.hasDueEvent || waitForNews() }) { return true }
        if !writers.withLock({ $0 }).contains(where: { $0() }) { database.advance(by: Self.virtualStep) }
        return false
    }

    /// Returns true if another thread has done something.
    private func waitForNews() -> Bool { news.wait(until: .init(afterMilliseconds: Self.realStep)) }
}

/// Runs the jobs of a node in the virtual time of its log database.
private struct VirtualExecutor: NodeExecutor {
    let database: SimulatedLogDatabase
    let time: TestTime

    var now: Uptime { database.now }

    func execute(_ job: @escaping @Sendable () -> Void) {
        database.execute(after: 0, job)
        time.tellNews()
    }

    func execute(after milliseconds: UInt64, _ job: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let isCancelled = Flag()
        database.execute(after: milliseconds) { if !isCancelled.isSet { job() } }
        return { isCancelled.set() }
    }
}
