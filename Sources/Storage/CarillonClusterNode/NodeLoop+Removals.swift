package import CarillonCluster
import CarillonCore

/// Removes nodes on the request of an operator.
extension NodeLoop {
    /// The time after which the end of a removal counts as unknown, in milliseconds.
    private static let removalMilliseconds: UInt64 = 5_000

    /// The reason why a node was not removed, or may not have been.
    package enum RemovalError: Error, Sendable {
        case refused(ClusterNode.RemovalRefusal)
        /// The removal had no effect.
        case log(LogError)
        /// The removal may have an effect or not: it is not known.
        case unknown
    }

    package typealias RemovalCompletion = @Sendable (Result<Member, RemovalError>) -> Void

    /// A removal that has begun.
    struct Removal {
        let member: Member
        let completion: RemovalCompletion
    }

    /// Ends the incarnation of another node.
    ///
    /// - Parameter completion: called once, in a job of the executor, with the member whose incarnation is over.
    package func remove(_ name: NodeName, _ completion: @escaping RemovalCompletion) {
        executor.execute { [self] in
            guard !isEnded else { return completion(.failure(.refused(.notNow))) }
            let now = executor.now
            let number = removals.nextNumber()
            switch node.remove(
                name, number: number, deadline: now.later(byMilliseconds: Self.removalMilliseconds), at: now)
            {
            case .refused(let refusal): return completion(.failure(.refused(refusal)))
            case .begun(let member): removals.add(Removal(member: member, completion: completion), as: number)
            }
            carryOut()
        }
    }

    /// Calls the completion of a removal that has ended.
    func removalEnded(_ number: UInt64, with end: ClusterNode.RemovalEnd) {
        guard let removal = removals.take(number) else { return }
        switch end {
        case .removed: removal.completion(.success(removal.member))
        case .refused(let failure): removal.completion(.failure(.log(failure)))
        case .unknown: removal.completion(.failure(.unknown))
        }
    }
}
