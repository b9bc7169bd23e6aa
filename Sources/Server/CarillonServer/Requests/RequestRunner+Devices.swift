import CarillonCore
import CarillonSession
import CarillonWire

/// REGISTER_BATCH (Protocol 7.2).
extension RequestRunner {
    /// Registers each device that is not refused, and answers item by item (REGISTER_BATCH).
    func registerBatch(_ items: [Result<Registration, WireError>], for execution: Execution) {
        // One for each item: the refusal, or nil for a registration that is submitted.
        var refusals: [RegisterBatchItemAnswer?] = []
        var registrations: [Registration] = []
        for item in items {
            switch item {
            case .failure(let fault): refusals.append(.refused(fault.code))
            case .success(let registration):
                let refusal =
                    admission.roleRefusal(of: execution.principal, as: .register, on: registration.app)
                    ?? admission.providerRefusal(of: registration)
                if let refusal {
                    refusals.append(.refused(refusal.code))
                } else {
                    refusals.append(nil)
                    registrations.append(registration)
                }
            }
        }
        guard !registrations.isEmpty else {
            return execution.complete(
                .success(EncodedAnswer(refusals.compactMap { $0 }, to: RegisterBatchRequest.self)))
        }
        let changes = registrations.map { Change.register($0, now: execution.now) }
        registry.submit(changes, deadline: execution.deadline) { [self, refusals, registrations] result in
            switch result {
            case .failure(let error): execution.complete(.failure(RequestError(error)))
            case .success(let answers):
                var results = zip(registrations, answers).lazy.map { self.batchItem($0, answer: $1) }.makeIterator()
                let items = refusals.map { $0 ?? results.next() ?? .refused(.internal) }
                execution.complete(.success(EncodedAnswer(items, to: RegisterBatchRequest.self)))
            }
        }
    }

    /// Makes the result of one item, and tells delivery which devices it has changed.
    private func batchItem(_ registration: Registration, answer: ChangeAnswer) -> RegisterBatchItemAnswer {
        delivery.changeStored(affecting: answer.affected, of: registration.app)
        switch answer {
        case .registered(let id, let result, _, _): return .registered(id, result)
        case .refused(let refusal): return .refused(RequestError(refusal).code)
        default: return .refused(RequestError.unexpectedAnswer.code)
        }
    }
}

/// Joins that send a message, and SWITCH (Protocol 8).
extension RequestRunner {
    /// Lets a device join a group, and announces that by a message (JOIN with an announcement).
    func join(_ join: JoinRequest, for execution: Execution) {
        submitJoin(join, for: execution) { .success(EncodedAnswer(JoinAnswer($0), to: JoinRequest.self)) }
    }

    /// Lets one device join a group and leave another one (SWITCH).
    func switchGroup(_ groupSwitch: SwitchGroupRequest, for execution: Execution) {
        submitJoin(groupSwitch.join, for: execution) { answer in
            // The request is about one device, so a device that is missing is its error.
            guard let switched = SwitchGroupAnswer(answer) else { return .failure(.noDevice) }
            return .success(EncodedAnswer(switched, to: SwitchGroupRequest.self))
        }
    }

    /// Submits a join, and answers the request with the result that `makeResult` makes of the registry's answer.
    private func submitJoin(
        _ join: JoinRequest, for execution: Execution,
        _ makeResult: @escaping @Sendable (ChangeAnswer.MembershipChange) -> Result<EncodedAnswer, RequestError>
    ) {
        if let announcement = join.announcement, let refusal = admission.contentRefusal(of: announcement) {
            return execution.complete(.failure(refusal.withField(ofRequest: execution.context.head.opcode)))
        }
        let line = audit.makeLine(ofAnnouncement: join, by: execution.client)
        let change = Change.join(join, sender: execution.principal.name, now: execution.now)
        submitAndAnswer(change, for: execution) { [delivery, metrics, app = join.app] answer in
            guard case .membership(let answer) = answer else { return .failure(.unexpectedAnswer) }
            // Delivery is told before the client is answered: from then on it must not use what it had read of these
            // devices.
            delivery.changeStored(affecting: answer.affected, of: app)
            if let outbound = answer.announcement?.outbound {
                metrics.acceptances.messageAccepted(of: app, in: outbound.lane)
                delivery.messageStored(outbound)
            }
            if let announcement = answer.announcement { line?.write(announcement.id) }
            return makeResult(answer)
        }
    }
}
