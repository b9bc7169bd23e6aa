package import CarillonCore
import CarillonLMDB

extension LMDBRegistry {
    /// Answers inquiries on one snapshot; see `Registry.inquire`.
    package func inquire(_ inquiries: [Inquiry], _ answered: (Int, Result<InquiryAnswer?, RegistryError>) -> Void) {
        do throws(RegistryError) {
            try read { transaction, layout in
                var desk = InquiryDesk(layout: layout)
                for (index, inquiry) in inquiries.enumerated() { answered(index, desk.answer(inquiry, transaction)) }
            }
        } catch {
            // Only that there is no snapshot: then none was answered.
            for index in inquiries.indices { answered(index, .failure(error)) }
        }
    }

    /// The device of that reference, active or quarantined.
    package func device(_ reference: DeviceReference, of app: AppID) throws(RegistryError) -> Device? {
        try read { transaction, layout in
            var desk = InquiryDesk(layout: layout)
            return try desk.device(reference, of: app, transaction)
        }
    }

    /// How far a message has come; nothing if the app has no such message.
    package func status(of message: MessageID, app: AppID) throws(RegistryError) -> MessageStatus? {
        try read { transaction, layout in
            var desk = InquiryDesk(layout: layout)
            return try desk.status(of: message, app, transaction)
        }
    }
}

/// Answers inquiries on one snapshot: what many of them need is read once.
private struct InquiryDesk {
    /// An app, and its set of the muted if there is one.
    private struct Place {
        let app: AppID
        let number: AppNumber
        let muted: SetRecord?
    }

    private let layout: Layout
    /// Of the app that was asked about last.
    private var place: Place?

    init(layout: Layout) {
        self.layout = layout
    }

    mutating func answer(
        _ inquiry: Inquiry, _ transaction: borrowing ReadTransaction
    ) -> Result<InquiryAnswer?, RegistryError> {
        do {
            switch inquiry {
            case .device(let reference, let app):
                return .success(try device(reference, of: app, transaction).map(InquiryAnswer.device))
            case .status(let message, let app):
                return .success(try status(of: message, app, transaction).map(InquiryAnswer.status))
            }
        } catch {
            return .failure(RegistryError(reading: error))
        }
    }

    mutating func device(
        _ reference: DeviceReference, of app: AppID, _ transaction: borrowing ReadTransaction
    ) throws -> Device? {
        guard let place = try find(app, transaction),
            var device = try LMDBRegistry.device(reference, place.number, layout, transaction)
        else { return nil }
        if let muted = place.muted { device.isMuted = try holds(muted, device, place.number, transaction) }
        return device
    }

    mutating func status(
        of message: MessageID, _ app: AppID, _ transaction: borrowing ReadTransaction
    ) throws -> MessageStatus? {
        guard let place = try find(app, transaction),
            let progress = try layout.progress.get(transaction, message), progress.app == place.number
        else { return nil }
        var status = progress.status
        if progress.isLive {
            status.audience = try layout.messages.get(transaction, message)?.live?.audience.condition?.description
        }
        return status
    }

    /// Whether a device itself holds the set of the muted: an active one is then in its postings, which are few, and a
    /// quarantined one is counted. Only who is there may be there because of a group.
    private func holds(
        _ muted: SetRecord, _ device: Device, _ app: AppNumber, _ transaction: borrowing ReadTransaction
    ) throws -> Bool {
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

    private mutating func find(_ app: AppID, _ transaction: borrowing ReadTransaction) throws -> Place? {
        if let place, place.app == app { return place }
        guard let number = try layout.apps.get(transaction, app)?.number else { return nil }
        place = Place(app: app, number: number, muted: try layout.sets.get(transaction, number, .muted))
        return place
    }
}
