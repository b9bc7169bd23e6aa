import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore
import Foundation

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Generates a load and measures throughput and latency.",
        discussion: """
            Examples:
              carillon-load --own --rate 2000 --duration 30s --report run.html
              carillon-load --own --connections 4 --depth 64 --mix lookup
              carillon-load --server 127.0.0.1:7474 --api-key-file key --app com.example.game \\
                --rate 500 --mix send-topic=1,send-token=20 --keys zipf \\
                --simulator-control 127.0.0.1:2198 --json run.json

            With --rate it is an open loop: requests are due at their time, independent of
            earlier answers, and latency is measured from when they were due. So a stall of
            the server counts for every request that it delays.
            Without --rate it is a closed loop: each connection has --depth requests in
            flight, and an answer makes room for the next. It finds the highest throughput;
            its latency is that of callers that wait for answers.

            The devices are registered first: groups load/user/N of --group-size devices,
            and --topics topics load/topic/N of equal size. Operations:
              lookup      a device by its token
              register    a new device
              subscribe   a device to one of the topics load/wish/N
              send-token  a push to a device, send-group to a group, send-topic to a topic
              ATTENTION: a server that is connected to Apple sends the pushes to Apple. The
              tokens are invented; Apple does not like that.

            Ctrl-C ends a run early, with the results so far.
            """
    )

    @OptionGroup(title: "Server") var target: TargetOptions
    @OptionGroup(title: "Load") var load: LoadOptions

    @Option(
        help: ArgumentHelp("Writes the complete result to a file, for compare and report.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Writes a page with plots to a file.", valueName: "file.html"))
    var report: String?

    @Option(help: ArgumentHelp("The title of the run in reports.", valueName: "text"))
    var title = "Load test"

    func run() async throws {
        let interruption = Interruption()
        let result = try await interruption.watch {
            let deployment = try await target.own ? LocalDeployment(parent: target.data, flags: target.serverFlag) : nil
            defer { deployment?.stop() }
            return try await measure(deployment, interruption)
        }
        Terminal.printLine(Summary.text(of: result))
        if let json { try RunFile.write(result, to: json) }
        if let report { try Page.write(RunPage.html(of: result), to: report) }
        if result.answered == 0 { throw LoadFailure("No request was answered successfully.") }
    }

    private func measure(_ deployment: LocalDeployment?, _ interruption: Interruption) async throws -> RunResult {
        let machine = Machine.current
        let control = deployment?.simulatorControl ?? target.simulatorControl?.address
        let simulator =
            if let control { try await SimulatorControl.connect(to: control) } else { SimulatorControl?.none }
        defer { simulator?.close() }
        let startedAt = Date()
        let workload = try load.workload(app: target.appID, isOwn: target.own, startedAt: startedAt)
        let configuration = try deployment?.configuration ?? target.configuration()
        let runner = LoadRunner(
            plan: load.plan(workload),
            configuration: configuration,
            simulator: simulator,
            watched: target.watched(deployment),
            interruption: interruption,
            showProgress: { Terminal.progress($0.fitted(to: Terminal.width - 1)) }
        )
        defer { Terminal.progress("") }
        let outcome = try await runner.run()
        var settings = load.settings(title: title, server: "\(configuration.address)", workload)
        settings.serverSoftware = outcome.serverSoftware
        settings.isOwnServer = target.own
        settings.serverFlags = target.serverFlag
        if target.own { (settings.data, settings.fileSystem) = (target.data, FileSystem.kind(of: target.data)) }
        var result = RunResult(outcome, settings: settings, machine: machine, startedAt: startedAt)
        result.notes = ResultNotes.all(
            on: result, wasInterrupted: outcome.wasInterrupted,
            hasOneClock: control.map { AddressArgument(address: $0).isLocal } ?? true, isLocal: target.isLocal)
        return result
    }
}
