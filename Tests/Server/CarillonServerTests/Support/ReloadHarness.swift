import CarillonTestKit
import Synchronization

@testable import CarillonServer

/// A reloader of files, and the deployments that it has put into force.
final class ReloadHarness: Sendable {
    /// The error of a deployment that cannot be put into force.
    struct CannotApply: Error {}

    let files: DeploymentFiles
    let log = RecordingLog()
    private let prometheus = Prometheus()
    private let state: Mutex<(settings: Settings, applied: [Deployment], failed: [Deployment], fails: Bool)>
    private let reloader: Mutex<ConfigurationReloader?> = Mutex(nil)

    init() throws {
        files = try DeploymentFiles()
        let first = try files.deployment()
        state = Mutex((first.settings, [first], [], false))
        let made = ConfigurationReloader(
            first, readSettings: { [unowned self] in state.withLock { $0.settings } },
            apply: { [unowned self] deployment in try apply(deployment) },
            metrics: ConfigurationMetrics(factory: prometheus), logger: log.logger)
        reloader.withLock { $0 = made }
    }

    private func apply(_ deployment: Deployment) throws -> PoolPlan {
        try state.withLock { state in
            if state.fails {
                state.failed.append(deployment)
                throw CannotApply()
            }
            defer { state.applied.append(deployment) }
            return PoolPlan(from: state.applied.last?.pools ?? [:], refused: [], to: deployment.pools)
        }
    }

    /// The deployments in force, the first one included.
    var applied: [Deployment] { state.withLock { $0.applied } }

    /// The deployments that could not be put into force.
    var failed: [Deployment] { state.withLock { $0.failed } }

    /// Changes the settings that are read next.
    func changeSettings(_ body: @Sendable (inout Settings) -> Void) { state.withLock { body(&$0.settings) } }

    /// Lets the next deployments fail when they are put into force, or succeed again.
    func failToApply(_ fails: Bool) { state.withLock { $0.fails = fails } }

    func hangUp() async { await reloader.withLock { $0 }?.reload() }

    /// Returns the number of reloads by their result, as the metric counts them.
    func count(_ result: String) -> Int {
        let line = prometheus.text().split(separator: "\n").first {
            $0.hasPrefix("carillon_reloads_total{result=\"\(result)\"} ")
        }
        return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }
}
