import CarillonCore
import CarillonWire

/// Devices (Protocol 7).
extension RequestRunner {
    func register(_ registration: Registration, _ work: Work) {
        let effect = RegistrationEffect(registration)
        submit(.register(registration, now: work.now), work) { [self] change in
            guard case .registered(let id, let result, let ended) = change else { return nil }
            deviceRegistered(effect, id, result, ended)
            return .registered(id, result)
        }
    }

    /// What of a registration decides what was read of a device before; it waits for the answer in its place.
    private struct RegistrationEffect {
        let app: AppID
        let changesAudiences: Bool

        init(_ registration: Registration) {
            app = registration.app
            changesAudiences =
                registration.locale != nil || !registration.attributes.isEmpty || !registration.groups.isEmpty
        }
    }

    /// What was read of a device before is not used any more if it is sent otherwise from now on.
    private func deviceRegistered(
        _ effect: RegistrationEffect, _ id: DeviceID, _ result: RegistrationResult, _ ended: DeviceID?
    ) {
        let isNew = result == .created
        if result == .replaced || (!isNew && effect.changesAudiences) { delivery.deviceChanged(id, of: effect.app) }
        if let ended { delivery.deviceChanged(ended, of: effect.app) }
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
                        deviceRegistered(RegistrationEffect(registration), id, result, ended)
                        return .registered(id, result)
                    case .refused(let refusal): return .refused(Self.reply(refusal).code)
                    default: return .refused(.internal)
                    }
                }
                work.answer(.success(.registeredBatch(results)))
            }
        }
    }

    func unregister(_ it: Unregistration, _ work: Work) {
        submit(.unregister(it.device, app: it.app, at: it.at, now: work.now), work) { [self] change in
            guard case .unregistered(let id) = change else { return nil }
            // Before the answer: from then on no push to the device may begin.
            if let id { delivery.deviceChanged(id, of: it.app) }
            return .unregistered(id)
        }
    }

    func restore(_ it: DeviceRestoration, _ work: Work) {
        submit(.restore(it.device, app: it.app, now: work.now), work) { [self] change in
            guard case .updated(let id) = change else { return nil }
            delivery.deviceChanged(id, of: it.app)
            return .restored(id)
        }
    }

    func update(_ it: DeviceChange, _ work: Work) {
        submit(.update(it.device, app: it.app, it.update), work) { [self] change in
            guard case .updated(let id) = change else { return nil }
            delivery.deviceChanged(id, of: it.app)
            return .updated(id)
        }
    }
}
