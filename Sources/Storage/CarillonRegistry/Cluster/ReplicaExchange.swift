package import CarillonCluster
import Synchronization

/// Connects the writer of a replica, which applies entries, with its node, which decides (``ClusterNode``): each has a
/// thread of its own.
///
/// A registry that is opened with an exchange keeps no log of its own: changes are durable when the shared log has
/// them.
package final class ReplicaExchange: Sendable {
    /// An instruction of the node to the writer. Instructions are carried out in order.
    package enum Instruction: Sendable {
        /// The node has a new incarnation, and the replica belongs to that log.
        case joined(JoinedNode)
        /// The batch that the writer has handed over is being appended under that number; nil if the node could no
        /// longer take it: then it has no effect.
        case batchBegan(ClusterNode.BatchID?)
        /// The writer applies these entries; ``NodeCalls/applied`` answers.
        case apply(ClusterNode.EntriesToApply)
        /// A batch has ended.
        case finish(ClusterNode.BatchID, ClusterNode.BatchEnd)
        /// The writer answers the changes up to a position that had to wait for the other nodes.
        case answerChanges(through: LogPosition)
    }

    /// The calls that the writer makes to the node, on its own thread. They must not wait.
    package struct NodeCalls: Sendable {
        /// Appends a batch of changes in an entry of that format or a later one; ``Instruction/batchBegan(_:)``
        /// answers.
        package var append: @Sendable (_ changes: [UInt8], _ format: UInt16) -> Void
        /// Reports entries that were applied, in the order of the log.
        package var applied: @Sendable (ClusterNode.ApplyResult) -> Void

        package init(
            append: @escaping @Sendable (_ changes: [UInt8], _ format: UInt16) -> Void,
            applied: @escaping @Sendable (ClusterNode.ApplyResult) -> Void
        ) {
            self.append = append
            self.applied = applied
        }
    }

    private struct State {
        var instructions: [Instruction] = []
        var takesBatch = false
        var format: UInt16 = 1
        var node: NodeCalls?
        var wake: (@Sendable () -> Void)?
        var appliedState: AppliedState?
    }

    /// The state of the replica that other threads than the writer's may read.
    package struct AppliedState: Sendable {
        /// The row after the last entry that was applied.
        package var record: ReplicaRecord
        /// This node in its present incarnation; nil before it has joined.
        package var member: Member?

        /// True if this member is the oldest live one, which does the work that only one node needs to do: the nodes
        /// agree on it without a vote, because they apply the same entries.
        package var isOldestMember: Bool { member != nil && record.live.oldest == member }
    }

    private let state = Mutex(State())
    private let appliedPosition = Atomic<UInt64>(0)

    package init() {}

    // MARK: For the node

    /// The newest format of entries that the writer can apply.
    package static var newestFormat: UInt16 { ChangeForm.newestFormat }

    /// Sets the calls to the node that uses the exchange from now on.
    package func attach(_ node: NodeCalls) { state.withLock { $0.node = node } }

    /// Hands instructions to the writer.
    ///
    /// - Parameters:
    ///   - takesBatch: true if the node would take a batch now.
    ///   - format: the format of entries in which it would append the batch.
    package func post(_ instructions: [Instruction], takesBatch: Bool, format: UInt16 = 1) {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            let mustWake = !instructions.isEmpty || state.takesBatch != takesBatch
            state.instructions += instructions
            state.takesBatch = takesBatch
            state.format = format
            return mustWake ? state.wake : nil
        }
        wake?()
    }

    /// The number of the last position that is applied. Changes that are answered are at or before it.
    package var position: UInt64 { appliedPosition.load(ordering: .acquiring) }

    /// The state of the replica; nil before its registry is open.
    package var appliedState: AppliedState? { state.withLock { $0.appliedState } }

    // MARK: For the writer

    /// Sets the state of the replica, whose writer begins to take instructions.
    ///
    /// - Parameter wake: called on the node's thread when there are instructions, or when the node begins or ceases to
    ///   take batches.
    func open(_ record: ReplicaRecord, wake: @escaping @Sendable () -> Void) {
        appliedPosition.store(record.state.applied.position.number, ordering: .releasing)
        state.withLock {
            $0.wake = wake
            $0.appliedState = AppliedState(record: record)
        }
    }

    func takeInstructions() -> [Instruction] {
        state.withLock { state in
            defer { state.instructions = [] }
            return state.instructions
        }
    }

    /// The format of entries in which the node appends now: all live nodes know it.
    var format: UInt16 { state.withLock { $0.format } }

    var takesBatch: Bool { state.withLock { $0.takesBatch } }

    /// Publishes the state after the entries that were applied.
    func publish(_ record: ReplicaRecord, as member: Member?) {
        appliedPosition.store(record.state.applied.position.number, ordering: .releasing)
        state.withLock { $0.appliedState = AppliedState(record: record, member: member) }
    }

    func append(_ changes: [UInt8], format: UInt16) { state.withLock { $0.node }?.append(changes, format) }

    func entriesApplied(_ result: ClusterNode.ApplyResult) { state.withLock { $0.node }?.applied(result) }
}
