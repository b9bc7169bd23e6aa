import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore
import Foundation

/// The options for the load.
struct LoadOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Requests a second (open loop). Default: a closed loop.", valueName: "count"))
    var rate: Double?

    @Option(help: "The times between requests with --rate: poisson (random) or even.")
    var arrivals = Schedule.Arrivals.poisson

    @Option(help: ArgumentHelp("Connections.", valueName: "count"))
    var connections = 4

    @Option(
        help: ArgumentHelp(
            "The most requests in flight on a connection. Default: 16, with --rate 1024.", valueName: "count"))
    var depth: Int?

    @Option(help: ArgumentHelp("Threads of this tool.", valueName: "count"))
    var threads = 1

    @Option(help: ArgumentHelp("The operations and their shares.", valueName: "name=share,…"))
    var mix = Mix([
        .init(operation: .lookup, weight: 70), .init(operation: .sendToken, weight: 20),
        .init(operation: .register, weight: 10),
    ])

    @Option(
        help: ArgumentHelp(
            "The distribution of devices, groups and topics: uniform, zipf or zipf:EXPONENT.", valueName: "form"))
    var keys = KeyDistribution.uniform

    @Option(help: ArgumentHelp("Devices that are registered first.", valueName: "count"))
    var devices = 10_000

    @Option(help: ArgumentHelp("Devices of a group.", valueName: "count"))
    var groupSize = 3

    @Option(help: ArgumentHelp("Topics; each device is in one.", valueName: "count"))
    var topics = 100

    @Option(help: ArgumentHelp("The approximate payload of a push.", valueName: "bytes"))
    var payloadBytes = 176

    @Option(help: ArgumentHelp("How long the load runs before the measurement.", valueName: "time"))
    var warmUp = TimeSpan(milliseconds: 2_000)

    @Option(help: ArgumentHelp("How long the measurement is.", valueName: "time"))
    var duration = TimeSpan(milliseconds: 10_000)

    @Option(help: ArgumentHelp("How long to wait for answers and pushes after the end.", valueName: "time"))
    var grace = TimeSpan(milliseconds: 10_000)

    @Option(help: ArgumentHelp("The seed of the random numbers.", valueName: "number"))
    var seed: UInt64 = 1

    func validate() throws {
        guard rate.map({ (0.01...10_000_000).contains($0) }) ?? true else {
            throw ValidationError("--rate is 0.01 to 10000000.")
        }
        guard duration.milliseconds >= 100 else { throw ValidationError("--duration is at least 100ms.") }
        // At most a week: sums of nanoseconds cannot overflow.
        guard [warmUp, duration, grace].allSatisfy({ $0.milliseconds <= 604_800_000 }) else {
            throw ValidationError("--warm-up, --duration and --grace are at most 168h.")
        }
        let limits: [(String, Int, ClosedRange<Int>)] = [
            ("--connections", connections, 1...10_000), ("--depth", depth ?? 1, 1...65_536),
            ("--threads", threads, 1...64), ("--devices", devices, 1...100_000_000),
            ("--group-size", groupSize, 1...1_000_000), ("--topics", topics, 1...1_000_000),
            ("--payload-bytes", payloadBytes, 64...4_000),
        ]
        for (name, value, range) in limits where !range.contains(value) {
            throw ValidationError("\(name) is \(range.lowerBound) to \(range.upperBound).")
        }
        guard connections >= threads else { throw ValidationError("Each of the --threads needs a connection.") }
    }

    /// The requests of the load. Devices that are registered during the run are new in every run.
    func workload(app: AppID, isOwn: Bool, startedAt: Date) throws -> Workload.Plan {
        let firstNew = isOwn ? devices : Int(startedAt.timeIntervalSince1970 * 1_000) << 20
        return Workload.Plan(
            population: Population(
                app: app, seed: seed, devices: devices, groupSize: groupSize, topics: topics, firstNewDevice: firstNew),
            mix: mix, keys: keys, payloadBytes: payloadBytes,
            // Random, so that late pushes of an earlier run are not counted.
            markerKey: "load\(UInt32.random(in: 0...UInt32.max))"
        )
    }

    private var usedDepth: Int { depth ?? (rate == nil ? 16 : 1_024) }

    func plan(_ workload: Workload.Plan) -> LoadRunner.Plan {
        let loop = rate.map { Worker.LoopKind.open(rate: $0, arrivals: arrivals) } ?? .closed
        return LoadRunner.Plan(
            worker: Worker.Plan(
                workload: workload, loop: loop, connections: connections, depth: usedDepth, seed: seed),
            connections: connections, threads: threads, warmUp: warmUp.duration, duration: duration.duration,
            grace: grace.duration)
    }

    func settings(title: String, server: String, _ workload: Workload.Plan) -> RunResult.Settings {
        RunResult.Settings(
            title: title, server: server, serverSoftware: "", isOwnServer: false, rate: rate, arrivals: arrivals,
            connections: connections, depth: usedDepth, threads: threads, mix: mix.shares, keys: keys.text,
            devices: devices, groupSize: groupSize, topics: topics, payloadBytes: payloadBytes,
            warmUpSeconds: Double(warmUp.milliseconds) / 1_000,
            durationSeconds: Double(duration.milliseconds) / 1_000, seed: seed, serverFlags: [])
    }
}
