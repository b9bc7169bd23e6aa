import CarillonCore
import CarillonLMDB

/// Finds out why a device did or did not get one message (TRACE).
struct MessageTracer {
    private let message: MessageID
    private let record: MessageRecord
    private let progress: MessageProgress
    /// The time for which silent-push budgets are counted.
    private let now: Timestamp
    private let tables: Tables

    /// Makes a tracer; nil if the app has no such message.
    init?(
        of message: MessageID, app: AppID, now: Timestamp, tables: Tables, in transaction: borrowing ReadTransaction
    ) throws {
        guard let number = try tables.apps.get(app, in: transaction)?.number,
            let progress = try tables.progress.get(message, in: transaction), progress.app == number
        else { return nil }
        guard let record = try tables.messages.get(message, in: transaction) else {
            throw RegistryError.corrupted("messages: a content is missing")
        }
        self.message = message
        self.record = record
        self.progress = progress
        self.now = now
        self.tables = tables
    }

    func trace(of device: DeviceReference, in transaction: borrowing ReadTransaction) throws -> MessageTraceResult {
        if record.channel != nil, device == .id(.channel) { return .trace(try channelTrace(in: transaction)) }
        guard let device = try tables.device(device, app: progress.app, in: transaction) else { return .noDevice }
        let tracer = DeviceTracer(
            message: message, record: record, progress: progress, device: device,
            silentBudget: try tables.meta.silentBudget(in: transaction), now: now, tables: tables)
        return .trace(try tracer.trace(in: transaction))
    }

    /// Returns the trace of a broadcast push. Its recipient is the channel, which has no state of a device.
    private func channelTrace(in transaction: borrowing ReadTransaction) throws -> MessageTrace {
        guard let outcome = try tables.outcomes.get(message, page: 0, in: transaction)?.first else {
            throw RegistryError.corrupted("outcomes: a page is missing")
        }
        let recipientKey = RecipientKey(message: message, page: 0, position: 0)
        let delay = try tables.delays.get(recipientKey, in: transaction)
        var trace = MessageTrace(
            device: .channel, state: progress.state, addressing: .recipient, outcome: Outcome(rawValue: outcome))
        trace.language = ""
        trace.attempts = try tables.attempts.get(recipientKey, in: transaction)
        trace.nextAttemptAt = trace.outcome == .pending ? delay?.dueAt : nil
        return trace
    }
}

/// Collects the rows of one device for the trace of a message.
private struct DeviceTracer {
    let message: MessageID
    let record: MessageRecord
    let progress: MessageProgress
    let device: DeviceRecord
    let silentBudget: RegistrySettings.SilentBudget
    let now: Timestamp
    let tables: Tables

    private var app: AppNumber { progress.app }
    private var content: MessageContent { record.content }

    func trace(in transaction: borrowing ReadTransaction) throws -> MessageTrace {
        let recipient = try findRecipient(in: transaction)
        let sources = try findSources(isRecipient: recipient != nil, in: transaction)
        let membership = try readMembership(in: transaction)
        var trace = MessageTrace(
            device: device.id, state: progress.state, addressing: .recipient, outcome: recipient?.outcome ?? .pending)
        trace.isQuarantined = device.state == .quarantined
        trace.sources = Array(sources.prefix(MessageTrace.maximumSources))
        trace.isMuted = membership.isMuted
        trace.mutedGroups = membership.mutedGroups
        trace.language = language()
        var nextPushTime: Timestamp?
        if content.pushType == .background, silentBudget.pushes > 0 {
            let times = try tables.silentPushes.get(device.id, app: app, in: transaction)
            let used = times.count { silentBudget.isCounted($0, at: now) }
            trace.silentBudgetLeft = UInt32(clamping: max(0, silentBudget.pushes - used))
            nextPushTime = content.overBudget == .wait ? silentBudget.nextPushTime(after: times, at: now) : nil
        }
        guard let recipient else {
            trace.addressing = try addressingOfOthers(in: transaction)
            return trace
        }
        let recipientKey = recipient.recipientKey
        trace.attempts = try tables.attempts.get(recipientKey, in: transaction)
        if recipient.outcome == .pending {
            let delay = try tables.delays.get(recipientKey, in: transaction)
            let due = max(delay?.dueAt ?? .zero, nextPushTime ?? .zero)
            trace.nextAttemptAt = due == .zero ? nil : due
        }
        return trace
    }

    // MARK: Addressing

