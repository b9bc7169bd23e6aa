package import CarillonCore
import CarillonLMDB

extension LMDBRegistry {
    /// Messages with devices still pending, by id, after `message`; at most `limit`.
    package func unfinishedMessages(after message: MessageID?, limit: Int) throws(RegistryError) -> [OutboxEntry] {
        try read { transaction, layout in
            var entries: [OutboxEntry] = []
            for id in try layout.outbox.messages(transaction, after: message, limit: limit) {
                guard let record = try layout.messages.get(transaction, id),
                    let progress = try layout.progress.get(transaction, id)
                else { throw RegistryError.corrupted("outbox: a message that is not there") }
                entries.append(
                    OutboxEntry(
                        id: id,
                        content: record.content,
                        acceptedAt: progress.acceptedAt,
                        notAfter: record.notAfter,
                        lane: record.lane,
                        pages: progress.pages
                    )
                )
            }
            return entries
        }
    }

    /// The recipients of a page that are still pending, with the tokens of this moment; nothing if there is no such page.
    ///
    /// For a device that is not registered any more, environment and kind mean nothing.
    package func pendingRecipients(of message: MessageID, page: UInt32) throws(RegistryError) -> RecipientPage? {
        try read { transaction, layout in
            guard let progress = try layout.progress.get(transaction, message), page < progress.pages else {
                return nil
            }
            guard let ids = try layout.recipients.get(transaction, message, page: page),
                let outcomes = try layout.outcomes.get(transaction, message, page: page), ids.count == outcomes.count
            else { throw RegistryError.corrupted("recipients: a page does not fit its outcomes") }
            let pending = outcomes.indices.filter { outcomes[$0] == Outcome.pending.rawValue }
            var builder = RecipientPage.Builder(capacity: pending.count)
            for position in pending {
                try Self.append(ids[position], at: position, app: progress.app, to: &builder, layout, transaction)
            }
            return builder.page(page, of: message)
        }
    }

    private static func append(
        _ rawID: UInt64,
        at position: Int,
        app: AppNumber,
        to builder: inout RecipientPage.Builder,
        _ layout: Layout,
        _ transaction: borrowing ReadTransaction
    ) throws {
        let id = DeviceID(rawValue: rawID)
        let isKnown: Void? = try layout.devices.visit(transaction, app, id) { head, token in
            builder.append(
                RecipientPage.Recipient(
                    position: UInt16(position),
                    device: id,
                    state: head.state,
                    environment: head.environment,
                    kind: head.kind,
                    registeredAt: head.registeredAt
                ),
                token: token
            )
        }
        guard isKnown == nil else { return }
        builder.append(
            RecipientPage.Recipient(
                position: UInt16(position),
                device: rawID == 0 ? nil : id,
                state: nil,
                environment: .production,
                kind: .device
            ),
            token: EmptyCollection<UInt8>()
        )
    }
}
