import CarillonClient
import CarillonCore
import Foundation
import NIOCore
import NIOPosix

/// Runs a load from its preparation to its result.
struct LoadRunner {
    /// What is to be run.
    struct Plan {
        var worker: Worker.Plan
        var connections: Int
        var threads: Int
        var warmUp: Duration
        var duration: Duration
        /// How long answers are waited for after the end.
        var grace: Duration
    }

    /// A process that is watched.
    struct Watched {
        var name: String
        var process: Int32
    }

    let plan: Plan
    let configuration: CarillonClient.Configuration
    let simulator: SimulatorLink?
    let watched: [Watched]
    let interruption: Interruption
    /// Told how far it has come; only for people.
    let say: (String) -> Void

    /// What was measured.
    struct Outcome {
        var tally: Tally
        var arrivals: ArrivalLatencies?
        var usage: [RunResult.Usage]
        var serverSoftware: String
        var wasInterrupted: Bool
    }

    func run() async throws -> Outcome {
        let software = try await prepare()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: plan.threads)
        let crew = try await Crew.hire(plan, dialer: Dialer(configuration), group)
        do {
            try await crew.connect()
            var outcome = try await measure(crew)
            outcome.serverSoftware = software
            try await group.shutdownGracefully()
            return outcome
        } catch {
            _ = try await crew.stop()
            try await group.shutdownGracefully()
            throw error
        }
    }

    // MARK: Before

    /// Registers the devices with their groups and topics; the name of the server's software.
    private func prepare() async throws -> String {
        let client = CarillonClient(configuration: configuration)
        let population = plan.worker.workload.population
        let software = try await client.serverInformation.software
        for start in stride(from: 0, to: population.devices, by: 1_000) {
            guard !interruption.hasCome else { throw Problem("Interrupted before the load began.") }
            say("preparing  \(start.grouped) of \(population.devices.grouped) devices")
            let numbers = start..<min(start + 1_000, population.devices)
            for result in await client.register(numbers.map(population.registration)) { _ = try result.get() }
        }
        await client.close()
        return software
    }

    // MARK: The load

    private func measure(_ crew: Crew) async throws -> Outcome {
        let markKey = plan.worker.workload.markKey
        _ = try await simulator?.arrivals(under: markKey)
        let uptime = LoadConnection.now + 50_000_000
        let wall = Date().timeIntervalSince1970 + 0.05
        let window = Window(origin: uptime, warmUp: plan.warmUp.nanoseconds, duration: plan.duration.nanoseconds)
        try await crew.begin(window, wallClock: Timestamp(milliseconds: UInt64(wall * 1_000)))
        var arrivals = simulator.map { _ in ArrivalLatencies(window: window, originMicroseconds: UInt64(wall * 1e6)) }
        var meters = watched.map { UsageMeter($0) }

        var end = window.end
        var tick = window.start
        while true {
            try await Task.sleep(for: .milliseconds(50))
            let now = LoadConnection.now
            if interruption.hasCome, now < end {
                end = max(now, window.start)
                try await crew.end(at: end)
            }
            // The first look is at the beginning of what counts, the last at its end.
            if now >= tick || now >= end {
                for index in meters.indices { meters[index].look(at: Double(now - window.start) / 1e9) }
                tick = now >= end ? .max : tick + max(window.interval, 500_000_000)
                if let link = simulator { arrivals?.add(try await link.arrivals(under: markKey)) }
                let (tally, underWay) = try await crew.state()
                say(Progress(window, end: end, now: now, tally, underWay: underWay).line)
            }
            if now >= end { break }
        }
        try await drain(crew, until: LoadConnection.now + plan.grace.nanoseconds)
        let tally = try await crew.stop()
        if let link = simulator { try await lastArrivals(&arrivals, link, tally) }
        return Outcome(
            tally: tally, arrivals: arrivals, usage: meters.map(\.usage), serverSoftware: "",
            wasInterrupted: interruption.hasCome)
    }

    private func drain(_ crew: Crew, until end: UInt64) async throws {
        while try await !crew.isDone, LoadConnection.now < end, interruption.count < 2 {
            say("waiting for the last answers")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Waits for the pushes of accepted sends, as long as they come.
    private func lastArrivals(_ arrivals: inout ArrivalLatencies?, _ link: SimulatorLink, _ tally: Tally) async throws {
        let addressed = LoadOperation.allCases.reduce(0) { $0 + tally[$1].addressed }
        var quietSince = LoadConnection.now
        while let count = arrivals?.count, count < addressed, interruption.count < 2 {
            arrivals?.add(try await link.arrivals(under: plan.worker.workload.markKey))
            if arrivals?.count != count { quietSince = LoadConnection.now }
            guard LoadConnection.now - quietSince < plan.grace.nanoseconds else { return }
            say("waiting for the last pushes  \(count.grouped) of \(addressed.grouped)")
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
