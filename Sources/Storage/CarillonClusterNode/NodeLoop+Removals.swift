package import CarillonCluster
import CarillonCore

/// The removal of nodes by an operator.
extension NodeLoop {
    /// The time after which the end of a removal counts as unknown, in milliseconds.
    private static let removalMilliseconds: UInt64 = 5_000

    /// The reason why a node was not removed, as far as it is known.
    package enum RemovalError: Error, Sendable {
        case refused(ClusterNode.RemovalRefusal)
        /// The removal had no effect.
        case log(LogError)
        /// The removal may have an effect or not: it is not known.
        case unknown
    }

    package typealias RemovalCompletion = @Sendable (Result<Member, RemovalError>) -> Void

    /// Ends the incarnation of another node.
    ///
    /// - Parameter completion: called once, in a job of the executor, with the member whose incarnation is over.
    package func remove(_ name: NodeName, _ completion: @escaping RemovalCompletion) {
        executor.execute { [self] in
            guard !isEnded else { return completion(.failure(.refused(.notNow))) }
            let now = executor.now
            lastRemoval += 1
            let number = lastRemoval
            switch node.remove(
                name, number: number, deadline: now.later(byMilliseconds: Self.removalMilliseconds), at: now)
            {
            case .refused(let refusal): return completion(.failure(.refused(refusal)))
            case .begun(let member): removing[number] = (member, completion)
            }
            carryOut()
        }
    }

    /// Calls the completion of a removal that has ended.
    func removalEnded(_ number: UInt64, with end: ClusterNode.RemovalEnd) {
        guard let (member, completion) = removing.removeValue(forKey: number) else { return }
        switch end {
        case .removed: completion(.success(member))
        case .refused(let failure): completion(.failure(.log(failure)))
        case .unknown: completion(.failure(.unknown))
        }
    }
}
