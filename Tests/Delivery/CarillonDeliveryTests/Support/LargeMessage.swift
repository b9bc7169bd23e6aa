import CarillonCore
import CarillonDelivery

/// A message of 60 pages, its disk, and connections that could send 10,000 pushes a second.
struct LargeMessage {
    static let pageCount: UInt32 = 60
    static let recipients = Int(pageCount) * RegistryLimits.recipientsPerPage

    var harness = EngineHarness()
    /// The delays on disk, by recipient.
    private var delays: [UInt64: OutcomeRecord.Delay] = [:]
    private(set) var outcomes: [UInt64: Outcome] = [:]

    init() {
        harness.engine.messageAccepted(.message(1, lane: .bulk), at: harness.now)
        runActions()
    }

    private static func device(_ page: UInt32, _ position: UInt16) -> UInt64 {
        UInt64(page) * UInt64(RegistryLimits.recipientsPerPage) + UInt64(position) + 1
    }

    private func page(_ number: UInt32) -> RecipientPage {
        var builder = RecipientPage.Builder(capacity: RegistryLimits.recipientsPerPage)
        for position in 0..<UInt16(RegistryLimits.recipientsPerPage) {
            let device = Self.device(number, position)
            guard outcomes[device] == nil else { continue }
            let delay = delays[device]
            builder.append(
                .init(
                    position: position, device: DeviceID(rawValue: device), environment: .production,
                    attempts: delay?.attempts ?? 0, dueAt: delay?.dueAt ?? .zero), token: [1])
        }
        return builder.page(number, of: MessageID(rawValue: 1), isLast: number + 1 == Self.pageCount)
    }

    private mutating func runActions() {
        while true {
            let actions = harness.takeActions()
            for record in actions.records {
                for delay in record.delays { delays[Self.device(record.page, delay.position)] = delay }
                for ended in record.endedRecipients {
                    outcomes[Self.device(record.page, ended.position)] = ended.outcome
                }
            }
            if actions.pageReads.isEmpty && actions.records.isEmpty { return }
            for read in actions.pageReads { harness.engine.pageRead(page(read.page), for: read, at: harness.now) }
        }
    }

    /// Lets time pass until all recipients have an outcome, if every answer is `delivered`.
    mutating func finish() {
        _ = attempts(seconds: 30, .delivered)
        while outcomes.count < Self.recipients, let deadline = harness.engine.deadline {
            harness.advance(deadline - min(deadline, harness.now.uptime))
            _ = attempts(seconds: 1, .delivered)
        }
    }

    /// Lets that many seconds pass, and returns the attempts in each second, if every answer is this one.
    mutating func attempts(seconds: Int, _ verdict: Verdict) -> [Int] {
        (0..<seconds).map { _ in
            (0..<10).reduce(0) { count, _ in
                let deliveries = harness.pull(1_000)
                runActions()
                harness.advance(100)
                harness.complete(deliveries, verdict)
                runActions()
                return count + deliveries.count
            }
        }
    }
}
