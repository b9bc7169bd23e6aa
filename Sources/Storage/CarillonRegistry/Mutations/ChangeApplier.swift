import CarillonCore
import CarillonLMDB

/// An applier of changes inside the writer's transactions, one after the other: each kind of change is a function of
/// ``WriteContext``.
///
/// A change checks everything before it writes its rows, so a refused change writes no row. One exception: a new app
/// may get its number before the refusal. No answer shows it.
struct ChangeApplier {
    let context: WriteContext

    /// Applies the changes of a submission, or sweeps.
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
            try context.flushBufferedTopics(in: &transaction)
        }
        if context.tokenIndex.bufferedRows.isFull { try context.tokenIndex.flush(in: &transaction) }
        let answer = try answer(to: change, in: &transaction)
        try context.endChange(in: &transaction)
        return answer
    }

    private func readsMemberships(_ change: Change) -> Bool {
        // REGISTER comes by the million and never reads memberships here, so its other costs are not computed.
        if case .register = change { return false }
        return change.traits.readsMemberships
    }

    // style: table, a row for each change
    private func answer(to change: Change, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        switch change {
        case .register(let registration, let now):
            try context.register(registration, now: now, in: &transaction)
        case .unregister(let request, let now):
            try context.unregister(
                request.device, app: request.app, at: request.at.effective(at: now), now: now,
                in: &transaction)
        case .updateDevice(let request):
            try context.updateDevice(request.device, app: request.app, with: request.update, in: &transaction)
        case .join(let join, let sender, let now):
            try context.join(join, sender: sender, now: now, in: &transaction)
        case .leave(let leave):
            try context.leave(leave, in: &transaction)
        case .subscribe(let subscription):
            try context.subscribe(subscription, in: &transaction)
        case .unsubscribe(let subscription):
            try context.unsubscribe(subscription, in: &transaction)
        case .updateGroup(let request):
            try context.updateGroup(request.group, app: request.app, isMuted: request.isMuted, in: &transaction)
        case .accept(let message, let sender, let now):
            try context.accept(message, sender: sender, now: now, in: &transaction)
        case .setAudienceCount(let message, let devices):
            try context.setAudienceCount(devices, of: message, in: &transaction)
        case .recordOutcomes(let record, let now):
            try context.recordOutcomes(record, now: now, in: &transaction)
        case .finish(let message, let now):
            try context.finishLiveMessageIfDone(message, now: now, in: &transaction)
        case .updateMessage(let request, let now):
            try context.updateMessage(
                request.id, app: request.app, with: request.messageUpdate, now: now, in: &transaction)
        case .resend(let resend, let sender, let now):
            try context.resend(resend, sender: sender, now: now, in: &transaction)
        case .releaseScheduled(let now):
            try context.releaseScheduled(now: now, in: &transaction)
        case .claim(let message):
            try context.claim(message, in: &transaction)
        case .claimPages(let message, let pages):
            try context.claimPages(pages, of: message, in: &transaction)
        case .endBlock(let message, let first, let now):
            try context.endBlock(at: first, of: message, now: now, in: &transaction)
        case .releasePages(let message):
            try context.releasePages(of: message, in: &transaction)
        case .countReceipts(let request, _):
            try context.countReceipts(request.receipts, app: request.app, in: &transaction)
        case .restore(let request, _):
            try context.restore(request.device, app: request.app, in: &transaction)
        case .appendEvent(let event):
            try context.appendEvent(event, in: &transaction)
        case .acknowledge(let subscriber, let sequence, let now):
            try context.acknowledge(subscriber, upTo: sequence, now: now, in: &transaction)
        case .forgetSubscriber(let subscriber):
            try context.forgetSubscriber(subscriber, in: &transaction)
        case .configure(let settings):
            try context.configure(settings, in: &transaction)
        }
    }
}
