import CarillonClient
import CarillonClock
import CarillonCommandLine
import CarillonCore
import CarillonSimulatorControl
import CarillonWire
import Foundation
import NIOCore
import NIOPosix

/// Prepares loads on one server, and runs them.
struct LoadRunner {
    /// The plan of a run: what its workers do, how many there are, and for how long.
    struct Plan {
        var worker: Worker.Plan
        var connectionCount: Int
        var threads: Int
        var warmUp: Duration
        var duration: Duration
        /// The longest time to wait for answers after the end.
        var grace: Duration
    }

    /// A process whose resources are measured.
    struct WatchedProcess {
        var name: String
        var processID: Int32
    }

    /// The time from the command to begin until the load begins: the command has reached all workers by then.
    private static let startDelayMicroseconds: UInt64 = 50_000
    private static let minimumSampleNanoseconds: UInt64 = 500_000_000
    /// The time between two looks at the clock and at the interruption, and between two questions about arrivals.
    private static let pollInterval = Duration.milliseconds(50)
    private static let devicesPerCall = 1_000

    let configuration: CarillonClient.Configuration
    let simulator: ControlClient?
    let watchedProcesses: [WatchedProcess]
    let interruption: Interruption
    let showProgress: (String) -> Void

    /// The measurements of a run, from which its result is made.
    struct Measurements {
        var counts: LoadCounts
        var arrivals: ArrivalLatencies?
        var usage: [RunResult.ProcessUsage]
        var wasInterrupted: Bool
    }

