package import CarillonCore
import CarillonLMDB

extension LMDBRegistry {
    /// Answers pointReads on one snapshot; see `Registry.pointRead`.
    package func pointRead(
        _ pointReads: [PointRead], of app: AppID, _ answered: (Int, Result<PointReadResult?, RegistryError>) -> Void
    ) {
        do throws(RegistryError) {
            try read { transaction, layout in
                guard let reader = try PointReader(app, layout, transaction) else {
                    return pointReads.indices.forEach { answered($0, .success(nil)) }
                }
                let hints = reader.prefetch(pointReads)
                for index in pointReads.indices {
                    answered(index, reader.answer(pointReads[index], hint: hints[index], transaction))
                }
            }
        } catch {
            // There is no snapshot, or its apps cannot be read: then none was answered.
            for index in pointReads.indices { answered(index, .failure(error)) }
        }
    }

    /// The device of that reference, active or quarantined.
    package func device(_ reference: DeviceReference, of app: AppID) throws(RegistryError) -> Device? {
        try read { transaction, layout in
            guard let reader = try PointReader(app, layout, transaction) else { return nil }
            return try reader.device(reference, hint: reader.prefetch([.device(reference)])[0], transaction)
        }
    }

    /// How far a message has come; nil if the app has no such message.
    package func status(of message: MessageID, app: AppID) throws(RegistryError) -> MessageStatus? {
        try read { transaction, layout in
            try PointReader(app, layout, transaction)?.status(of: message, transaction)
        }
    }
}

/// Answers pointReads about an app on one snapshot: what many of them need is read once.
private final class PointReader {
    private let layout: Layout
    private let app: AppNumber
    /// The set of the muted if there is one.
    private let muted: SetRecord?

    /// Nil if there is no such app.
    init?(_ app: AppID, _ layout: Layout, _ transaction: borrowing ReadTransaction) throws {
        guard let number = try layout.apps.get(transaction, app)?.number else { return nil }
        self.layout = layout
        self.app = number
        muted = try layout.sets.get(transaction, number, .muted)
    }

    /// Asks the processor for what the pointReads will read, all at once, for it would wait for each by itself; gives the
    /// devices that they may be about.
    func prefetch(_ pointReads: [PointRead]) -> [DeviceID?] {
        let (app, hints, devices) = (app, layout.hints, layout.devices)
        let sights = pointReads.map { pointRead -> Sight in
            switch pointRead {
            case .device(.address(let address)):
                let digest = layout.digest(of: address, app)
                hints.prefetch(digest)
                return .address(digest)
            case .device(.id(let id)): return .id(id)
            case .status: return .nothing
            }
        }
        return sights.map { sight in
            let id: DeviceID? =
                switch sight {
                case .address(let digest): hints.device(at: digest)
                case .id(let id): id
                case .nothing: nil
                }
            if let id { devices.prefetch(app, id) }
            return id
        }
    }

    /// What an pointRead says of its device.
    private enum Sight {
        /// What its address is known by: there may be a hint of its id.
        case address(AddressDigest)
        case id(DeviceID)
        case nothing
    }

    /// The answer to an pointRead; `hint` is what `prefetch` gave for it.
    func answer(
        _ pointRead: PointRead, hint: DeviceID?, _ transaction: borrowing ReadTransaction
    ) -> Result<PointReadResult?, RegistryError> {
        do {
            switch pointRead {
            case .device(let reference):
                return .success(try device(reference, hint: hint, transaction).map(PointReadResult.device))
            case .status(let message):
                return .success(try status(of: message, transaction).map(PointReadResult.status))
            }
        } catch {
            return .failure(RegistryError(reading: error))
        }
    }

    func device(
        _ reference: DeviceReference, hint: DeviceID?, _ transaction: borrowing ReadTransaction
    ) throws -> Device? {
        let found =
            switch reference {
            case .id(let id): try layout.devices.get(transaction, app, id)
            case .address(let address): try layout.device(at: address, app, hint: hint, transaction)
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
