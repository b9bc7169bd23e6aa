package import CarillonCore
import CarillonLMDB

extension LMDBRegistry {
    /// Why one device did or did not get one message; see `Registry.trace`.
    package func trace(
        of message: MessageID, device: DeviceReference, app: AppID
    ) throws(RegistryError) -> MessageTraceResult {
        try read { transaction, layout in
            guard let number = try layout.apps.get(transaction, app)?.number,
                let progress = try layout.progress.get(transaction, message), progress.app == number
            else { return .noMessage }
            guard let device = try Self.device(device, app: number, layout, transaction) else { return .noDevice }
            guard let record = try layout.messages.get(transaction, message) else {
                throw RegistryError.corrupted("messages: a content is missing")
            }
            let tracer = MessageTracer(
                message: message, record: record, progress: progress, device: device, silentBudget: silentBudget,
                now: wallClock(), layout: layout)
            return .trace(try tracer.trace(transaction))
        }
    }
}

/// Collects the registry's rows of one message and one device.
private struct MessageTracer {
    let message: MessageID
    let record: MessageRecord
    let progress: Progress
    let device: Device
    let silentBudget: LMDBRegistry.SilentBudget
    let now: Timestamp
    let layout: Layout

    private var app: AppNumber { progress.app }
    private var content: MessageContent { record.content }

    func trace(_ transaction: borrowing ReadTransaction) throws -> MessageTrace {
        let recipient = try recipient(transaction)
        let sources = try sources(isRecipient: recipient != nil, transaction)
        let membership = try membership(transaction)
        var trace = MessageTrace(
            device: device.id, isQuarantined: device.state == .quarantined, state: progress.state,
            addressing: .addressed, sources: sources.prefix(MessageTrace.sourceLimit).map { $0 },
            outcome: recipient?.outcome ?? .pending, isMuted: membership.isMuted,
            mutedGroups: membership.mutedGroups, language: language(), silentBudgetLeft: nil, attempts: [],
            nextAttemptAt: nil)
        var room: Timestamp?
        if content.pushType == .background, silentBudget.pushes > 0 {
            let times = try layout.silent.get(transaction, app: app, device.id)
            let used = times.count { silentBudget.counts($0, at: now) }
            trace.silentBudgetLeft = UInt32(clamping: max(0, silentBudget.pushes - used))
            room = content.overBudget == .wait ? silentBudget.room(after: times, at: now) : nil
        }
        guard let recipient else {
            trace.addressing = try addressingOfOthers(transaction)
            return trace
        }
        let place = recipient.place
        trace.attempts = try layout.attempts.get(transaction, place)
        if recipient.outcome == .pending {
            let delay = try layout.delays.get(transaction, message, page: place.page, position: place.position)
            let due = max(delay?.dueAt ?? .zero, room ?? .zero)
            trace.nextAttemptAt = due == .zero ? nil : due
        }
        return trace
    }

    // MARK: Addressing

    /// The device among the recipients of the pages that are fixed; nil if it is not there.
    private func recipient(
        _ transaction: borrowing ReadTransaction
    ) throws -> (place: AttemptTable.Place, outcome: Outcome)? {
        if progress.isLive {
            let (page, offset) = (device.id.chunk, device.id.offset)
            guard let outcomes = try layout.outcomes.getLive(transaction, message, page: page),
                outcomes.addressed.contains(offset)
            else { return nil }
            let place = AttemptTable.Place(message: message, page: page, position: offset)
            return (place, Outcome(rawValue: outcomes[offset]))
        }
        var search = RecipientSearch(layout: layout, progress: progress)
        guard let found = try search.position(of: device.id, in: message, transaction) else { return nil }
        guard let outcomes = try layout.outcomes.get(transaction, message, page: found.page),
            Int(found.position) < outcomes.count
        else { throw RegistryError.corrupted("recipients: a page does not fit its outcomes") }
        let place = AttemptTable.Place(message: message, page: found.page, position: found.position)
        return (place, Outcome(rawValue: outcomes[Int(found.position)]))
    }

