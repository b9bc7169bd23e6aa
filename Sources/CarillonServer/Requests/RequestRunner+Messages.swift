import CarillonCore
import CarillonWire

/// Messages (Protocol 8).
extension RequestRunner {
    func send(_ message: Message, _ work: Work) {
        submit(.accept(message, now: work.now), work) { change in
            guard case .accepted(let acceptance, let entry) = change else { return nil }
            if let entry { delivery.messageAccepted(entry) }
            return .accepted(acceptance)
        }
    }
}
