import CarillonCore
import CarillonWire

/// Messages (Protocol 8).
extension RequestRunner {
    func send(_ message: Message, _ work: Work) {
        let content = message.content
        guard served.carries(content.pushType, for: content.app) else {
            return work.answer(
                .failure(
                    ErrorReply(
                        .invalidArgument,
                        message: content.pushType.needsProviderToken
                            ? "\(content.pushType.name) needs a key: the app has certificates only"
                            : "no certificate of the app is for \(content.pushType.name)",
                        field: "push_type")))
        }
        // It only reads, maybe all of the app, and the writer would keep everybody waiting meanwhile.
        if message.isDryRun { return browse(.send(message), work) }
        submit(.accept(message, now: work.now), work) { [self] change in
            guard case .accepted(let acceptance, let entry) = change else { return nil }
            if let entry {
                delivery.messageAccepted(entry)
            } else if let sendAt = message.sendAt {
                delivery.scheduled(at: sendAt)
            }
            return .accepted(acceptance)
        }
    }

    func updateMessage(_ it: MessageUpdateRequest, _ work: Work) {
        submit(.updateMessage(it.id, app: it.app, it.messageUpdate, now: work.now), work, missing: Self.noMessage) {
            [self] change in
            guard case .messageUpdated(let state, let entry) = change else { return nil }
            delivery.messageUpdated(it.id, it.messageUpdate, entry: entry)
            return .messageUpdated(state)
        }
    }

    func resend(_ it: MessageResend, _ work: Work) {
        let change = Change.resend(
            it.id, app: it.app, key: it.key, outcomes: Set(it.outcomes), notAfter: it.notAfter, now: work.now)
        submit(change, work, missing: Self.noMessage) { [self] change in
            guard case .accepted(let acceptance, let entry) = change else { return nil }
            if let entry { delivery.messageAccepted(entry) }
            return .resent(acceptance)
        }
    }

    func count(_ it: ReceiptBatch, _ work: Work) {
        submit(.count(it.receipts, app: it.app, now: work.now), work) { change in
            guard case .counted(let counted, let unknown) = change else { return nil }
            return .receiptsCounted(ReceiptCount(counted: counted, unknown: unknown))
        }
    }
}
