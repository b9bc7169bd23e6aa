import CarillonCore
import CarillonLMDB

/// Applies RESEND: a new message to some recipients of a finished one.
final class ResendApplier {
    private let tables: Tables
    private let ids: IDAllocator
    private let idempotencyStore: IdempotencyStore
    private let messages: MessageWriter

    init(_ context: WriteContext) {
        tables = context.tables
        ids = context.ids
        idempotencyStore = IdempotencyStore(context)
        messages = MessageWriter(context)
    }

    /// Applies RESEND: makes a new message with the content of a finished one, to a list of its devices with one of the
    /// outcomes.
    ///
    /// Recipients are copied page by page, and no device is looked up: a device that must not be sent to gets its
    /// outcome when the page is read.
    func resend(
        _ request: ResendRequest,
        sender: String?,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard let app = try ids.knownNumber(of: request.app, in: transaction) else { return .refused(.notFound) }
        let scope = ChangeScope(app: app, now: now)
        let outcomes = Set(request.outcomes)
        // The answer of a key outlives its message.
        let meaning = try idempotencyStore.meaning(
            of: request.idempotencyKey,
            fingerprint: RequestFingerprint(ofResending: request.id, outcomes: outcomes, notAfter: request.notAfter),
            scope: scope, in: transaction)
        if case .answered(let answer) = meaning { return answer }
        switch try decide(about: request, scope: scope, in: transaction) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let record, let old, let label):
            let id = try ids.newMessage(in: transaction)
            var progress = MessageProgress(
                app: app, lane: record.lane, pushType: record.content.pushType, isLive: false, acceptedAt: now)
            progress.sendableSince = now
            progress.pace = old.pace
            let isWanted = outcomes.isEmpty ? \.isUsuallyResent : { @Sendable in outcomes.contains($0) }
            var copy = RecipientCopy(message: id)
            try copyRecipients(of: request.id, isLive: old.isLive, where: isWanted, to: &copy, in: &transaction)
            try copy.writeRest(to: tables, in: &transaction)
            progress.pageCount = copy.pageCount
            if copy.count > 0 { progress.counts.add(Outcome.pending.rawValue, count: copy.count) }
            let metadata = MessageMetadata(sender: sender, label: label)
            var new = NewMessage(id: id, keyMeaning: meaning, progress: progress)
            return try messages.store(&new, record: record, metadata: metadata, in: &transaction)
        }
    }

    private enum Decision {
        case refused(ChangeAnswer.Refusal)
        /// The record of the new message, the progress of the old one, and the label of both.
        case accepted(MessageRecord, MessageProgress, label: String?)
    }

    /// Decides whether a message can be resent, and changes nothing.
    private func decide(
        about request: ResendRequest, scope: ChangeScope, in transaction: borrowing WriteTransaction
    ) throws -> Decision {
        guard let old = try tables.progress.get(request.id, in: transaction), old.app == scope.app else {
            return .refused(.notFound)
        }
        guard old.isFinished else { return .refused(.unfinished) }
        guard var record = try tables.messages.get(request.id, in: transaction) else {
            throw RegistryError.corrupted("messages: a content is missing")
        }
        let label = try tables.messageMetadata.get(request.id, in: transaction).label
        // A broadcast push has no devices: the new message has no recipients, and is not a broadcast.
        record.channel = nil
        record.key = request.idempotencyKey
        record.notAfter = request.notAfter ?? record.notAfter
        record.live = nil
        // The message could be sent to no device. It is refused at once, because its time is known to be over now.
        if let notAfter = record.notAfter, notAfter < scope.now { return .refused(.outOfTime) }
        return .accepted(record, old, label: label)
    }

    private func copyRecipients(
        of message: MessageID,
        isLive: Bool,
        where isWanted: (Outcome) -> Bool,
        to copy: inout RecipientCopy,
        in transaction: inout WriteTransaction
    ) throws {
        var from: UInt32 = 0
        while let page = try tables.outcomes.nextPage(message, from: from, in: transaction) {
            if isLive {
                guard let outcomes = try tables.outcomes.getLive(message, page: page, in: transaction) else { break }
                for offset in outcomes.addressed where isWanted(Outcome(rawValue: outcomes[offset])) {
                    copy.ids.append(DeviceID(chunk: page, offset: offset).rawValue)
                }
            } else {
                guard let ids = try tables.recipients.get(message, page: page, in: transaction),
                    let outcomes = try tables.outcomes.get(message, page: page, in: transaction),
                    ids.count == outcomes.count
                else { throw RegistryError.corrupted("recipients: a page does not fit its outcomes") }
                // The id 0 is a token that was not registered, or a broadcast channel.
                for (id, outcome) in zip(ids, outcomes) where id > 0 && isWanted(Outcome(rawValue: outcome)) {
                    copy.ids.append(id)
                }
            }
            try copy.writeFullPages(to: tables, in: &transaction)
            guard page < .max else { break }
            from = page + 1
        }
    }
}

/// The recipients that are copied into pages of another message: ascending, at most two pages in memory.
private struct RecipientCopy {
    let message: MessageID
    var ids: [UInt64] = []
    private(set) var pageCount: UInt32 = 0
    private(set) var count: UInt64 = 0

    init(message: MessageID) {
        self.message = message
    }

    mutating func writeFullPages(to tables: Tables, in transaction: inout WriteTransaction) throws {
        while ids.count >= RegistryLimits.recipientsPerPage {
            try write(RegistryLimits.recipientsPerPage, to: tables, in: &transaction)
        }
    }

    mutating func writeRest(to tables: Tables, in transaction: inout WriteTransaction) throws {
        try writeFullPages(to: tables, in: &transaction)
        if !ids.isEmpty { try write(ids.count, to: tables, in: &transaction) }
    }

    private mutating func write(_ length: Int, to tables: Tables, in transaction: inout WriteTransaction) throws {
        let outcomes = [UInt8](repeating: Outcome.pending.rawValue, count: length)
        try tables.recipients.put(ids[..<length], for: message, page: pageCount, in: &transaction)
        try tables.outcomes.put(outcomes.span, for: message, page: pageCount, in: &transaction)
        ids.removeFirst(length)
        pageCount += 1
        count += UInt64(length)
    }
}

extension Outcome {
    /// True if RESEND copies recipients with this outcome when its caller names no outcomes. It leaves out delivered
    /// recipients, devices that have left the audience, and devices that no message can reach.
    fileprivate var isUsuallyResent: Bool {
        let others: [Outcome] = [
            .pending, .delivered, .unregistered, .quarantined, .tokenUnregistered, .tokenExpired, .left,
        ]
        return !others.contains(self)
    }
}
