package import CarillonCore
import CarillonLMDB

extension LMDBRegistry {
    /// Answers inquiries on one snapshot; see `Registry.inquire`.
    package func inquire(
        _ inquiries: [Inquiry], of app: AppID, _ answered: (Int, Result<InquiryAnswer?, RegistryError>) -> Void
    ) {
        do throws(RegistryError) {
            try read { transaction, layout in
                guard let desk = try InquiryDesk(app, layout, transaction) else {
                    return inquiries.indices.forEach { answered($0, .success(nil)) }
                }
                let sights = desk.prefetch(inquiries)
                for index in inquiries.indices {
                    answered(index, desk.answer(inquiries[index], sights[index], transaction))
                }
            }
        } catch {
            // There is no snapshot, or its apps cannot be read: then none was answered.
            for index in inquiries.indices { answered(index, .failure(error)) }
        }
    }

    /// The device of that reference, active or quarantined.
    package func device(_ reference: DeviceReference, of app: AppID) throws(RegistryError) -> Device? {
        try read { transaction, layout in
            guard let desk = try InquiryDesk(app, layout, transaction) else { return nil }
            return try desk.device(reference, desk.prefetch([.device(reference)])[0], transaction)
        }
    }

    /// How far a message has come; nothing if the app has no such message.
    package func status(of message: MessageID, app: AppID) throws(RegistryError) -> MessageStatus? {
        try read { transaction, layout in
            try InquiryDesk(app, layout, transaction)?.status(of: message, transaction)
        }
    }
}

/// Answers inquiries about an app on one snapshot: what many of them need is read once.
private final class InquiryDesk {
    private let layout: Layout
    private let app: AppNumber
    /// The set of the muted if there is one.
    private let muted: SetRecord?

    /// Nothing if there is no such app.
    init?(_ app: AppID, _ layout: Layout, _ transaction: borrowing ReadTransaction) throws {
        guard let number = try layout.apps.get(transaction, app)?.number else { return nil }
        self.layout = layout
        self.app = number
        muted = try layout.sets.get(transaction, number, .muted)
    }

    /// What an inquiry says of its device before anything is read.
    enum Sight {
        /// What its address is known by, and the device that may hold it.
        case address(AddressDigest, hint: DeviceID?)
        case id(DeviceID)
        case nothing
    }

    /// Asks the processor for what the inquiries will read, all at once, for it would wait for each by itself.
    func prefetch(_ inquiries: [Inquiry]) -> [Sight] {
        let (app, hints, devices) = (app, layout.hints, layout.devices)
        var sights = inquiries.map { inquiry -> Sight in
            switch inquiry {
            case .device(.address(let address)):
                let digest = layout.digest(of: address, app)
                hints.prefetch(digest)
                return .address(digest, hint: nil)
            case .device(.id(let id)): return .id(id)
            case .status: return .nothing
            }
        }
        for index in sights.indices {
            switch sights[index] {
            case .address(let digest, _):
                guard let hint = hints.device(at: digest) else { continue }
                sights[index] = .address(digest, hint: hint)
                devices.prefetch(app, hint)
            case .id(let id): devices.prefetch(app, id)
            case .nothing: break
            }
        }
        return sights
    }

    /// The answer to an inquiry, of which `prefetch` gave that.
    func answer(
        _ inquiry: Inquiry, _ sight: Sight, _ transaction: borrowing ReadTransaction
    ) -> Result<InquiryAnswer?, RegistryError> {
        do {
            switch inquiry {
            case .device(let reference):
                return .success(try device(reference, sight, transaction).map(InquiryAnswer.device))
            case .status(let message):
                return .success(try status(of: message, transaction).map(InquiryAnswer.status))
            }
        } catch {
            return .failure(RegistryError(reading: error))
        }
    }

    func device(
        _ reference: DeviceReference, _ sight: Sight, _ transaction: borrowing ReadTransaction
    ) throws -> Device? {
        let found =
            switch reference {
            case .id(let id): try layout.devices.get(transaction, app, id)
            case .address(let address):
                if case .address(let digest, let hint) = sight {
                    try layout.device(at: address, digest, app, hint: hint, transaction)
                } else {
                    try layout.device(at: address, app, transaction)
                }
            }
        guard var device = found else { return nil }
        if let muted { device.isMuted = try holds(muted, device, transaction) }
        return device
    }

    func status(of message: MessageID, _ transaction: borrowing ReadTransaction) throws -> MessageStatus? {
        guard let progress = try layout.progress.get(transaction, message), progress.app == app else { return nil }
        var status = progress.status
        if progress.isLive {
            status.audience = try layout.messages.get(transaction, message)?.live?.audience.condition?.description
        }
        return status
    }

    /// Whether a device itself holds the set of the muted: an active one is then in its postings, which are few, and a
    /// quarantined one is counted. Only who is there may be there because of a group.
    private func holds(_ muted: SetRecord, _ device: Device, _ transaction: borrowing ReadTransaction) throws -> Bool {
        switch device.state {
        case .active:
            guard muted.devices > 0,
                try layout.postings.get(transaction, app, muted.number, device.id.chunk)?.contains(device.id.offset)
                    == true
            else { return false }
        case .quarantined:
            guard muted.dormant > 0 else { return false }
        }
        return try layout.memberships.get(transaction, app, device.id).topics.holds(muted.number)
    }
}
