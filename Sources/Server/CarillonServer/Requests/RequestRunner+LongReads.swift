import CarillonCore
import CarillonSession
import CarillonWire

/// A read that may touch many rows. It runs on one of the threads for long reads (`ServerThreads.longReads`).
enum LongRead: Sendable {
    case registry(LongReadRequest)
    case statistics(StatisticsRequest)
    /// A SEND that only counts its audience.
    case dryRun(Message)
}

/// Reads on `ServerThreads.longReads`.
extension RequestRunner {
    /// Runs a long read on one of these threads.
    ///
    /// - Parameter bytes: the most bytes of payload that a page may have.
    func run(
        _ longRead: LongRead, in context: RequestContext, withinBytes bytes: UInt32, _ complete: @escaping ResultHandler
    ) {
        let principal = context.principal
        let complete = measured(context.head.opcode, complete)
        if let refusal = admission.check(
            context, permission: admission.roleRefusal(ofLongRead: longRead, for: principal))
        {
            return complete(.failure(refusal))
        }
        switch longRead {
        case .registry(let request):
            submitRead(for: principal, complete) { registry throws(RegistryError) in
                try request.read(from: registry, within: bytes)
            }
        case .dryRun(let message):
            if let refusal = admission.contentRefusal(of: message.content) { return complete(.failure(refusal)) }
            submitRead(for: principal, complete) { registry throws(RegistryError) in
                .success(EncodedAnswer(try registry.dryRun(message), to: SendRequest.self))
            }
        case .statistics(let query):
            statistics.read(on: longReadThreads, for: principal.name) { statistics in
                guard let statistics else { return complete(.failure(RequestError(.closed))) }
                let rows = Int(query.boundingPage(toBytes: bytes).limit)
                complete(.success(EncodedAnswer(statistics.cut(to: rows), to: StatisticsRequest.self)))
            }
        }
    }

    /// Makes a read of the registry on one of these threads, and completes the request with its result.
    private func submitRead(
        for principal: Principal, _ complete: @escaping ResultHandler,
        _ read: @escaping @Sendable (any ListingReads) throws(RegistryError) -> Result<EncodedAnswer, RequestError>
    ) {
        longReadThreads.submit(for: principal.name) { [registry] isActive in
            guard isActive else { return complete(.failure(RequestError(.closed))) }
            do throws(RegistryError) {
                complete(try read(registry))
            } catch {
                complete(.failure(RequestError(error)))
            }
        }
    }
}
