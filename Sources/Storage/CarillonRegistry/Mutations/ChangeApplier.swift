import CarillonCore
import CarillonLMDB

/// Applies changes inside the writer's transactions, one after the other. An applier knows the rules of related kinds
/// of change, and writes their rows. A few kinds need no applier: they are one call of a part of the context.
///
/// A change checks everything before it writes its rows, so a refused change writes no row. One exception: a new app
/// may get its number before the refusal. No answer shows it.
///
/// The effect of a change depends only on the stored rows, on its own fields, and in a cluster on the members: the one
/// that has appended it, and those that are live. With or without caches it is the same. A time or a setting comes from
/// the change or from a row. The one exception is a row that cannot be read: such rows differ from disk to disk, and so
/// do the items that are skipped.
final class ChangeApplier {
    let context: WriteContext

    private let registrations: RegistrationApplier
    private let unregistrations: UnregistrationApplier
    private let deviceUpdates: DeviceUpdateApplier
    private let groups: GroupApplier
    private let topics: TopicApplier
    private let sends: SendApplier
    private let resends: ResendApplier
    private let messageUpdates: MessageUpdateApplier
    private let schedule: ScheduleApplier
    private let outcomes: OutcomeApplier
    private let receipts: ReceiptApplier
    private let claims: ClaimApplier
    private let subscribers: SubscriberApplier

    init(context: WriteContext) {
        self.context = context
        registrations = RegistrationApplier(context)
        unregistrations = UnregistrationApplier(context)
        deviceUpdates = DeviceUpdateApplier(context)
        sends = SendApplier(context)
        groups = GroupApplier(context, sends: sends)
        topics = TopicApplier(context)
        resends = ResendApplier(context)
        messageUpdates = MessageUpdateApplier(context)
        schedule = ScheduleApplier(context)
        outcomes = OutcomeApplier(context)
        receipts = ReceiptApplier(context)
        claims = ClaimApplier(context)
        subscribers = SubscriberApplier(context)
    }

    /// Applies one change, changes that take effect together, or a sweep.
    ///
    /// - Throws: `RegistryError.corrupted`, `LMDBError`; the transaction must then be aborted.
    func apply(_ mutation: Mutation, in transaction: inout WriteTransaction) throws -> MutationAnswer {
        context.beginRequest()
        switch mutation {
        case .change(let change):
            return .change(try apply(change, in: &transaction))
        case .changes(let changes):
            var answers: [ChangeAnswer] = []
            answers.reserveCapacity(changes.count)
            for change in changes { answers.append(try apply(change, in: &transaction)) }
            return .changes(answers)
        case .sweep(let now):
            var sweep = RetentionSweep(in: context, at: now)
            return .swept(try sweep.run(in: &transaction))
        }
    }

    /// Applies one change.
    ///
    /// - Throws: `RegistryError.corrupted`, `LMDBError`; the transaction must then be aborted.
    func apply(_ change: Change, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        try context.sets.evictChunksIfFull(in: &transaction)
        if context.bufferedTopics.isFull || readsMemberships(change) {
            try context.bufferedTopics.flush(in: &transaction)
        }
        if context.tokenIndex.bufferedRows.isFull { try context.tokenIndex.flush(in: &transaction) }
        let answer = try answer(to: change, in: &transaction)
        try context.endChange(in: &transaction)
        return answer
    }

    private func readsMemberships(_ change: Change) -> Bool {
        // REGISTER comes by the million, so its traits are not computed. Its applier flushes the buffered topics itself
        // before it reads a membership.
        if case .register = change { return false }
        return change.traits.readsMemberships
    }

    // style: table, a row for each change
    private func answer(to change: Change, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        switch change {
        case .register(let registration, let now):
            return try registrations.register(registration, now: now, in: &transaction)
        case .unregister(let request, let now):
            return try unregistrations.unregister(
                request.device, app: request.app, at: request.at.effective(at: now), now: now, in: &transaction)
        case .updateDevice(let request):
            return try deviceUpdates.update(
                request.device, app: request.app, with: request.update, in: &transaction)
        case .restore(let request, _):
            return try deviceUpdates.restore(request.device, app: request.app, in: &transaction)
        case .join(let join, let sender, let now):
            return try groups.join(join, sender: sender, now: now, in: &transaction)
        case .leave(let leave):
            return try groups.leave(leave, in: &transaction)
        case .updateGroup(let request):
            return try groups.updateGroup(
                request.group, app: request.app, isMuted: request.isMuted, in: &transaction)
        case .subscribe(let subscription):
            return try topics.subscribe(subscription, in: &transaction)
        case .unsubscribe(let subscription):
            return try topics.unsubscribe(subscription, in: &transaction)
        case .accept(let message, let sender, let now):
            return try sends.accept(message, sender: sender, now: now, in: &transaction)
        case .setAudienceCount(let message, let devices):
            return try sends.setAudienceCount(devices, of: message, in: &transaction)
        case .resend(let resend, let sender, let now):
            return try resends.resend(resend, sender: sender, now: now, in: &transaction)
        case .updateMessage(let request, let now):
            return try messageUpdates.update(
                request.id, app: request.app, with: request.messageUpdate, now: now, in: &transaction)
        case .releaseScheduled(let now):
            return try schedule.release(now: now, in: &transaction)
        case .recordOutcomes(let record, let now):
            return try outcomes.record(record, now: now, in: &transaction)
        case .finish(let message, let now):
            return try context.outbox.finishLiveMessageIfDone(message, now: now, in: &transaction)
        case .countReceipts(let request, _):
            return try receipts.count(request.receipts, app: request.app, in: &transaction)
        case .claim(let message):
            return try claims.claim(message, in: &transaction)
        case .claimPages(let message, let pages):
            return try claims.claimPages(pages, of: message, in: &transaction)
        case .endBlock(let message, let first, let now):
            return try claims.endBlock(at: first, of: message, now: now, in: &transaction)
        case .releaseBlocks(let message):
            return try claims.releaseBlocks(of: message, in: &transaction)
        case .acknowledge(let subscriber, let sequence, let now):
            return try subscribers.acknowledge(subscriber, upTo: sequence, now: now, in: &transaction)
        case .forgetSubscriber(let subscriber):
            return try subscribers.forget(subscriber, in: &transaction)
        case .appendEvent(let event):
            try context.events.append(event, in: &transaction)
            return .applied
        case .configure(let settings):
            try context.settings.put(settings, in: &transaction)
            return .applied
        }
    }
}
