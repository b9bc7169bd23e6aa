import CarillonCluster
import CarillonCore

/// A simulation of three nodes, a log database and clients on a bad network, in virtual time. Every decision of a node
/// is that of the real ``ClusterNode`` and of the real rules of claims; the registry and the sender are models.
///
/// Messages are lost, late and cut off, in one direction or both. Processes crash, are stopped for longer than a lease,
/// leave, lose their disk and start again with a newer version. The log database stops, fails over to a machine with
/// another clock that lacks the last renewals, and ends appends with unknown ends. All clocks run at different speeds.
/// Then all faults end, and everything must come to its end. The same seed gives the same run.
package final class ClusterSimulation {
    /// A fault that can be planted, for the judges to find.
    package enum PlantedFault: String, CaseIterable, Sendable {
        /// The log database accepts entries of members that are over.
        case fencingOff = "fencing-off"
        /// Pushes begin whatever the lease and the freshness say.
        case leaseUnchecked = "lease-unchecked"
        /// Changes are answered before they are in the log.
        case answeredBeforeAppend = "answered-before-append"
        /// An entry is applied twice now and then.
        case applyTwice = "apply-twice"
        /// Pages are sent without a claim.
        case claimIgnored = "claim-ignored"
        /// A node takes its state for new much longer than the others think.
        case freshnessUnchecked = "freshness-unchecked"
        /// Unregistrations are answered without the other nodes.
        case answeredAtOnce = "answered-at-once"
    }

    /// An event of a run, which is counted, so that a test can tell that it happens.
    package enum Event: Hashable, Sendable, CaseIterable {
        case expired
        case left
        case joinedAgain
        case imported
        case loadedSnapshot
        case wroteNewerFormat
        case answeredAfterWaiting
        case tookOver
        case released
    }

    /// The result of a run: what it has done, and what the judge has found.
    package struct Report: Hashable, Sendable {
        /// The violations of promises that the judge has found, as sentences.
        package var violations: [String]
        package var entries: UInt64
        /// The number of pushes, duplicates included.
        package var pushes: Int
        /// The number of pushes beyond the first one to a recipient.
        package var duplicates: Int
        /// The number of operations of clients that were answered.
        package var answered: Int
        /// The number of times that each event happened.
        package var events: [Event: Int]
        /// The share of pages that each node has sent.
        package var shares: [Double]
        /// The milliseconds from the end of the faults to the end of all work.
        package var recoveryMilliseconds: UInt64
    }

    private struct Client {
        var operation: Int?
        var due: UInt64 = 0
        var givesUpAt: UInt64 = 0
        /// The greatest position of an answer that the client has had.
        var position: LogPosition = 0
    }

    private let database: SimulatedLogDatabase
    private let judge: SimulationJudge
    private let cluster: SimulatedNode.Cluster
    private var random: SeededGenerator
    private var processes: [SimulatedNode] = []
    private var clients: [Client]
    /// The position of the last entry that the judge has seen.
    private var followed: LogPosition = 0
    private var databaseDownUntil: UInt64?
    private let hasFaults: Bool
    /// The number of steps in which 178 faults and ends of faults come on average: ``disturb()`` draws a number below
    /// this one, and acts on those below 178.
    private let rarity: Int

    /// Makes a run of a seed.
    ///
    /// - Parameters:
    ///   - hasFaults: false for a run without faults.
    package init(seed: UInt64, fault: PlantedFault? = nil, hasFaults: Bool = true) {
        random = SeededGenerator(seed: seed)
        database = SimulatedLogDatabase(seed: seed &+ 1)
        let times = SimulationTimes()
        let staleness = times.maximumStalenessMilliseconds
        judge = SimulationJudge(
            maximumUnrecordedPushes: times.maximumUnrecordedPushes,
            maximumStalenessMilliseconds: staleness + staleness / 10 + 2)
        cluster = SimulatedNode.Cluster(database, judge, times: times, fault: fault)
        self.hasFaults = hasFaults
        rarity = [1_000, 2_500, 6_000].randomElement(using: &random) ?? 1_000
        clients = Array(repeating: Client(), count: 4)
        if fault == .fencingOff { database.changeState { $0.isFencingOff = true } }
        let hasForeignData = Int.random(in: 0..<4, using: &random) == 0
        judge.hasImportedData = hasForeignData
        for (index, name) in ["a", "b", "c"].compactMap(NodeName.init).enumerated() {
            let process = SimulatedNode(
                name, cluster, hasForeignData: hasForeignData && index == 0,
                speed: .random(in: times.speeds, using: &random), random: SeededGenerator(seed: random.next()))
            processes.append(process)
        }
        // A server with data begins its log before others join.
        if hasForeignData { processes[0].start() } else { for process in processes { process.start() } }
    }

    // MARK: Running

    /// Runs the simulation for a number of milliseconds, then until all work is done.
    package func run(milliseconds: UInt64 = 4_000) -> Report {
        let end = cluster.now + milliseconds
        while cluster.now < end, judge.violations.isEmpty {
            if hasFaults { disturb() }
            startOthers()
            for index in clients.indices { advance(client: index) }
            step()
        }
        return report()
    }

    /// Sends one message of a number of pages, and waits until it has been sent.
    package func runFanOut(pages: UInt32) -> Report {
        while cluster.now < 5_000, !processes.allSatisfy(\.isIdle) {
            startOthers()
            step()
        }
        let form = ModelMessage.Form(pages: pages, isInteractive: false, hasPace: false, isSilent: false)
        let change = cluster.change(.send(form))
        processes[0].submit(change, operation: judge.begin(.change(change), at: cluster.now))
        return report()
    }

    /// Waits until all work is done, judges, and returns the report.
    private func report() -> Report {
        let recoveryMilliseconds = finishWork()
        judge.end()
        let sent = processes.map { Double(judge.pagesSent[$0.name] ?? 0) }
        let all = max(1, sent.reduce(0, +))
        return Report(
            violations: judge.violations, entries: judge.state.position.number, pushes: judge.pushCount,
            duplicates: judge.duplicateCount, answered: judge.operations.count { $0.answer != nil },
            events: judge.events, shares: sent.map { $0 / all }, recoveryMilliseconds: recoveryMilliseconds)
    }

    private func step() {
        for process in processes { process.tick() }
        follow()
        database.advance(by: .random(in: 1...4, using: &random))
        follow()
    }

    /// Shows the new entries to the judge.
    private func follow() {
        for entry in database.entries(after: followed) {
            judge.appended(entry)
            followed = followed.next ?? followed
        }
    }

    /// Starts the nodes that wait until a server with data has begun the log.
    private func startOthers() {
        guard judge.hasImportedData, judge.state.initialState != nil else { return }
        for process in processes where process.startCount == 0 { process.start() }
    }

    /// Ends all faults and waits until no work is left. Returns the milliseconds of the wait.
    private func finishWork() -> UInt64 {
        let began = cluster.now
        database.setNetwork(SimulatedLogDatabase.Network())
        database.setDown(false)
        for process in processes {
            database.setPath(of: process.log) { $0 = SimulatedLogDatabase.Path() }
            process.resume()
        }
        while cluster.now < began + 20_000, judge.violations.isEmpty {
            startOthers()
            for process in processes where process.startCount > 0 && !process.isUp { process.start() }
            for _ in 0..<20 { step() }
            guard judge.state.unfinished.isEmpty, processes.allSatisfy(\.isIdle),
                processes.allSatisfy({ $0.model.position == followed })
            else { continue }
            for process in processes where process.model != judge.state {
                judge.report("\(process.name) has another state at the end")
            }
            return cluster.now - began
        }
        guard judge.violations.isEmpty else { return cluster.now - began }
        for process in processes {
            judge.report("\(process.name) did not come to its end at \(followed): \(process.remainingWork)")
        }
        return cluster.now - began
    }

    // MARK: Faults

    private func disturb() {
        if let until = databaseDownUntil, until <= cluster.now {
            databaseDownUntil = nil
            database.setDown(false)
        }
        guard let process = processes.randomElement(using: &random), process.startCount > 0 else { return }
        switch Int.random(in: 0..<rarity, using: &random) {
        case 0..<6: process.crash()
        case 6..<10: process.stop(for: .random(in: 20...900, using: &random))
        case 10..<25: cut(process)
        case 25..<70: database.setPath(of: process.log) { $0 = SimulatedLogDatabase.Path() }
        case 70..<74: stopDatabase(failsOver: Bool.random(using: &random))
        case 74..<82: changeNetwork()
        case 82..<112:
            let end = SimulatedLogDatabase.AppendEnd.allCases.randomElement(using: &random)
            database.setPath(of: process.log) { $0.nextAppend = end }
        case 112..<114: process.leave()
        case 114..<116:
            let slowness = UInt64.random(in: 0...50, using: &random)
            database.setPath(of: process.log) { $0.slownessBack = slowness }
        case 116..<118: replaceDisk(of: process)
        case 118..<178: restart(process)
        default: break
        }
    }

    private func cut(_ process: SimulatedNode) {
        let there = Bool.random(using: &random)
        let back = Bool.random(using: &random)
        database.setPath(of: process.log) { ($0.isCutThere, $0.isCutBack) = (there, back) }
    }

    private func restart(_ process: SimulatedNode) {
        guard !process.isUp else { return }
        if Int.random(in: 0..<4, using: &random) == 0 { process.newestFormat = 2 }
        process.start()
    }

    private func replaceDisk(of process: SimulatedNode) {
        // Without a snapshot the disk may be the only one with the data.
        guard database.hasSnapshot else { return }
        process.crash()
        process.wipe()
    }

    private func stopDatabase(failsOver: Bool) {
        database.setDown(true)
        databaseDownUntil = cluster.now + .random(in: 10...700, using: &random)
        guard failsOver else { return }
        database.changeState { $0.loseRenewals() }
        database.jumpClock(by: .random(in: 0...2_000, using: &random))
    }

    private func changeNetwork() {
        var network = SimulatedLogDatabase.Network()
        network.delay = 1...([2, 2, 10, 40].randomElement(using: &random) ?? 2)
        network.loss = [0, 0, 0.02, 0.2].randomElement(using: &random) ?? 0
        network.breaks = [0, 0, 0.02, 0.2].randomElement(using: &random) ?? 0
        database.setNetwork(network)
    }

    // MARK: Clients

    private func advance(client index: Int) {
        var client = clients[index]
        defer { clients[index] = client }
        if let operation = client.operation {
            let known = judge.operations[operation]
            if let position = known.position { client.position = max(client.position, position) }
            guard known.position != nil || known.wasRefused || client.givesUpAt <= cluster.now else { return }
            client.operation = nil
            client.due = cluster.now + .random(in: 0...60, using: &random)
        }
        guard client.due <= cluster.now, let process = processes.randomElement(using: &random), process.isUp else {
            return
        }
        client.givesUpAt = cluster.now + 600
        let cell = UInt32.random(in: 0..<ModelState.cellCount, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<15: client.operation = read(cell, .latest, on: process)
        case 15..<22: client.operation = read(cell, .recent, on: process)
        case 22..<30: client.operation = read(cell, .containing(client.position), on: process)
        default: client.operation = change(cell, on: process)
        }
    }

    private func read(_ cell: UInt32, _ demand: ReadRule.Demand, on process: SimulatedNode) -> Int {
        let operation = judge.begin(.read(cell: cell, demand), at: cluster.now)
        process.read(cell, demanding: demand, operation: operation)
        return operation
    }

    private func change(_ cell: UInt32, on process: SimulatedNode) -> Int {
        let change = cluster.change(action(cell))
        var action = change.action
        // The number of the change is its value, so that all differ.
        if case .swap(let cell, _) = action { action = .swap(cell: cell, value: 100 + change.number) }
        let numbered = ModelChange(number: change.number, action: action)
        let operation = judge.begin(.change(numbered), at: cluster.now)
        process.submit(numbered, operation: operation)
        return operation
    }

    private func action(_ cell: UInt32) -> ModelChange.Action {
        let device = UInt32.random(in: 0..<ModelState.deviceCount, using: &random)
        let message = judge.state.unfinished.randomElement(using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<14: return .unregister(device: device)
        case 14..<22: return .register(device: device)
        case 22..<45 where judge.state.unfinished.count < 5:
            let kind = Int.random(in: 0..<10, using: &random)
            return .send(
                ModelMessage.Form(
                    pages: kind < 4 ? 1 : .random(in: 2...14, using: &random), isInteractive: kind < 5,
                    hasPace: kind == 8, isSilent: kind == 9))
        case 45..<48: return message.map { .cancel($0) } ?? .swap(cell: cell, value: 0)
        case 48..<51: return message.map { .setPace($0, true) } ?? .swap(cell: cell, value: 0)
        default: return .swap(cell: cell, value: 0)
        }
    }
}
