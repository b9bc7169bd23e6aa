import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore
import Foundation

/// The options for the load: what is sent, over how many connections, and for how long.
struct LoadOptions: ParsableArguments {
    /// The paragraph of `--help` about the devices and operations.
    static let operations = """
        The devices are registered first: groups load/user/N of --group-size devices,
        and --topics topics load/topic/N of equal size. They stay registered. Operations:
          lookup      a device by its token
          register    a new device
          subscribe   a device to one of the topics load/wish/N
          send-token  a push to a device, send-group to a group, send-topic to a topic
          ATTENTION: a server that is connected to Apple sends the pushes to Apple. The
          tokens are invented; Apple does not like that. So sends need --own,
          --simulator-control or --allow-apple.
        """

    @Option(help: "The times between requests of an open loop: poisson (random) or even.")
    var arrivals = Schedule.Distribution.poisson

    @Option(help: ArgumentHelp("Connections.", valueName: "count"))
    var connections = 4

    @Option(
        help: ArgumentHelp(
            "The most requests in flight on a connection. Default: 16, in an open loop 1024.", valueName: "count"))
    var depth: Int?

    @Option(help: ArgumentHelp("Threads of this tool.", valueName: "count"))
    var threads = 1

    /// The mix without `--mix`.
    private static let usualMix = Mix([
        .init(operation: .lookup, weight: 70), .init(operation: .sendToken, weight: 20),
        .init(operation: .register, weight: 10),
    ])

    @Option(
        help: ArgumentHelp("The operations and their shares. Default: \(usualMix).", valueName: "name=share,…"),
        transform: { try Mix($0) })
    var mix = Self.usualMix

    @Option(
        help: ArgumentHelp(
            "The distribution of devices, groups and topics: uniform (default), zipf or zipf:EXPONENT.",
            valueName: "form"),
        transform: { try KeyDistribution($0) })
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

    @Option(
        help: ArgumentHelp(
            "How long the measurement is; of search, the shortest measurement of a step.", valueName: "time"))
    var duration = TimeSpan(milliseconds: 10_000)

    @Option(help: ArgumentHelp("How long to wait for answers and pushes after the end.", valueName: "time"))
    var grace = TimeSpan(milliseconds: 10_000)

    @Option(help: ArgumentHelp("The seed of the random numbers.", valueName: "number"))
    var seed: UInt64 = 1

    func validate() throws {
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

    /// Refuses a rate that is out of the limits of this tool. `name` is the option.
    static func check(rate: Double?, of name: String) throws {
        guard rate.map({ (0.01...10_000_000).contains($0) }) ?? true else {
            throw ValidationError("\(name) is 0.01 to 10000000.")
        }
    }

    /// Refuses conditions on metrics that a run of these options will not have.
    func check(_ conditions: [MetricCondition], target: TargetOptions) throws {
        let names = RunResult.metricNames(
            of: settings(title: "", rate: nil, target: target),
            measuresPushes: target.own || target.simulatorControl != nil,
            processes: [RunResult.ProcessUsage.server, RunResult.ProcessUsage.tool]
                + (target.own ? [RunResult.ProcessUsage.simulator] : []))
        for condition in conditions {
            do { try condition.check(names) } catch { throw ValidationError(error.description) }
        }
    }

    /// Returns the requests of the load. The devices that are registered during the run are new in every run.
    func workload(app: AppID, startedAt: Date) -> Workload.Plan {
        let firstNewDevice = devices + Int(startedAt.timeIntervalSince1970 * 1_000) << 20
        return Workload.Plan(
            population: Population(
                app: app, seed: seed, deviceCount: devices, groupSize: groupSize, topicCount: topics,
                firstNewDevice: firstNewDevice),
            mix: mix, keys: keys, payloadBytes: payloadBytes, markerKey: PushMarker.newKey(),
            runNumber: UInt64.random(in: 0...UInt64.max))
    }

    private func depth(forRate rate: Double?) -> Int { depth ?? (rate == nil ? 16 : 1_024) }

    /// Returns the plan of a run at a rate; of a closed loop if the rate is nil.
    func plan(_ workload: Workload.Plan, rate: Double?) -> LoadRunner.Plan {
        let loop = rate.map { Worker.LoopKind.open(rate: $0, arrivals: arrivals) } ?? .closed
        return LoadRunner.Plan(
            worker: Worker.Plan(
                workload: workload, loop: loop, connectionCount: connections, maximumInFlight: depth(forRate: rate),
                seed: seed),
            connectionCount: connections, threads: threads, warmUp: warmUp.duration, duration: duration.duration,
            grace: grace.duration)
    }

    func settings(title: String, rate: Double?, target: TargetOptions) -> RunResult.Settings {
        RunResult.Settings(
            title: title, server: "", serverSoftware: "", isOwnServer: target.own, rate: rate, arrivals: arrivals,
            connections: connections, maximumInFlight: depth(forRate: rate), threads: threads, mix: mix.shares,
            keyDistribution: keys.description, devices: devices, groupSize: groupSize, topics: topics,
            payloadBytes: payloadBytes, warmUpSeconds: Double(warmUp.milliseconds) / 1_000,
            durationSeconds: Double(duration.milliseconds) / 1_000, seed: seed, serverFlags: target.serverFlag,
            data: target.own ? target.data : nil, fileSystem: target.own ? FileSystem.kind(of: target.data) : nil)
    }
}

/// The words of `--arrivals` on the command line.
extension Schedule.Distribution: ExpressibleByArgument {}
