import CarillonSimulator

/// Names the commands of the control port, and carries out those that `ControlPort` does not carry out for both
/// simulators.
extension SimulatedAPNs {
    static let commands =
        "stats, device TOKEN, channel ID, dump, reset, wait COUNT [TOKEN], arrivals KEY, rule JSON, max-streams N, "
        + "calm, goaway"
    /// The number of slots of the delivery history that a dump reads at a time.
    private static let slotsPerPart = 1 << 14

    func carryOut(_ command: ControlCommand) -> ControlResponse? {
        switch command.name {
        case "device": device(command.argument)
        case "channel": channel(command.argument)
        case "dump": dump()
        case "wait": wait(command.argument)
        case "arrivals": arrivals(command.argument)
        default: nil
        }
    }

    private func device(_ hex: String) -> ControlResponse {
        guard let token = RawToken(hex: hex) else { return .error("not a token") }
        let line = withState { state in
            let payload = state.payloads[token].map { String(decoding: $0, as: UTF8.self) }
            return Self.line(token, record: state.history.record(of: token), payload: payload)
        }
        return .line(line)
    }

    private func channel(_ id: String) -> ControlResponse {
        guard let channel = withState({ $0.channels.channel(id) }) else {
            return .error("no such channel")
        }
        let text = String(decoding: channel.payload, as: UTF8.self)
        let payload = text.isEmpty ? "" : ",\"payload\":" + text.asJSON
        return .line(
            "{\"channel\":\(id.asJSON),\"storage-policy\":\(channel.policy.rawValue),"
                + "\"count\":\(channel.acceptedCount),\"duplicates\":\(channel.duplicateCount),"
                + "\"refused\":\(channel.refusedCount)\(payload)}")
    }

    /// Returns the arrivals as alternating numbers and times.
    private func arrivals(_ key: String) -> ControlResponse {
        guard !key.isEmpty, key.utf8.count <= 64 else { return .error("not a key") }
        let (arrivals, lostCount) = withState { $0.arrivalRecorder.take(under: key) }
        let numbers = arrivals.map { "\($0.number),\($0.time)" }.joined(separator: ",")
        return .line("{\"lost\":\(lostCount),\"arrivals\":[\(numbers)]}")
    }

    private static func line(_ token: RawToken, record: DeliveryHistory.Record, payload: String? = nil) -> String {
        let payload = payload.map { ",\"payload\":\($0.asJSON)" } ?? ""
        return "{\"token\":\(token.text.asJSON),\"count\":\(record.acceptedCount),\"refused\":\(record.refusedCount),"
            + "\"status\":\(record.lastRefusalStatus)\(payload)}"
    }

    /// Returns the history in parts. Pushes that arrive meanwhile may be included or not. If the history grows, the
    /// dump ends with an error.
    private func dump() -> ControlResponse {
        var slotCount = withState { $0.history.slotCount }
        var start = 0
        return .parts { [self] in
            guard start < slotCount else { return nil }
            let part = start..<min(start + Self.slotsPerPart, slotCount)
            start = part.upperBound
            let lines: [String]? = withState { state in
                guard state.history.slotCount == slotCount else { return nil }
                var lines: [String] = []
                state.history.forEachDevice(in: part) { lines.append(Self.line($0, record: $1)) }
                return lines
            }
            if lines == nil { slotCount = 0 }
            return lines ?? [#"{"error":"the delivery history has grown meanwhile"}"#]
        }
    }

    /// Responds to `wait COUNT` once `COUNT` pushes were accepted, and to `wait COUNT TOKEN` once the device has
    /// accepted that many.
    private func wait(_ argument: String) -> ControlResponse {
        let words = argument.split(separator: " ")
        guard let count = words.first.flatMap({ Int($0) }) else { return .error("not a number") }
        let token = words.count > 1 ? RawToken(hex: String(words[1])) : nil
        guard words.count == 1 || token != nil else { return .error("not a token") }
        return .statsLater { [self] done in
            let isReached = withState { state in
                if state.hasAccepted(count, for: token) { return true }
                state.waiters.append(Waiter(count: count, token: token, done: done))
                return false
            }
            if isReached { done() }
        }
    }
}