    /// Finds the device among the recipients of the pages that are fixed; nil if it is not among them.
    private func findRecipient(
        in transaction: borrowing ReadTransaction
    ) throws -> (recipientKey: RecipientKey, outcome: Outcome)? {
        if progress.isLive {
            let page = device.id.chunk
            let offset = device.id.offset
            guard let outcomes = try tables.outcomes.getLive(message, page: page, in: transaction),
                outcomes.addressed.contains(offset)
            else { return nil }
            let recipientKey = RecipientKey(message: message, page: page, position: offset)
            return (recipientKey, Outcome(rawValue: outcomes[offset]))
        }
        var search = RecipientSearch(tables: tables, progress: progress)
        guard let found = try search.position(of: device.id, message: message, in: transaction) else { return nil }
        guard let outcomes = try tables.outcomes.get(message, page: found.page, in: transaction),
            Int(found.position) < outcomes.count
        else { throw RegistryError.corrupted("recipients: a page does not fit its outcomes") }
        let recipientKey = RecipientKey(message: message, page: found.page, position: found.position)
        return (recipientKey, Outcome(rawValue: outcomes[Int(found.position)]))
    }

    /// Returns the addressing of a device that is in no page which is fixed.
    private func addressingOfOthers(in transaction: borrowing ReadTransaction) throws -> MessageTrace.Addressing {
        guard let live = record.live, !progress.isFinished, !live.excluded.contains(device.id) else {
            return .noRecipient
        }
        if progress.hold != .scheduled, progress.sendableSince != nil {
            let isFixed = try tables.outcomes.getLive(message, page: device.id.chunk, in: transaction) != nil
            let isPast = device.id.chunk < progress.firstPendingPage || device.id.rawValue >= live.idBound
            if isFixed || isPast { return .noRecipient }
        }
        return try isInAudience(live.audience, in: transaction) ? .wouldBeRecipient : .wouldBeNoRecipient
    }

    private func isInAudience(_ audience: Audience, in transaction: borrowing ReadTransaction) throws -> Bool {
        guard let condition = audience.condition else { return false }
        return try tables.withScan(of: ConditionPlan(condition), app: app, in: transaction) { scan in
            try scan.devices(in: device.id.chunk).contains(device.id.offset)
        }
    }

    // MARK: Sources

    private func findSources(
        isRecipient: Bool, in transaction: borrowing ReadTransaction
    ) throws -> [MessageTrace.Source] {
        guard let audience = record.live?.audience else { return isRecipient ? [.device] : [] }
        guard try isInAudience(audience, in: transaction) else { return [] }
        switch audience {
        case .devices: return [.device]
        // A channel is never a live audience.
        case .channel: return []
        case .all: return [.all]
        case .groups(let groups):
            return try groups.filter { try isMember(of: .group($0), in: transaction) }.map { .group($0) }
        case .topic(let topic): return try findSources(of: topic, in: transaction)
        case .condition(let condition):
            return try condition.terms.filter { term in
                try isMember(of: SetLabel(term.set), in: transaction) != term.isNegated
            }.map { .term($0.description) }
        }
    }

    /// Returns the sources of a topic for the device: the device itself first, then its groups by name.
    private func findSources(
        of topic: TopicName, in transaction: borrowing ReadTransaction
    ) throws -> [MessageTrace.Source] {
        guard let number = try tables.sets.get(.topic(topic), app: app, in: transaction)?.number else { return [] }
        let held = try tables.memberships.get(device.id, app: app, in: transaction)
        let groups = try held.groups.filter {
            try tables.groupTopics.contains(app: app, group: $0, topic: number, in: transaction)
        }
        let itself: [MessageTrace.Source] = held.topics.containsSorted(number) ? [.topic(topic, through: nil)] : []
        return itself + (try names(of: groups, in: transaction).map { .topic(topic, through: $0) })
    }

    private func isMember(of label: SetLabel, in transaction: borrowing ReadTransaction) throws -> Bool {
        guard let number = try tables.sets.get(label, app: app, in: transaction)?.number else { return false }
        let bits = try tables.postings.get(
            PostingTable.RowKey(app: app, set: number, chunk: device.id.chunk), in: transaction)
        return bits?.contains(device.id.offset) ?? false
    }

    // MARK: The device

    private func readMembership(
        in transaction: borrowing ReadTransaction
    ) throws -> (isMuted: Bool, mutedGroups: [GroupName]) {
        guard let muted = try tables.sets.get(.muted, app: app, in: transaction)?.number else { return (false, []) }
        let held = try tables.memberships.get(device.id, app: app, in: transaction)
        let groups = try held.groups.filter {
            try tables.groupTopics.contains(app: app, group: $0, topic: muted, in: transaction)
        }
        return (
            held.topics.containsSorted(muted),
            Array(try names(of: groups, in: transaction).prefix(MessageTrace.maximumSources))
        )
    }

    /// Returns the names of groups, ascending.
    private func names(of groups: [SetNumber], in transaction: borrowing ReadTransaction) throws -> [GroupName] {
        try groups.map { try tables.setNames.group($0, app: app, in: transaction) }
            .sorted { $0.name.isBefore($1.name) }
    }

    private func language() -> String? {
        var choice = PayloadChoice(content)
        guard let index = choice.payloadIndex(for: device.locale ?? "") else { return nil }
        return index == 0 ? "" : content.bodies[Int(index) - 1].language
    }
}
