import CarillonCore
import CarillonWire

/// Devices (Protocol 7).
extension RequestRunner {
    /// Whether a device is sent otherwise once a registration has taken effect: what was read of it before is not used any more.
    static func changesDeliveries(_ result: RegistrationResult, _ changesAudiences: Bool) -> Bool {
        result == .replaced || (result != .created && changesAudiences)
    }

    func registerBatch(_ items: [Result<Registration, WireFault>], _ work: Work) {
        var results: [BatchItemResult?] = []
        var accepted: [Registration] = []
        for item in items {
            switch item {
            case .failure(let fault): results.append(.refused(fault.code))
            case .success(let registration):
                if let refusal = refusal(registration.app, .register, work.principal) {
                    results.append(.refused(refusal.code))
                } else {
                    results.append(nil)
                    accepted.append(registration)
                }
            }
        }
        let (placed, registrations) = (results, accepted)
        guard !registrations.isEmpty else { return work.answer(.success(.registeredBatch(placed.compactMap { $0 }))) }
        registry.submit(registrations.map { .register($0, now: work.now) }, deadline: work.deadline) { [self] result in
            switch result {
            case .failure(let error): work.answer(.failure(Self.reply(error)))
            case .success(let changes):
                var rest = zip(registrations, changes).makeIterator()
                let results = placed.map { known -> BatchItemResult in
                    if let known { return known }
                    guard let (registration, change) = rest.next() else { return .refused(.internal) }
                    switch change {
                    case .registered(let id, let result, let ended):
                        if Self.changesDeliveries(result, registration.changesAudiences) {
                            delivery.deviceChanged(id, of: registration.app)
                        }
                        if let ended { delivery.deviceChanged(ended, of: registration.app) }
                        return .registered(id, result)
                    case .refused(let refusal): return .refused(Self.reply(refusal).code)
                    default: return .refused(.internal)
                    }
                }
                work.answer(.success(.registeredBatch(results)))
            }
        }
    }
}
