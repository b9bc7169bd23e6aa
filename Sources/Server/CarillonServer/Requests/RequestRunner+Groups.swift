import CarillonCore
import CarillonSession
import CarillonWire

/// Joins that send a message, and SWITCH (Protocol 8).
extension RequestRunner {
    /// Lets a device join a group, and announces that by a message (JOIN with an announcement).
    func join(_ join: JoinRequest, for execution: Execution) {
        submitJoin(join, for: execution) { .success(EncodedAnswer(JoinAnswer($0), to: JoinRequest.self)) }
    }

    /// Lets one device join a group and leave another one (SWITCH).
    func switchGroup(_ groupSwitch: SwitchGroupRequest, for execution: Execution) {
        submitJoin(groupSwitch.join, for: execution) { answer in
            // A missing device is an error: the request has only one.
            guard let switched = SwitchGroupAnswer(answer) else { return .failure(.noDevice) }
            return .success(EncodedAnswer(switched, to: SwitchGroupRequest.self))
        }
    }

    /// Submits a join, and answers the request with the result that `makeResult` makes of the registry's answer.
    private func submitJoin(
        _ join: JoinRequest, for execution: Execution,
        _ makeResult: @escaping @Sendable (ChangeAnswer.MembershipChange) -> Result<EncodedAnswer, RequestError>
    ) {
        if let announcement = join.announcement, let refusal = contentRefusal(of: announcement) {
            return execution.complete(.failure(refusal.withField(ofRequest: execution.context.head.opcode)))
        }
        let line = audit.line(ofAnnouncement: join, by: execution.client)
        let change = Change.join(join, sender: execution.principal.name, now: execution.now)
        submitAndAnswer(change, for: execution) { [delivery, metrics, app = join.app] answer in
            guard case .membership(let answer) = answer else { return .failure(.bug) }
            // Delivery is told before the client is answered: from then on it must not use what it had read of these
            // devices.
            delivery.devicesChanged(answer.affected, of: app)
            if let outbound = answer.announcement?.outbound {
                metrics.acceptances.messageAccepted(of: app, in: outbound.lane)
                delivery.messageAccepted(outbound)
            }
            if let announcement = answer.announcement { line?.write(announcement.id) }
            return makeResult(answer)
        }
    }
}
