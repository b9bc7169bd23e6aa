import CarillonCore
import CarillonSession
import CarillonWire

/// Reads on the threads for listings.
extension RequestRunner {
    /// Runs a listing.
    ///
    /// - Parameter bytes: the payload that a page may have.
    func run(
        _ listing: Listing, in context: RequestContext, within bytes: UInt32, _ completion: @escaping ResultHandler
    ) {
        let principal = context.principal
        let answer = measured(context.head.opcode, completion)
        if let refusal = admit(context, unless: refusal(of: listing, for: principal)) {
            return answer(.failure(refusal))
        }
        switch listing {
        case .registry(let request):
            read(for: principal, answer) { registry throws(RegistryError) in
                try request.read(from: registry, within: bytes)
            }
        case .dryRun(let message):
            if let refusal = refusal(ofContent: message.content) { return answer(.failure(refusal)) }
            read(for: principal, answer) { registry throws(RegistryError) in
                .success(EncodedAnswer(try registry.dryRun(message), to: SendRequest.self))
            }
        case .statistics(let query):
            statistics.read(on: listingReaders, for: principal.name) { statistics in
                guard let statistics else { return answer(.failure(ErrorReply(.closed))) }
                answer(
                    .success(
                        EncodedAnswer(
                            statistics.cut(to: Int(query.answered(within: bytes).limit)), to: StatisticsRequest.self)))
            }
        }
    }

    private func read(
        for principal: Principal, _ answer: @escaping ResultHandler,
        _ read: @escaping @Sendable (any ListingReads) throws(RegistryError) -> Result<EncodedAnswer, ErrorReply>
    ) {
        listingReaders.submit(for: principal.name) { [registry] isActive in
            guard isActive else { return answer(.failure(ErrorReply(.closed))) }
            do throws(RegistryError) {
                answer(try read(registry))
            } catch {
                answer(.failure(ErrorReply(error)))
            }
        }
    }
}