    /// Runs a load on a prepared server.
    func run(_ plan: Plan) async throws -> Measurements {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: plan.threads)
        let workers = try await WorkerGroup.make(plan, connector: LoadConnector(configuration), group: group)
        do {
            try await workers.connect()
            let measurements = try await measure(workers, plan: plan)
            try await group.shutdownGracefully()
            return measurements
        } catch {
            _ = try await workers.stop()
            try await group.shutdownGracefully()
            throw error
        }
    }

    // MARK: Before

    /// Registers the devices with their groups and topics, and returns the name of the server's software.
    func prepare(_ population: Population) async throws -> String {
        let client = CarillonClient(configuration: configuration)
        let software = try await client.serverInfo().software
        for start in stride(from: 0, to: population.deviceCount, by: Self.devicesPerCall) {
            guard !interruption.hasOccurred else { throw LoadTestError("Interrupted before the load began.") }
            showProgress("preparing  \(start.grouped) of \(population.deviceCount.grouped) devices")
            let numbers = start..<min(start + Self.devicesPerCall, population.deviceCount)
            for result in await client.register(numbers.map(population.registration(ofDevice:))) {
                _ = try result.get()
            }
        }
        await client.close()
        return software
    }

    /// Checks that the simulator, and not Apple, is behind the server: registers the first device and sends it a push,
    /// which must arrive at the simulator. The plan differs from the plan of a run, because it has a payload key of its
    /// own.
    func checkSimulator(_ plan: Workload.Plan, within time: Duration) async throws {
        guard let simulator else { return }
        var plan = plan
        plan.population.deviceCount = 1
        _ = try await simulator.takeArrivals(under: plan.markerKey)
        var workload = Workload(plan, seed: 0, part: 0, of: 1)
        let marker = PushMarker(operation: .sendToken, dueMicroseconds: 0).number
        guard let push = workload.request(.sendToken, marker: marker, now: .zero).as(SendRequest.self) else { return }
        showProgress("waiting for the first push")
        let client = CarillonClient(configuration: configuration)
        _ = try await client.register(plan.population.registration(ofDevice: 0))
        _ = try await client.send(push)
        await client.close()
        let end = Clock.uptimeNanoseconds() + time.nanoseconds
        while try await simulator.takeArrivals(under: plan.markerKey).arrivals.isEmpty {
            guard Clock.uptimeNanoseconds() < end, !interruption.hasOccurred else {
                throw LoadTestError(
                    "The first push did not arrive at the simulator of --simulator-control: it is not behind this "
                        + "server, or its rules refuse the push. --allow-apple sends in any case.")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    // MARK: The load

    private func measure(_ workers: WorkerGroup, plan: Plan) async throws -> Measurements {
        let markerKey = plan.worker.workload.markerKey
        _ = try await simulator?.takeArrivals(under: markerKey)
        let uptimeNanoseconds = Clock.uptimeNanoseconds() + Self.startDelayMicroseconds * 1_000
        let wallMicroseconds = Clock.wallMicroseconds() + Self.startDelayMicroseconds
        let measuredTime = MeasuredTime(
            loadStartNanoseconds: uptimeNanoseconds, warmUpNanoseconds: plan.warmUp.nanoseconds,
            durationNanoseconds: plan.duration.nanoseconds)
        try await workers.begin(measuredTime, loadStart: Timestamp(milliseconds: wallMicroseconds / 1_000))
        var arrivals = simulator.map { _ in
            ArrivalLatencies(measuredTime: measuredTime, loadStartMicroseconds: wallMicroseconds)
        }
        var meters = watchedProcesses.map { UsageMeter($0) }
        try await sample(
            workers, measuredTime: measuredTime, markerKey: markerKey, arrivals: &arrivals, meters: &meters)
        try await awaitLastAnswers(of: workers, within: plan.grace)
        let counts = try await workers.stop()
        if simulator != nil { try await awaitLastArrivals(&arrivals, plan: plan, counts: counts) }
        let usage = meters.map { $0.usage(answers: counts.answersInTime, seconds: counts.measuredTime.seconds) }
        return Measurements(counts: counts, arrivals: arrivals, usage: usage, wasInterrupted: interruption.hasOccurred)
    }

    /// Samples the processes and the arrivals until the load ends, at the end of the measured time or with an
    /// interruption.
    private func sample(
        _ workers: WorkerGroup, measuredTime: MeasuredTime, markerKey: String, arrivals: inout ArrivalLatencies?,
        meters: inout [UsageMeter]
    ) async throws {
        var end = measuredTime.endNanoseconds
        var nextSampleNanoseconds = measuredTime.startNanoseconds
        var now: UInt64
        repeat {
            try await Task.sleep(for: Self.pollInterval)
            now = Clock.uptimeNanoseconds()
            if interruption.hasOccurred, now < end {
                end = max(now, measuredTime.startNanoseconds)
                try await workers.end(atNanoseconds: end)
            }
            // The first sample is at the start of the measured time, the last at its end.
            guard now >= nextSampleNanoseconds || now >= end else { continue }
            nextSampleNanoseconds += max(measuredTime.intervalNanoseconds, Self.minimumSampleNanoseconds)
            for index in meters.indices { meters[index].sample(at: Double(now - measuredTime.startNanoseconds) / 1e9) }
            if let control = simulator { arrivals?.add(try await control.takeArrivals(under: markerKey)) }
            let (counts, inFlightCount) = try await workers.state()
            let progress = ProgressLine(
                measuredTime, endNanoseconds: end, nowNanoseconds: now, counts, inFlightCount: inFlightCount)
            showProgress(progress.line)
        } while now < end
    }

    /// Waits until all requests are answered, or the time is over.
    private func awaitLastAnswers(of workers: WorkerGroup, within grace: Duration) async throws {
        let end = Clock.uptimeNanoseconds() + grace.nanoseconds
        while try await !workers.isDone, Clock.uptimeNanoseconds() < end, interruption.count < 2 {
            showProgress("waiting for the last answers")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Adds the pushes of accepted sends that still arrive, until all are there or none comes any more.
    private func awaitLastArrivals(_ arrivals: inout ArrivalLatencies?, plan: Plan, counts: LoadCounts) async throws {
        let addressed = LoadOperation.allCases.reduce(0) { $0 + counts[$1].addressed }
        var idleSinceNanoseconds = Clock.uptimeNanoseconds()
        while let control = simulator, let count = arrivals?.count, count < addressed, interruption.count < 2 {
            arrivals?.add(try await control.takeArrivals(under: plan.worker.workload.markerKey))
            if arrivals?.count != count { idleSinceNanoseconds = Clock.uptimeNanoseconds() }
            guard Clock.uptimeNanoseconds() - idleSinceNanoseconds < plan.grace.nanoseconds else { return }
            showProgress("waiting for the last pushes  \(count.grouped) of \(addressed.grouped)")
            try await Task.sleep(for: Self.pollInterval)
        }
    }
}
