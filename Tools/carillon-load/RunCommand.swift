import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore
import Foundation

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Makes a load and measures what becomes of it.",
        discussion: """
            Examples:
              carillon-load --own --rate 2000 --duration 30s --report run.html
              carillon-load --own --connections 4 --depth 64 --mix lookup
              carillon-load --server 127.0.0.1:7474 --api-key-file key --app com.example.game \\
                --rate 500 --mix send-topic=1,send-token=20 --keys zipf \\
                --simulator-control 127.0.0.1:2198 --json run.json

            With --rate it is an open loop: requests are due at their time whatever
            becomes of those before, and latency is measured from when they were due. A
            server that stalls is charged for every request that its stall kept waiting.
            Without --rate it is a closed loop: each connection has --depth requests under
            way, and an answer makes room for the next. It finds the highest throughput;
            its latency is that of callers who wait.

            The devices are registered before: groups load/user/N of --group-size devices,
            and --topics topics load/topic/N with as many devices each. Operations:
              lookup      a device by its token
              register    a new device
              subscribe   a device to one of the topics load/wish/N
              send-token  a push to a device, send-group to a group, send-topic to a topic
            ATTENTION: a server that is connected to Apple sends them to Apple. Their tokens
            are made up; Apple does not like that.

            Ctrl-C ends a run early, with the figures so far.
            """
    )

    @OptionGroup(title: "Server") var target: TargetOptions
    @OptionGroup(title: "Load") var load: LoadOptions

    @Option(
        help: ArgumentHelp("Writes everything that was measured to a file, for compare and report.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Writes a page with plots to a file.", valueName: "file.html"))
    var report: String?

    @Option(help: ArgumentHelp("What the run is called in reports.", valueName: "text"))
    var title = "Load test"

    func run() async throws {
        let interruption = Interruption()
        let result = try await interruption.watch {
            let world = try await target.own ? LocalDeployment(parent: target.data, flags: target.serverFlag) : nil
            defer { world?.stop() }
            return try await measure(world, interruption)
        }
        Terminal.say(Summary.text(of: result))
        if let json { try RunFile.write(result, to: json) }
        if let report { try Page.write(RunPage.html(of: result), to: report) }
        if result.answered == 0 { throw Problem("Not one request was answered as it should be.") }
    }

    private func measure(_ world: LocalDeployment?, _ interruption: Interruption) async throws -> RunResult {
        let machine = Machine.current
        let control = world?.simulatorControl ?? target.simulatorControl?.address
        let simulator = if let control { try await SimulatorLink.connect(to: control) } else { SimulatorLink?.none }
        defer { simulator?.close() }
        let startedAt = Date()
        let workload = try load.workload(app: target.appID, isOwn: target.own, startedAt: startedAt)
        let configuration = try world?.configuration ?? target.configuration()
        let conductor = LoadRunner(
            plan: load.plan(workload),
            configuration: configuration,
            simulator: simulator,
            watched: target.watched(world),
            interruption: interruption,
            say: { Terminal.progress($0.fitted(to: Terminal.width - 1)) }
        )
        defer { Terminal.progress("") }
        let outcome = try await conductor.run()
        var settings = load.settings(title: title, server: "\(configuration.address)", workload)
        settings.serverSoftware = outcome.serverSoftware
        settings.isOwnServer = target.own
        settings.serverFlags = target.serverFlag
        if target.own { (settings.data, settings.fileSystem) = (target.data, FileSystem.kind(of: target.data)) }
        var result = RunResult(outcome, settings, machine, startedAt: startedAt)
        result.notes = Notes.all(
            on: result, wasInterrupted: outcome.wasInterrupted,
            hasOneClock: control.map { AddressArgument(address: $0).isLocal } ?? true, isLocal: target.isLocal)
        return result
    }
}

/// Where the load goes.
struct TargetOptions: ParsableArguments {
    @Flag(help: "Starts a server and an APNs of its own for the run, on free ports of this machine.")
    var own = false

    @Option(
        help: ArgumentHelp(
            "The folder for the database of --own. A disk, else durability costs nothing.", valueName: "folder"))
    var data = "/var/tmp"

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("One more argument of carillond with --own, as --threads=1; repeatable.", valueName: "flag"))
    var serverFlag: [String] = []

    @Option(help: ArgumentHelp("The server.", valueName: "host:port|unix:path"))
    var server: AddressArgument?

    @Option(
        help: ArgumentHelp("A file with the API key. From the environment: CARILLON_API_KEY_FILE.", valueName: "file"))
    var apiKeyFile: String?

    @Option(help: ArgumentHelp("The authorities to believe, PEM. Without it the system's.", valueName: "file"))
    var ca: String?

    @Flag(help: "No TLS. Implied for Unix sockets, and for loopback addresses without --ca.")
    var plaintext = false

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app = LocalDeployment.app

    @Option(
        help: ArgumentHelp(
            "The control port of the simulator of APNs behind the server: it tells when pushes arrived.",
            valueName: "host:port"))
    var simulatorControl: AddressArgument?

    @Option(
        help: ArgumentHelp("The server's process, to see what it uses. Found by itself on loopback.", valueName: "pid"))
    var serverPid: Int32?

    func validate() throws {
        guard own != (server != nil) else { throw ValidationError("Either --own or --server HOST:PORT.") }
        guard AppID(app) != nil else { throw ValidationError("'\(app)' is not a bundle id.") }
        guard !own || (simulatorControl == nil && ca == nil && app == LocalDeployment.app) else {
            throw ValidationError("--own has a simulator, a certificate and an app of its own.")
        }
        guard own || serverFlag.isEmpty else { throw ValidationError("--server-flag goes with --own.") }
    }

    var appID: AppID { AppID(app) ?? { preconditionFailure("validated") }() }

    /// Whether the server is on this machine.
    var isLocal: Bool { server?.isLocal ?? true }

    func configuration() throws -> CarillonClient.Configuration {
        guard let server else { throw ValidationError("Where is the server?") }
        let isPlaintext = plaintext || (server.isLocal && ca == nil)
        var key: String?
        if let path = apiKeyFile ?? ProcessInfo.processInfo.environment["CARILLON_API_KEY_FILE"] {
            guard let bytes = FileManager.default.contents(atPath: path), (1...4_096).contains(bytes.count) else {
                throw Problem("The key file \(path) cannot be read.")
            }
            key = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
        var configuration = CarillonClient.Configuration(
            address: server.address, security: isPlaintext ? .plaintext : .tls(authorities: ca), apiKey: key)
        configuration.software = "carillon-load/1.0.0"
        configuration.connectionAttempts = 3
        return configuration
    }

    /// The processes whose use is told.
    func watched(_ world: LocalDeployment?) -> [LoadRunner.Watched] {
        var watched = [LoadRunner.Watched(name: RunResult.Usage.tool, process: getpid())]
        if let world {
            watched.insert(.init(name: RunResult.Usage.server, process: world.serverProcess), at: 0)
            watched.insert(.init(name: RunResult.Usage.simulator, process: world.simulatorProcess), at: 1)
            return watched
        }
        var process = serverPid
        if process == nil, let server, server.isLocal, case .tcp(_, let port) = server.address {
            process = ProcessUsage.listener(port: port)
        }
        if let process { watched.insert(.init(name: RunResult.Usage.server, process: process), at: 0) }
        return watched
    }
}

