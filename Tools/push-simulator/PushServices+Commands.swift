import CarillonSimulator

/// Names the commands of the control port, and carries out those that `ControlPort` does not carry out for both
/// simulators.
extension PushServices {
    static let commands =
        "stats, device TOKEN, subscription ID, reset, revoke, wait COUNT, rule JSON, max-streams N, calm, goaway"

    func carryOut(_ command: ControlCommand) -> ControlResponse? {
        switch command.name {
        case "device": return device(command.argument)
        case "subscription": return subscription(command.argument)
        case "revoke":
            withState { $0.tokens.revoke() }
            return .done
        case "wait": return wait(command.argument)
        default: return nil
        }
    }

    private func device(_ token: String) -> ControlResponse {
        let record = withState { $0.fcm.devices[token] } ?? FCM.Record()
        return .line(
            "{\"count\":\(record.acceptedCount),\"refused\":\(record.refusedCount),\"status\":\(record.lastStatus),"
                + "\"payload\":\(record.payload.asJSON)}")
    }

    private func subscription(_ id: String) -> ControlResponse {
        guard let record = withState({ $0.web.records[id] }) else {
            return .error("there is no such subscription")
        }
        return .line(
            "{\"count\":\(record.acceptedCount),\"refused\":\(record.refusedCount),\"status\":\(record.lastStatus),"
                + "\"payload\":\(record.payload.asJSON),\"ttl\":\(record.ttl.asJSON),"
                + "\"urgency\":\(record.urgency.asJSON),\"topic\":\(record.topic.asJSON),"
                + "\"replaced\":\(record.replacedCount)}")
    }

    /// Responds to `wait COUNT` once `COUNT` messages were accepted.
    private func wait(_ argument: String) -> ControlResponse {
        guard let count = Int(argument) else { return .error("not a number") }
        return .statsLater { [self] done in
            let isReached = withState { state in
                if state.acceptedCount >= count { return true }
                state.waiters.append(Waiter(count: count, done: done))
                return false
            }
            if isReached { done() }
        }
    }
}
