import CarillonClient
import CarillonCommandLine
import CarillonSimulatorControl
import Foundation

/// A server that is ready for loads, with all devices registered. An own server was started for the session.
struct LoadSession {
    private let target: TargetOptions
    private let load: LoadOptions
    private let deployment: LocalDeployment?
    private let control: CarillonClient.Configuration.Address?
    private let runner: LoadRunner
    private let serverSoftware: String
    private let serverBuild: Build?
    /// The machine before the first load.
    let machine: MachineDescription

    /// The number of signals that ask a load to end. The first ends it early, and the second also ends the wait for
    /// answers.
    static let maximumInterruptions = 2

    /// Starts a server or connects to one, and registers the devices. The session must be closed.
    static func open(_ target: TargetOptions, load: LoadOptions, interruption: Interruption) async throws
        -> LoadSession
    {
        let machine = MachineDescription.current
        let deployment = try await target.own ? LocalDeployment(parent: target.data, flags: target.serverFlag) : nil
        do {
            let configuration = try deployment?.configuration ?? target.configuration()
            let control = deployment?.simulatorControl ?? target.simulatorControl?.address
            let runner = LoadRunner(
                configuration: configuration,
                simulator: try await {
                    if let control { try await ControlClient.connect(to: control) } else { nil }
                }(),
                watchedProcesses: target.watchedProcesses(deployment, address: configuration.address),
                interruption: interruption,
                showProgress: { StandardError.showProgress($0.fitted(to: StandardError.columns - 1)) }
            )
            let workload = load.workload(app: target.app, startedAt: Date())
            if load.mix.hasSends, deployment == nil, !target.allowApple {
                try await runner.checkSimulator(workload, within: load.grace.duration)
            }
            let software = try await runner.prepare(workload.population)
            let processID = runner.watchedProcesses.first { $0.name == RunResult.ProcessUsage.server }?.processID
            return LoadSession(
                target: target, load: load, deployment: deployment, control: control, runner: runner,
                serverSoftware: software, serverBuild: processID.flatMap { Build.of(processID: $0) }, machine: machine)
        } catch {
            StandardError.clearProgress()
            deployment?.stop()
            throw error
        }
    }

    /// Returns the settings of a run at a rate; of a closed loop if the rate is nil.
    func settings(title: String, rate: Double?) -> RunResult.Settings {
        var settings = load.settings(title: title, rate: rate, target: target)
        settings.server = "\(runner.configuration.address)"
        settings.serverSoftware = serverSoftware
        return settings
    }

    /// Runs a load at a rate, or in a closed loop if `rate` is nil. `duration` replaces the usual duration if it is not
    /// nil.
    func measure(title: String, rate: Double?, duration: Duration? = nil) async throws -> RunResult {
        defer { StandardError.clearProgress() }
        let startedAt = Date()
        var plan = load.plan(load.workload(app: target.app, startedAt: startedAt), rate: rate)
        if let duration { plan.duration = duration }
        let measurements = try await runner.run(plan)
        var settings = settings(title: title, rate: rate)
        settings.durationSeconds = Double(plan.duration.nanoseconds) / 1e9
        var result = RunResult(measurements, settings: settings, machine: machine, startedAt: startedAt)
        result.serverBuild = serverBuild
        result.notes = ResultNotes.all(
            on: result, wasInterrupted: measurements.wasInterrupted, hasOneClock: control?.isLocal ?? true,
            isLocal: runner.configuration.address.isLocal)
        return result
    }

    /// Ends the processes and connections that the session has begun.
    func close() {
        runner.simulator?.close()
        deployment?.stop()
    }
}