/// What the load is.
struct LoadOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Requests a second (open loop). Without it a closed loop.", valueName: "count"))
    var rate: Double?

    @Option(help: "How requests follow each other at a rate: poisson (at chance) or even.")
    var arrivals = Schedule.Arrivals.poisson

    @Option(help: ArgumentHelp("Connections.", valueName: "count"))
    var connections = 4

    @Option(help: ArgumentHelp("Requests under way on a connection at most; 16, with --rate 1024.", valueName: "count"))
    var depth: Int?

    @Option(help: ArgumentHelp("Threads of this tool.", valueName: "count"))
    var threads = 1

    @Option(help: ArgumentHelp("Operations and their shares.", valueName: "name=share,…"))
    var mix = Mix([
        .init(operation: .lookup, weight: 70), .init(operation: .sendToken, weight: 20),
        .init(operation: .register, weight: 10),
    ])

    @Option(help: ArgumentHelp("Which devices, groups and topics: uniform, zipf or zipf:EXPONENT.", valueName: "form"))
    var keys = KeyDistribution.uniform

    @Option(help: ArgumentHelp("Devices registered before.", valueName: "count"))
    var devices = 10_000

    @Option(help: ArgumentHelp("Devices of a group.", valueName: "count"))
    var groupSize = 3

    @Option(help: ArgumentHelp("Topics that share the devices.", valueName: "count"))
    var topics = 100

    @Option(help: ArgumentHelp("Payload of a push, about.", valueName: "bytes"))
    var payloadBytes = 176

    @Option(help: ArgumentHelp("How long the load runs before anything counts.", valueName: "time"))
    var warmUp = TimeSpan(seconds: 2)

    @Option(help: ArgumentHelp("How long it counts.", valueName: "time"))
    var duration = TimeSpan(seconds: 10)

    @Option(help: ArgumentHelp("How long answers and pushes are waited for after the end.", valueName: "time"))
    var grace = TimeSpan(seconds: 10)

    @Option(help: ArgumentHelp("The seed of chance.", valueName: "number"))
    var seed: UInt64 = 1

    func validate() throws {
        guard rate.map({ (0.01...10_000_000).contains($0) }) ?? true else {
            throw ValidationError("--rate is 0.01 to 10000000.")
        }
        guard duration.milliseconds >= 100 else { throw ValidationError("--duration is at least 100ms.") }
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

    /// What is asked; devices that are registered during the run are new at every run.
    func workload(app: AppID, isOwn: Bool, startedAt: Date) throws -> Workload.Plan {
        let firstNew = isOwn ? devices : Int(startedAt.timeIntervalSince1970 * 1_000) << 20
        return Workload.Plan(
            population: Population(
                app: app, seed: seed, devices: devices, groupSize: groupSize, topics: topics, firstNewDevice: firstNew),
            mix: mix, keys: keys, payloadBytes: payloadBytes,
            // Pushes of an earlier run that are still on their way do not have it.
            markKey: "load\(UInt32.random(in: 0...UInt32.max))"
        )
    }

    private var usedDepth: Int { depth ?? (rate == nil ? 16 : 1_024) }

    func plan(_ workload: Workload.Plan) -> LoadRunner.Plan {
        let pace = rate.map { Worker.Pace.open(rate: $0, arrivals: arrivals) } ?? .closed
        return LoadRunner.Plan(
            worker: Worker.Plan(
                workload: workload, pace: pace, connections: connections, depth: usedDepth, seed: seed),
            connections: connections, threads: threads, warmUp: warmUp.duration, duration: duration.duration,
            grace: grace.duration)
    }

    func settings(title: String, server: String, _ workload: Workload.Plan) -> RunResult.Settings {
        RunResult.Settings(
            title: title, server: server, serverSoftware: "", isOwnServer: false, rate: rate, arrivals: arrivals,
            connections: connections, depth: usedDepth, threads: threads, mix: mix.shares, keys: keys.text,
            devices: devices, groupSize: groupSize, topics: topics, payloadBytes: payloadBytes,
            warmUpSeconds: warmUp.seconds, durationSeconds: duration.seconds, seed: seed, serverFlags: [])
    }
}
