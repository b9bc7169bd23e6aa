import CarillonCluster
import CarillonCore
import CarillonLMDB

/// A reader of the outbox that returns the messages which this server sends.
struct OutboxReader {
    /// The sender whose messages are read.
    enum Sender {
        /// The server is in no cluster, and sends all messages.
        case onlyServer
        /// The node is no member of its cluster, and sends nothing.
        case nodeOutside
        /// The node sends what it has claimed in this incarnation. A claim of a member that is not live does not count.
        case member(UInt64, among: LiveMembers)

        /// Makes the sender of a registry; nil for `exchange` if the registry is in no cluster.
        init(_ exchange: ReplicaExchange?) {
            guard let exchange else {
                self = .onlyServer
                return
            }
            guard let applied = exchange.appliedState, let member = applied.member else {
                self = .nodeOutside
                return
            }
            self = .member(member.incarnation, among: applied.record.live)
        }
    }

    let sender: Sender
    let tables: Tables

    /// Returns the unfinished messages of a queue that the server sends, by id, after `message`; looks at no more than
    /// `limit`.
    func messages(
        in queue: OutboxQueue, after message: MessageID?, limit: Int, in transaction: borrowing ReadTransaction
    ) throws -> OutboxPage {
        guard let app = try tables.apps.get(queue.app, in: transaction)?.number else { return OutboxPage(isEnd: true) }
        let stored = OutboxTable.StoredQueue(lane: queue.lane, app: app)
        let ids = try tables.outbox.messages(queue: stored, after: message, limit: limit, in: transaction)
        var page = OutboxPage(last: ids.last, isEnd: ids.count < limit)
        for id in try own(ids, in: transaction) {
            do throws(RegistryError) {
                if let own = try outbound(id, in: transaction) { page.messages.append(own) }
            } catch .corrupted(let reason) {
                page.unreadable.append(UnreadableMessage(id: id, reason: reason))
            }
        }
        return page
    }

    /// Returns the messages that the server sends, whole or in part.
    private func own(_ messages: [MessageID], in transaction: borrowing ReadTransaction) throws -> [MessageID] {
        switch sender {
        case .onlyServer: return messages
        case .nodeOutside: return []
        case .member(let incarnation, let live):
            guard let claims = tables.claims else { return [] }
            return try messages.filter {
                try claims.get($0, in: transaction)?.claims.maySendAny(by: incarnation, among: live) == true
            }
        }
    }

    /// Returns a message as the server sends it, with its share; nil if the server does not send it.
    private func outbound(
        _ id: MessageID, in transaction: borrowing ReadTransaction
    ) throws(RegistryError) -> OutboundMessage? {
        do {
            guard let record = try tables.messages.get(id, in: transaction),
                let progress = try tables.progress.get(id, in: transaction)
            else { throw RegistryError.corrupted("outbox: message \(id) has no row in messages or progress") }
            let whole = OutboundMessage(id, record: record, progress: progress)
            guard case .member(let incarnation, let live) = sender else { return whole }
            return try tables.addingShare(of: incarnation, to: whole, among: live, in: transaction)
        } catch {
            throw RegistryError(reading: error)
        }
    }

    /// Returns the queues that have unfinished messages of any sender.
    ///
    /// - Parameter onUnreadable: called with a description of each app that cannot be read or is unknown.
    func queues(
        onUnreadable: @escaping (String) -> Void, in transaction: borrowing ReadTransaction
    ) throws -> Set<OutboxQueue> {
        var apps: [AppNumber: AppID] = [:]
        try tables.apps.forEach(
            in: transaction, onUnreadable: { _, reason in onUnreadable("a row of apps: \(reason)") }
        ) { app, record in apps[record.number] = app }
        return Set(
            try tables.outbox.queues(in: transaction).compactMap { queue in
                guard let app = apps[queue.app] else {
                    onUnreadable("outbox: messages of app number \(queue.app), which is unknown")
                    return nil
                }
                return OutboxQueue(lane: queue.lane, app: app)
            }
        )
    }
}
