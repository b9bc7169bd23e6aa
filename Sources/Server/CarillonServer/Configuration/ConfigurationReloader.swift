import CarillonClock
import CarillonCore
import CarillonTLS
import CarillonTransport
import Logging
import NIOCore
import Synchronization

/// Reads settings and files again at SIGHUP. If all can be used, it puts them into force together; otherwise clients
/// and pushes notice no change. It also warns of certificates that end soon.
final class ConfigurationReloader: Sendable {
    private let readSettings: @Sendable () async throws -> Settings
    private let apply: @Sendable (Deployment) async throws -> PoolPlan
    private let metrics: ConfigurationMetrics
    private let logger: Logger
    private let deployment: Mutex<Deployment>
    private let reminder = Mutex(ExpiryReminder())

    /// The interval of checks of certificates. An hour is enough, because the warnings are days apart.
    private static let expiryCheckInterval = TimeAmount.hours(1)

    /// Makes a reloader.
    ///
    /// - Parameters:
    ///   - deployment: the deployment that is in force now.
    ///   - readSettings: reads the settings again.
    ///   - apply: puts a deployment into force, and returns what has changed in the pools. If it throws, the old
    ///     deployment stays in force, except perhaps for channel management, where that does no harm
    ///     (`CarillonServer.makeReloader`).
    init(
        _ deployment: Deployment, readSettings: @escaping @Sendable () async throws -> Settings,
        apply: @escaping @Sendable (Deployment) async throws -> PoolPlan, metrics: ConfigurationMetrics, logger: Logger
    ) {
        self.deployment = Mutex(deployment)
        self.readSettings = readSettings
        self.apply = apply
        self.metrics = metrics
        self.logger = logger
    }

    /// Reads everything again. If a file or setting cannot be used, nothing changes, and the log says why.
    func reload() async {
        let old = deployment.withLock { $0 }
        do {
            let settings = old.settings.applying(try await readSettings())
            var problems: [SettingsError] = []
            guard let read = Deployment(settings.reloaded, problems: &problems) else {
                return refuse(problems.map(\.description).joined(separator: "; "))
            }
            let new = read.keepingCredentials(of: old)
            let plan = try await apply(new)
            deployment.withLock { $0 = new }
            reportSuccess(plan)
            if settings.needsRestart {
                logger.warning("settings have changed that take effect only at the next start")
            }
            checkCertificates()
        } catch {
            refuse("\(error)")
        }
    }

    private func reportSuccess(_ plan: PoolPlan) {
        metrics.reloaded(at: Clock.wallTime())
        logger.notice(
            "settings and files are read again",
            metadata: [
                "pools_opened": "\(plan.toOpen.count)", "pools_replaced": "\(plan.toReplace.count)",
                "pools_renewed": "\(plan.toRenew.count)", "pools_drained": "\(plan.toClose.count)",
            ])
    }

    private func refuse(_ cause: String) {
        metrics.reloadRefused()
        logger.error("nothing is read again: everything stays as it was", metadata: ["error": "\(cause)"])
    }

    // MARK: Certificates

    /// Warns of certificates that end soon: checks them now and every hour.
    func watchExpiry(on loop: any EventLoop) -> RepeatedTask {
        loop.scheduleRepeatedTask(initialDelay: .zero, delay: Self.expiryCheckInterval) { [weak self] _ in
            self?.checkCertificates()
        }
    }

    private func checkCertificates() {
        let nowSeconds = Int64(Clock.wallTime().milliseconds / 1_000)
        for (name, certificate) in deployment.withLock({ $0.certificates }) {
            guard let endSeconds = certificate.notAfterSeconds else { continue }
            let secondsLeft = endSeconds - nowSeconds
            metrics.certificateEnds(name, atSeconds: endSeconds)
            guard let urgency = reminder.withLock({ $0.takeUrgency(of: name, secondsLeft: secondsLeft) }) else {
                continue
            }
            let metadata: Logger.Metadata = ["certificate": "\(name)", "days_left": "\(secondsLeft / 86_400)"]
            switch urgency {
            case .month: logger.notice("a certificate expires within 30 days", metadata: metadata)
            case .week: logger.warning("a certificate expires within 7 days", metadata: metadata)
            case .day: logger.error("a certificate expires within a day", metadata: metadata)
            case .expired: logger.critical("a certificate has expired", metadata: metadata)
            }
        }
    }
}

/// Decides when to warn that a certificate expires. There are four warnings: 30 days, 7 days and 1 day before, and when
/// it has expired.
struct ExpiryReminder: Hashable, Sendable {
    /// The urgency of a warning.
    enum Urgency: Int, Hashable, Sendable, Comparable {
        case month = 1
        case week
        case day
        case expired

        static func < (left: Urgency, right: Urgency) -> Bool { left.rawValue < right.rawValue }
    }

    private var reported: [String: Urgency] = [:]

    /// Returns the urgency to report of a certificate now; nil if it was reported before, or if there is nothing to
    /// report.
    ///
    /// - Parameters:
    ///   - name: the name of the certificate; each certificate has warnings of its own.
    ///   - seconds: the seconds until it expires; 0 or less if it has expired.
    mutating func takeUrgency(of name: String, secondsLeft seconds: Int64) -> Urgency? {
        guard let urgency = Self.urgency(seconds) else {
            // The certificate does not expire soon. If it was reported before, it was replaced.
            reported[name] = nil
            return nil
        }
        defer { reported[name] = urgency }
        guard let before = reported[name] else { return urgency }
        return before < urgency ? urgency : nil
    }

    private static func urgency(_ seconds: Int64) -> Urgency? {
        switch seconds {
        case ...0: .expired
        case ...86_400: .day
        case ...(7 * 86_400): .week
        case ...(30 * 86_400): .month
        default: nil
        }
    }
}
