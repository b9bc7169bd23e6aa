import CarillonCluster
import CarillonCore
import Synchronization

/// The status of a node as any thread may read it. The loop publishes it after each event.
struct PublishedStatus: ~Copyable, Sendable {
    private let mayActUntilMilliseconds = Atomic<UInt64>(0)
    /// The status as it was published last.
    private let last: Mutex<NodeLoop.Status>

    init(_ status: NodeLoop.Status) {
        last = Mutex(status)
    }

    /// Returns true if a push may begin, or a request be answered.
    func mayAct(at now: Uptime) -> Bool {
        now.milliseconds < mayActUntilMilliseconds.load(ordering: .sequentiallyConsistent)
    }

    /// Returns the status. The lease may have ended since it was published.
    func status(at now: Uptime) -> NodeLoop.Status {
        var status = last.withLock { $0 }
        let end = Uptime(milliseconds: mayActUntilMilliseconds.load(ordering: .sequentiallyConsistent))
        status.remainingMilliseconds = end.milliseconds(since: now)
        if case .ready = status.readiness, status.remainingMilliseconds == 0 { status.readiness = .behind }
        return status
    }

    /// Publishes until when the node may act; nil if it may not.
    func setMayActUntil(_ end: Uptime?) {
        mayActUntilMilliseconds.store(end?.milliseconds ?? 0, ordering: .sequentiallyConsistent)
    }

    /// Publishes the status of a node.
    ///
    /// - Parameter renewalAnsweredAt: the time at which the log database last answered a renewal.
    func publish(_ node: ClusterNode, renewalAnsweredAt: Uptime, at now: Uptime) {
        let status = NodeLoop.Status(
            readiness: node.readiness(at: now), member: node.member, applied: node.replicaState.applied.position,
            lagEntries: node.lagEntries, appliedBytes: node.appliedBytes, view: node.lastView,
            renewalAnsweredAt: renewalAnsweredAt)
        last.withLock { last in
            let view = last.view
            last = status
            // A new incarnation has no view yet, and then the view before is better than none.
            last.view = status.view ?? view
        }
    }
}