    /// The addressing of a device that is in no page which is fixed.
    private func addressingOfOthers(_ transaction: borrowing ReadTransaction) throws -> MessageTrace.Addressing {
        guard let live = record.live, !progress.isFinished, !live.except.contains(device.id) else {
            return .notAddressed
        }
        if progress.outboxState != .scheduled, progress.startedAt != .zero {
            let isFixed = try layout.outcomes.getLive(transaction, message, page: device.id.chunk) != nil
            let isPast = device.id.chunk < progress.floor || device.id.rawValue >= live.bound
            if isFixed || isPast { return .notAddressed }
        }
        return try isInAudience(live.audience, transaction) ? .wouldBeAddressed : .wouldNotBeAddressed
    }

    private func isInAudience(_ audience: Audience, _ transaction: borrowing ReadTransaction) throws -> Bool {
        guard let condition = audience.condition else { return false }
        return try AudienceScan.with(ConditionPlan(condition), app: app, layout: layout, transaction) { scan in
            try scan.devices(in: device.id.chunk).contains(device.id.offset)
        }
    }

    // MARK: Sources

    private func sources(
        isRecipient: Bool, _ transaction: borrowing ReadTransaction
    ) throws -> [MessageTrace.Source] {
        guard let audience = record.live?.audience else { return isRecipient ? [.device] : [] }
        guard try isInAudience(audience, transaction) else { return [] }
        switch audience {
        case .devices: return [.device]
        case .all: return [.all]
        case .groups(let groups):
            return try groups.filter { try isIn(.group($0), transaction) }.map { .group($0) }
        case .topic(let topic): return try sources(of: topic, transaction)
        case .condition(let condition):
            return try condition.terms.filter { term in
                try isIn(SetLabel(term.set), transaction) != term.isNegated
            }.map { .term($0.description) }
        }
    }

    /// The device itself first, then its groups by name.
    private func sources(
        of topic: TopicName, _ transaction: borrowing ReadTransaction
    ) throws -> [MessageTrace.Source] {
        guard let number = try layout.sets.get(transaction, app: app, .topic(topic))?.number else { return [] }
        let held = try layout.memberships.get(transaction, app: app, device.id)
        let groups = try held.groups.filter {
            try layout.groupTopics.contains(transaction, app: app, group: $0, topic: number)
        }
        let itself: [MessageTrace.Source] = held.topics.containsSorted(number) ? [.topic(topic, through: nil)] : []
        return itself + (try names(of: groups, transaction).map { .topic(topic, through: $0) })
    }

    private func isIn(_ label: SetLabel, _ transaction: borrowing ReadTransaction) throws -> Bool {
        guard let number = try layout.sets.get(transaction, app: app, label)?.number else { return false }
        let bits = try layout.postings.get(transaction, app: app, set: number, chunk: device.id.chunk)
        return bits?.contains(device.id.offset) ?? false
    }

    // MARK: The device

    private func membership(
        _ transaction: borrowing ReadTransaction
    ) throws -> (isMuted: Bool, mutedGroups: [GroupName]) {
        guard let muted = try layout.sets.get(transaction, app: app, .muted)?.number else { return (false, []) }
        let held = try layout.memberships.get(transaction, app: app, device.id)
        let groups = try held.groups.filter {
            try layout.groupTopics.contains(transaction, app: app, group: $0, topic: muted)
        }
        return (
            held.topics.containsSorted(muted),
            Array(try names(of: groups, transaction).prefix(MessageTrace.sourceLimit))
        )
    }

    /// The names of groups, ascending.
    private func names(of groups: [SetNumber], _ transaction: borrowing ReadTransaction) throws -> [GroupName] {
        try groups.map { number in
            guard let name = try layout.setNames.get(transaction, app: app, number).flatMap({ GroupName($0.name) })
            else {
                throw RegistryError.corrupted("setnames: a group")
            }
            return name
        }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    private func language() -> String? {
        var choice = BodyChoice(content)
        guard let body = choice.body(for: device.locale ?? "") else { return nil }
        return body == 0 ? "" : content.bodies[Int(body) - 1].language
    }
}
