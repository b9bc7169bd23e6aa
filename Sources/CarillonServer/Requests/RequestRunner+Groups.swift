import CarillonCore
import CarillonWire

/// Groups and topics (Protocol 7a and 7b).
extension RequestRunner {
    /// A change of groups or topics: what was read of those concerned is not used any more.
    func change(
        _ change: Change, of app: AppID, _ work: Work, _ respond: @escaping @Sendable (MembershipAnswer) -> Response?
    ) {
        submit(change, work) { [self] answer in
            guard case .membership(let answer) = answer else { return nil }
            delivery.devicesChanged(answer.affected, of: app)
            if let entry = answer.announcement?.entry { delivery.messageAccepted(entry) }
            return respond(answer)
        }
    }

    func join(_ it: Join, _ work: Work, _ respond: @escaping @Sendable (MembershipAnswer) -> Response?) {
        change(.join(it, now: work.now), of: it.app, work, respond)
    }

    func switchGroup(_ it: GroupSwitch, _ work: Work) {
        let answer = work.answer
        // A single device that is not there is an error, not an entry of a list.
        let single = Work(
            principal: work.principal, now: work.now, deadline: work.deadline,
            answer: { result in
                if case .success(.switched(let switched)) = result, switched.device.rawValue == 0 {
                    return answer(.failure(Self.noDevice))
                }
                answer(result)
            })
        join(it.join, single.naming("groups", "to")) { answer in
            .switched(
                Switched(answer)
                    ?? Switched(device: DeviceID(rawValue: 0), changes: [], announcement: nil))
        }
    }
}
