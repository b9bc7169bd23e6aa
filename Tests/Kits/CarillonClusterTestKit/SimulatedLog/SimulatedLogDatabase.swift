package import CarillonCluster
package import CarillonCore
import HeapModule
import Synchronization

/// A shared log in memory with a network of its own. Calls are delayed, lost on their way there or back, and overtake
/// each other. Nodes are cut off. The log database stops and starts, and its clock jumps. The same seed and the same
/// calls give the same run.
///
/// Time is virtual, in milliseconds: ``run(until:)`` and ``advance(by:)`` let it pass. Completions are called within
/// them.
// Safety: everything mutable is in `locked`.
package final class SimulatedLogDatabase: Sendable {
    /// The faults that a message may meet between a node and the log database.
    package struct Network: Sendable {
        /// The milliseconds that a message takes.
        package var delay: ClosedRange<UInt64> = 1...3
        /// The share of messages that are lost, from 0 to 1. The node notices the loss at its deadline.
        package var loss = 0.0
        /// The share of connections that break after a message was sent. The node notices at once, and the message may
        /// arrive.
        package var breaks = 0.0

        package init() {}
    }

    /// The path of one node.
    package struct Path: Sendable {
        /// True if messages of the node do not arrive.
        package var isCutThere = false
        /// True if answers do not arrive.
        package var isCutBack = false
        /// The milliseconds that answers take in addition.
        package var slownessBack: UInt64 = 0
        /// The end of the next append, once; nil for a normal end.
        package var nextAppend: AppendEnd?

        package init() {}
    }

    /// An append whose end the node does not know.
    package enum AppendEnd: Hashable, Sendable, CaseIterable {
        /// The append does not arrive.
        case lost
        /// The append is carried out, and the answer is lost.
        case applied
        /// The append arrives after everything that the node does next.
        case late
    }

    /// An event at its time: a step of the log database, and then a call of a completion.
    typealias Event = @Sendable (inout Inside) -> (@Sendable () -> Void)?

    /// An event and its time. Events of the same time happen in the order of their numbers.
    struct Scheduled: Sendable, Comparable {
        var time: UInt64
        var number: UInt64
        var event: Event

        static func < (left: Scheduled, right: Scheduled) -> Bool {
            (left.time, left.number) < (right.time, right.number)
        }

        static func == (left: Scheduled, right: Scheduled) -> Bool { left.number == right.number }
    }

    /// A call that waits for entries after a position.
    struct Waiter: Sendable {
        var number: UInt64
        var position: LogPosition
        var answer: @Sendable (inout Inside, LogPage) -> Void
    }

    /// Everything of the log database and its network that changes.
    struct Inside: Sendable {
        var state = SimulatedState()
        var network = Network()
        var random: SeededGenerator
        var now: UInt64 = 1_000
        var clockOffset: UInt64 = 0
        var scheduled = Heap<Scheduled>()
        private(set) var lastNumber: UInt64 = 0
        var paths: [Int: Path] = [:]
        /// The number of joins that each path has sent, and the number of the one that was carried out last. A join
        /// that arrives after a later one is not carried out. A real log database decides that under the lock of the
        /// head, which a join holds until it has ended.
        var joins: [Int: (sent: Int, carriedOut: Int)] = [:]
        var isDown = false
        /// The calls that wait for entries, by their path.
        var waiting: [Int: Waiter] = [:]

        /// The log database's own clock.
        var clock: UInt64 { now + clockOffset }

        mutating func schedule(after delay: UInt64, _ event: @escaping Event) {
            let number = nextNumber()
            scheduled.insert(Scheduled(time: now + delay, number: number, event: event))
        }

        /// Returns a number that no event and no waiting call has had.
        mutating func nextNumber() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }

        mutating func delay() -> UInt64 { .random(in: network.delay, using: &random) }

        mutating func happens(_ share: Double) -> Bool { random.unit() < share }

        /// Answers the calls that wait for entries, because the log has grown.
        mutating func answerWaiters() {
            for path in waiting.keys.sorted() {
                guard let waiter = waiting[path], state.headPosition > waiter.position,
                    let page = try? waitAnswer(after: waiter.position)
                else { continue }
                waiting[path] = nil
                waiter.answer(&self, page)
            }
        }

        /// Makes the answer to a call that waits for entries: in half of all cases without entries, which the node
        /// reads then.
        mutating func waitAnswer(after position: LogPosition) throws(LogError) -> LogPage {
            let ends = try state.ends()
            guard happens(0.5), let page = try? state.read(after: position, limit: ReadLimit(entries: 20)) else {
                return LogPage(ends: ends)
            }
            return page
        }
    }

    private let locked: Mutex<Inside>
    private let lastPath = Mutex(0)

    /// Makes a log database without a log.
    package init(seed: UInt64) { locked = Mutex(Inside(random: SeededGenerator(seed: seed))) }

    /// Makes a shared log through which a new node reaches the log database.
    package func log() -> SimulatedLog {
        let path = lastPath.withLock { path in
            path += 1
            return path
        }
        withInside { $0.paths[path] = Path() }
        return SimulatedLog(database: self, path: path)
    }

    func withInside<R: Sendable>(_ body: (inout Inside) -> R) -> R { locked.withLock { inside in body(&inside) } }

    // MARK: Faults

    package func setNetwork(_ network: Network) { withInside { $0.network = network } }

    /// Changes the path of one node.
    package func setPath(of log: SimulatedLog, _ change: @Sendable (inout Path) -> Void) {
        withInside { inside in
            var path = inside.paths[log.path] ?? Path()
            change(&path)
            inside.paths[log.path] = path
        }
    }

    /// Stops the log database, which then answers nothing, or starts it again with all that it had.
    package func setDown(_ isDown: Bool) { withInside { $0.isDown = isDown } }

    /// Moves the log database's clock ahead, as a failover to another machine does.
    package func jumpClock(by milliseconds: UInt64) { withInside { $0.clockOffset += milliseconds } }

    /// Changes the state of the log database, as a planted fault.
    package func changeState(_ change: @Sendable (inout SimulatedState) -> Void) { withInside { change(&$0.state) } }

    package var state: SimulatedState { withInside { $0.state } }

    /// Returns the entries after a position that are kept.
    package func entries(after position: LogPosition) -> [LogEntry] {
        withInside { $0.state.entries(after: position) }
    }

    /// True if a snapshot is complete.
    package var hasSnapshot: Bool { withInside { $0.state.hasSnapshot } }

    // MARK: Time

    /// The virtual time.
    package var now: Uptime { Uptime(milliseconds: withInside { $0.now }) }

    /// Runs a job after a virtual time, in the order of the other events of that moment.
    package func execute(after milliseconds: UInt64, _ job: @escaping @Sendable () -> Void) {
        withInside { $0.schedule(after: milliseconds) { _ in job } }
    }

    /// True if an event is due now, before more time passes.
    package var hasDueEvent: Bool {
        withInside { inside in inside.scheduled.min.map { $0.time <= inside.now } ?? false }
    }

    package func advance(by milliseconds: UInt64) {
        let end = withInside { $0.now + milliseconds }
        while step(until: end) {}
        withInside { $0.now = max($0.now, end) }
    }

    /// Lets time pass until a condition is true, or no event is left.
    package func run(until condition: () -> Bool) {
        while !condition(), step(until: .max) {}
    }

    /// Lets the next event happen. Returns false if none is due until a time.
    private func step(until end: UInt64) -> Bool {
        let completion: (@Sendable () -> Void)?? = withInside { inside in
            guard let first = inside.scheduled.min, first.time <= end else { return nil }
            let next = inside.scheduled.removeMin()
            inside.now = max(inside.now, next.time)
            return .some(next.event(&inside))
        }
        guard let completion else { return false }
        completion?()
        return true
    }
}

/// A simulated log database under test.
package struct SimulatedDeployment: LogDeployment {
    package let database: SimulatedLogDatabase

    package init(seed: UInt64) { database = SimulatedLogDatabase(seed: seed) }

    package func log() throws -> any SharedLog { database.log() }

    package func run(until condition: @escaping @Sendable () -> Bool) { database.run(until: condition) }

    package func loseNextAppend(of log: any SharedLog, _ end: SimulatedLogDatabase.AppendEnd) throws {
        guard let log = log as? SimulatedLog else { throw ScenarioFailure(description: "another log") }
        database.setPath(of: log) { $0.nextAppend = end }
    }

    package func deliverLateAppends() throws { database.advance(by: 60_000) }

    package func stopDatabase() throws { database.setDown(true) }
    package func startDatabase() throws { database.setDown(false) }
}
