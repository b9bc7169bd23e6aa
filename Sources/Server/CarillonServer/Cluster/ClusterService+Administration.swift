import CarillonClock
import CarillonCluster
import CarillonClusterNode
import CarillonCore
import CarillonWire

/// Answers the requests of operators about a cluster, at any of its nodes.
extension ClusterService {
    /// The cluster as the log database has told this node last; nil before it has joined.
    var statistics: ServerStatistics.Cluster? {
        guard let status, let view = status.view else { return nil }
        let now = Clock.uptime()
        return ServerStatistics.Cluster(
            view, ageMilliseconds: now.milliseconds(since: status.renewalAnsweredAt), claims: claimCounts(at: now))
    }

    func remove(_ name: String, _ completion: @escaping @Sendable (Result<UInt64, RequestError>) -> Void) {
        guard let node else { return completion(.failure(.behind)) }
        guard let name = NodeName(name) else { return completion(.failure(.noNode)) }
        node.remove(name) { result in
            switch result {
            case .success(let member): completion(.success(member.incarnation))
            case .failure(let error): completion(.failure(RequestError(error)))
            }
        }
    }
}

extension RequestError {
    fileprivate static let noNode = RequestError(
        .notFound, message: "no node of that name is live in the cluster", field: "node")

    fileprivate init(_ error: NodeLoop.RemovalError) {
        switch error {
        case .refused(let refusal): self.init(refusal)
        // The incarnation has ended in another way since.
        case .log(.leaseRenewed): self = .noNode
        case .log(let failure): self.init(RegistryError.logUnavailable("\(failure)"))
        case .unknown: self.init(RegistryError.effectUnknown("the log has not said whether the node is removed"))
        }
    }

    private init(_ refusal: ClusterNode.RemovalRefusal) {
        switch refusal {
        case .unknown: self = .noNode
        case .itself:
            self.init(
                .invalidArgument, message: "the node cannot remove itself: stop it, or ask another node", field: "node")
        case .notNow: self = .behind
        }
    }
}

extension ServerStatistics.Cluster {
    /// Makes the statistics of the cluster from a view of its shared log.
    ///
    /// - Parameters:
    ///   - ageMilliseconds: the time since the view was true.
    ///   - claims: nil if they cannot be read.
    init(_ view: ClusterView, ageMilliseconds: UInt64, claims: ClaimCounts?) {
        self.init(
            position: view.ends.head.number, entries: view.ends.head.distance(from: view.ends.trimmed),
            snapshot: view.snapshots.first?.header.position.number,
            nodes: view.nodes.map { status in
                var node = ServerStatistics.Node(status, ageMilliseconds: ageMilliseconds)
                node.claims = claims.map { ServerStatistics.Claims($0[status.member.incarnation]) }
                return node
            })
    }
}

extension ServerStatistics.Claims {
    fileprivate init(_ count: ClaimCounts.Count) {
        self.init(
            messages: UInt32(clamping: count.messages), blocks: UInt32(clamping: count.blocks), pages: count.pages)
    }
}

extension ServerStatistics.Node {
    fileprivate init(_ status: NodeStatus, ageMilliseconds: UInt64) {
        self.init(name: status.member.node.text, incarnation: status.member.incarnation)
        let (silence, overflows) = status.silenceMilliseconds.addingReportingOverflow(ageMilliseconds)
        let silent = overflows ? .max : silence
        isLive = status.isLive
        position = status.progress.applied.number
        hash = status.progress.hash
        silentMilliseconds = UInt32(clamping: silent)
        let lease = status.progress.leaseMilliseconds
        leaseMilliseconds = !status.isLive || silent >= lease ? 0 : UInt32(clamping: lease - silent)
        format = status.progress.newestFormat
        version = status.progress.version
        address = status.progress.address
    }
}
