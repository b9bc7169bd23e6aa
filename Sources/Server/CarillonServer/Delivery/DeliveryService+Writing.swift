import CarillonClock
import CarillonCluster
import CarillonCore
import CarillonDelivery
import Logging
import NIOCore

/// Makes the changes of the registry for delivery: outcomes, and on a node of a cluster its claims.
///
/// Changes of one moment are submitted together, because they then need one record of the write-ahead log, and on a
/// node one entry of the shared log. Even a small entry wakes threads on every node, and costs a commit.
extension DeliveryService {
    /// A change that delivery itself makes, with what it needs when the change is answered.
    enum OwnChange: Sendable {
        /// Outcomes of a page, and the app of their message.
        case outcomes(OutcomeRecord, of: AppID?)
        /// The end of a block: each of its recipients has an outcome on disk.
        case endOfBlock(PageBlock, of: MessageID)
        /// A claim of this node for a number of pages.
        case claim(UInt32, of: MessageID)

        var change: Change {
            switch self {
            case .outcomes(let record, _): .recordOutcomes(record, now: Clock.wallTime())
            case .endOfBlock(let pages, let message): .endBlock(message, blockAt: pages.first, now: Clock.wallTime())
            case .claim(let pages, let message): .claimPages(message, pages: pages)
            }
        }
    }

    /// Submits changes, and with them the deferred ones.
    func write(_ changes: [OwnChange]) { submit(changes + (claims?.takeDeferred() ?? [])) }

    package func writeDeferred() { write([]) }

    /// Submits changes together.
    func submit(_ changes: [OwnChange]) {
        guard !changes.isEmpty else { return }
        let member = claims?.sendingMember
        registry.submitEach(changes.map { ($0.change, nil) }) { [self] results in
            changesEnded(Array(zip(changes, results)), as: member)
        }
    }

    /// Takes the answers to changes.
    ///
    /// - Parameter member: the incarnation that submitted them.
    private func changesEnded(
        _ ended: [(change: OwnChange, result: Result<ChangeAnswer, RegistryError>)], as member: Member?
    ) {
        var recorded = [OutcomeRecord]()
        var lost = [OutcomeRecord]()
        var again = [OwnChange]()
        for (change, result) in ended {
            switch (change, result) {
            case (.claim(_, let message), _): claims?.claimEnded(of: message, as: member, with: result)
            case (_, .failure(let error)) where error.isTransient:
                // Outcomes must not be lost, so they are submitted again until they are accepted. An outcome that is in
                // the log twice counts once.
                again.append(change)
            case (.outcomes(let record, let app), .success(.outcomesRecorded)):
                outcomeMetrics.outcomesRecorded(record.endedRecipients, of: app)
                recorded.append(record)
            case (_, .failure(.closed)): break
            case (.outcomes(let record, _), _):
                reporter.reportLost(record, answer: result)
                lost.append(record)
            case (.endOfBlock, .failure(let error)):
                logger.critical("a block of pages cannot be ended", metadata: ["error": "\(error)"])
            case (.endOfBlock, .success): break
            }
        }
        if !again.isEmpty {
            loop.scheduleTask(in: Self.tick) { [self, again] in submit(again) }
        }
        guard !recorded.isEmpty || !lost.isEmpty else { return }
        callEngine { [recorded, lost] engine in
            let now = Clock.now()
            for record in recorded { engine.recordWritten(record, at: now) }
            for record in lost { engine.recordLost(record, at: now) }
        }
    }
}
