import CarillonCore
import CarillonSession
import CarillonWire

/// Runs the request that changes the cluster as a whole (Protocol 13.3).
extension RequestRunner {
    /// Ends the incarnation of another node of the cluster (REMOVE_NODE).
    func removeNode(_ removal: RemoveNodeRequest, for execution: Execution) {
        guard let node else {
            return execution.complete(
                .failure(RequestError(.notFound, message: "this server belongs to no cluster", field: "node")))
        }
        let line = audit.makeLine(of: removal, by: execution.client)
        node.remove(removal.node) { result in
            if case .success(let incarnation) = result { line?.write(incarnation: incarnation) }
            execution.complete(result.map { EncodedAnswer($0, to: RemoveNodeRequest.self) })
        }
    }
}
