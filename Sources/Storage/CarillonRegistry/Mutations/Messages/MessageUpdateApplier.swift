import CarillonCore
import CarillonLMDB

/// Applies UPDATE_MESSAGE: cancel, pause, resume and pace.
final class MessageUpdateApplier {
    private let context: WriteContext
    private let tables: Tables

    init(_ context: WriteContext) {
        self.context = context
        tables = context.tables
    }

    /// Applies UPDATE_MESSAGE (Protocol 10.6). An update that changes nothing is answered, but makes no event.
    func update(
        _ message: MessageID,
        app: AppID,
        with messageUpdate: MessageUpdate,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard let appNumber = try context.ids.knownNumber(of: app, in: transaction),
            var progress = try tables.progress.get(message, in: transaction), progress.app == appNumber
        else { return .refused(.notFound) }
        guard !progress.isFinished else { return .messageUpdated(.finished, outbound: nil) }
        guard let text = progress.eventText(for: messageUpdate) else {
            return .messageUpdated(progress.state, outbound: nil)
        }
        let event = Event(at: now, kind: .messageUpdated, app: app, message: message, text: text)
        try context.events.append(event, in: &transaction)
        var outbound: OutboundMessage?
        switch messageUpdate {
        case .cancel:
            progress.isCancelled = true
            outbound = try context.outbox.move(message, progress: &progress, now: now, in: &transaction)
        case .pause:
            try context.outbox.remove(message, progress: progress, in: &transaction)
            progress.hold = .paused
        case .resume:
            if progress.hold == .paused, let due = progress.timeToCome(after: now) {
                progress.hold = .scheduled
                try tables.schedule.insert(message, due: due, in: &transaction)
            } else {
                outbound = try context.outbox.move(message, progress: &progress, now: now, in: &transaction)
            }
        case .pace(let pace):
            progress.pace = pace
            try context.storedClaims.setOneSender(pace != nil, of: message, in: &transaction)
        }
        try tables.progress.put(progress, for: message, in: &transaction)
        return .messageUpdated(progress.state, outbound: outbound)
    }
}

extension MessageProgress {
    /// Returns the text of the event of a message update; nil if the update changes nothing.
    fileprivate func eventText(for messageUpdate: MessageUpdate) -> String? {
        switch messageUpdate {
        case .cancel: isCancelled ? nil : "cancelled"
        case .pause: isCancelled || hold == .paused ? nil : "paused"
        case .resume: hold == .none ? nil : "resumed"
        case .pace(let pace): pace == self.pace ? nil : "paced"
        }
    }
}
