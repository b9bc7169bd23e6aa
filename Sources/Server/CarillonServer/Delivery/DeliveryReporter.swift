import CarillonClock
import CarillonCore
import CarillonDelivery
import CarillonTransport
import Logging
import Synchronization

/// Reports on delivery: writes lines of the log, events for subscribers, and the alarms of the metrics.
final class DeliveryReporter: Sendable {
    private let registry: any ChangeQueue
    private let outcomeMetrics: OutcomeMetrics
    private let logger: Logger
    /// Messages that cannot be read and were logged: their queues are read again and again.
    private let reportedUnreadable = Mutex<Set<MessageID>>([])

    /// The most messages of `reportedUnreadable`; beyond it they are forgotten and logged again.
    private static let maximumReportedUnreadable = 10_000

    init(_ registry: any ChangeQueue, outcomeMetrics: OutcomeMetrics, logger: Logger) {
        self.registry = registry
        self.outcomeMetrics = outcomeMetrics
        self.logger = logger
    }

    /// Writes an event that does not come from a change of the registry.
    func publish(_ event: Event) {
        registry.submit(.appendEvent(event), deadline: nil) { _ in }
    }

    // MARK: Messages and outcomes

    /// Logs messages that cannot be read. They stay in the outbox for an operator; the others go on.
    func report(_ unreadable: [UnreadableMessage]) {
        for message in unreadable where markReported(message.id) {
            logger.critical(
                "a message cannot be read and is not sent",
                metadata: ["message": "\(message.id)", "error": "\(message.reason)"])
        }
    }

    /// Marks a message that cannot be read as reported; returns false if it was before.
    private func markReported(_ message: MessageID) -> Bool {
        reportedUnreadable.withLock { reported in
            if reported.count >= Self.maximumReportedUnreadable { reported.removeAll() }
            return reported.insert(message).inserted
        }
    }

    /// Logs outcomes that are not on disk and never will be.
    func reportLost(_ record: OutcomeRecord, answer result: Result<ChangeAnswer, RegistryError>) {
        switch result {
        case .success(let answer):
            logger.critical(
                "outcomes are refused and lost",
                metadata: [
                    "message": "\(record.message)", "page": "\(record.page)",
                    "outcomes": "\(record.endedRecipients.count)", "answer": "\(answer)",
                ])
        // A failed disk stops the server. A corrupt row stops its own message, which stays unfinished.
        case .failure(let error): logger.critical("outcomes cannot be written", metadata: ["error": "\(error)"])
        }
    }

    // MARK: Alarms of the engine

    func report(_ alarm: DeliveryEngine.AlarmReport) {
        switch alarm {
        case .badTokens(let app, let destination, let isOver): reportBadTokens(of: app, at: destination, isOver: isOver)
        case .credentialRefused(let pool, let app, let reason, let trialMilliseconds, let isFirst):
            // Each refused trial is logged here. Most of them are an hour apart.
            logger.error(
                "\(pool.destination.provider.title) refuses the credential; messages wait, and a push is tried later",
                metadata: [
                    "pool": "\(pool)", "app": "\(app?.name ?? "all")", "reason": "\(reason)",
                    "next_attempt_seconds": "\(trialMilliseconds / 1_000)",
                ])
            guard isFirst else { return }
            publish(Event(at: Clock.wallTime(), kind: .credentialRefused, app: app, text: "\(pool)"))
        case .credentialAccepted(let pool, let app):
            logger.notice(
                "\(pool.destination.provider.title) accepts the credential again",
                metadata: ["pool": "\(pool)", "app": "\(app?.name ?? "all")"])
        }
    }

    private func reportBadTokens(of app: AppID, at destination: PushDestination, isOver: Bool) {
        outcomeMetrics.setAlarm(for: app, to: destination, isOn: !isOver)
        publish(
            Event(
                at: Clock.wallTime(), kind: isOver ? .badTokensEnded : .badTokensBegan, app: app,
                text: destination.name))
        let metadata: Logger.Metadata = ["app": "\(app)", "destination": "\(destination.name)"]
        let provider = destination.provider.title
        guard !isOver else {
            return logger.notice(
                "\(provider) accepts the tokens again; devices with dead tokens are quarantined", metadata: metadata)
        }
        let cause = destination.provider == .apns ? "a wrong environment or bundle id" : "a wrong project"
        logger.critical(
            "\(provider) calls many tokens bad: \(cause)? No device is quarantined for it", metadata: metadata)
    }
}

extension Provider {
    /// The name in log lines.
    fileprivate var title: String {
        switch self {
        case .apns: "APNs"
        case .fcm: "FCM"
        case .web: "Web Push"
        }
    }
}
