import CarillonCluster
import CarillonClusterTestKit
import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import CarillonTestKit
import Synchronization
import Testing

@testable import CarillonRegistry

extension TestReplica {
    /// Submits changes one by one, and waits for all answers.
    func applyEach(_ changes: [Change]) throws -> [Result<ChangeAnswer, RegistryError>] {
        let answers = Mutex<[Result<ChangeAnswer, RegistryError>]>([])
        registry?.submitEach(changes.map { ($0, nil) }) { results in answers.withLock { $0 = results } }
        try wait(until: "\(name) answers") { answers.withLock { !$0.isEmpty } }
        return answers.withLock { $0 }
    }

    /// Returns the blocks of a message that the node sends; nil if it sends no page, or the whole message.
    func blocks(of message: MessageID) throws -> [PageBlock]? {
        guard let registry else { return nil }
        for queue in try registry.outboxQueues() {
            let page = try registry.unfinishedMessages(in: queue, after: nil, limit: 100)
            if let outbound = page.messages.first(where: { $0.id == message }) { return outbound.share?.blocks }
        }
        return nil
    }

    /// The list of message updates: true for each one that left this node's pages to another sender.
    var wasDisplaced: [Bool] {
        applied.withLock { entries in
            entries.flatMap(\.changes).compactMap { applied in
                if case .updateMessage = applied.change { applied.mustGiveUp } else { nil }
            }
        }
    }

    /// Returns the number of events that say that a message has finished.
    func finishedEvents(of message: MessageID) throws -> Int {
        guard let registry else { return 0 }
        return try registry.readAfterCheckpoint { transaction, tables in
            var count = 0
            _ = try tables.events.forEach(after: 0, in: transaction) { event in
                if event.kind == .messageFinished, event.message == message { count += 1 }
                return .proceed
            }
            return count
        }
    }
}
