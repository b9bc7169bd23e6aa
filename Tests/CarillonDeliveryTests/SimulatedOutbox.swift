import CarillonCore

/// A registry and an outbox in memory, which know what an engine may do with them.
struct SimulatedOutbox {
    /// One recipient of one message.
    struct Place: Hashable, Comparable, CustomStringConvertible {
        var message: MessageID
        var page: UInt32
        var position: UInt16

        init(message: MessageID, page: UInt32, position: UInt16) {
            (self.message, self.page, self.position) = (message, page, position)
        }

        init(_ delivery: Delivery) {
            self.init(
                message: delivery.message.id, page: delivery.page.number,
                position: delivery.page.recipients[delivery.index].position)
        }

        var description: String { "\(message).\(page).\(position)" }

        static func < (left: Place, right: Place) -> Bool {
            (left.message, left.page, left.position) < (right.message, right.page, right.position)
        }
    }

    struct Device {
        var environment: Environment
        var kind: TokenKind
        var isRegistered = true
        /// The token is one byte, and each replacement is the next one.
        var token: UInt8 = 1
        /// What the engine has been told of: no older token may be used, and none at all if it was unregistered.
        var told: (token: UInt8, isRegistered: Bool) = (1, true)
    }

    struct Stored {
        var entry: OutboxEntry
        var recipients: [UInt64]
        var outcomes: [Outcome]

        var isFinished: Bool { !outcomes.contains(.pending) }
        var counts: [Outcome: Int] { Dictionary(outcomes.map { ($0, 1) }, uniquingKeysWith: +) }
    }

    static let recipientsPerPage = 5

    private(set) var devices: [UInt64: Device] = [:]
    private(set) var messages: [MessageID: Stored] = [:]

    // MARK: Devices

    mutating func register(_ device: UInt64, _ environment: Environment, _ kind: TokenKind) {
        devices[device] = Device(environment: environment, kind: kind)
    }

    mutating func unregister(_ device: UInt64) {
        devices[device]?.isRegistered = false
    }

    mutating func replaceToken(of device: UInt64) {
        devices[device]?.token += 1
    }

    mutating func isTold(_ device: UInt64) {
        guard let known = devices[device] else { return }
        devices[device]?.told = (known.token, known.isRegistered)
    }

    /// A new engine knows what the disk knows.
    mutating func everythingIsTold() {
        for device in devices.keys { isTold(device) }
    }

    // MARK: Messages

    /// Stores a message; nothing if everybody in it ended at once.
    mutating func accept(
        _ content: MessageContent, to recipients: [UInt64], notAfter: Timestamp?, _ lane: Lane
    ) -> OutboxEntry? {
        let id = MessageID(rawValue: UInt64(messages.count + 1))
        let pages = (recipients.count + Self.recipientsPerPage - 1) / Self.recipientsPerPage
        let entry = OutboxEntry(
            id: id, content: content, acceptedAt: Timestamp(milliseconds: 1_790_000_000_000), notAfter: notAfter,
            lane: lane, pages: UInt32(pages))
        let outcomes = recipients.map { devices[$0]?.isRegistered == true ? Outcome.pending : .unregistered }
        let stored = Stored(entry: entry, recipients: recipients, outcomes: outcomes)
        messages[id] = stored
        return stored.isFinished ? nil : entry
    }

    func unfinished(after: MessageID?, limit: Int) -> [OutboxEntry] {
        messages.values.filter { !$0.isFinished && after.map($0.entry.id.isAfter) ?? true }
            .map(\.entry).sorted { $0.id < $1.id }.prefix(limit).map { $0 }
    }

    func page(_ number: UInt32, of message: MessageID) -> RecipientPage? {
        guard let stored = messages[message], number < stored.entry.pages else { return nil }
        let start = Int(number) * Self.recipientsPerPage
        var builder = RecipientPage.Builder()
        for index in start..<min(start + Self.recipientsPerPage, stored.recipients.count)
        where stored.outcomes[index] == .pending {
            let device = devices[stored.recipients[index]]
            let recipient = RecipientPage.Recipient(
                position: UInt16(index - start), device: DeviceID(rawValue: stored.recipients[index]),
                state: device?.isRegistered == true ? .active : nil,
                // Of a device that is gone nothing is known any more.
                environment: device?.isRegistered == true ? device?.environment ?? .production : .production,
                kind: device?.isRegistered == true ? device?.kind ?? .device : .device)
            builder.append(recipient, token: device.map { $0.isRegistered ? [$0.token] : [] } ?? [])
        }
        return builder.page(number, of: message)
    }

    /// Writes outcomes; false if a recipient had one already.
    mutating func write(_ record: OutcomeRecord) -> Bool {
        for entry in record.entries {
            let index = Int(record.page) * Self.recipientsPerPage + Int(entry.position)
            guard messages[record.message]?.outcomes[index] == .pending, entry.outcome != .pending else { return false }
            messages[record.message]?.outcomes[index] = entry.outcome
        }
        return true
    }

    /// The recipients that have no outcome.
    var unended: [String] {
        messages.values.sorted { $0.entry.id < $1.entry.id }.flatMap { stored in
            stored.outcomes.indices.filter { stored.outcomes[$0] == .pending }.map { "\(stored.entry.id)[\($0)]" }
        }
    }

    // MARK: What may be pulled

    /// Why a delivery must not be made, if it must not.
    func fault(of delivery: Delivery, in pool: PoolKey, at wall: Timestamp) -> String? {
        let place = Place(delivery)
        let index = Int(place.page) * Self.recipientsPerPage + Int(place.position)
        guard let stored = messages[place.message], index < stored.recipients.count else { return "nobody is there" }
        guard stored.recipients[index] == delivery.device.rawValue, let device = devices[delivery.device.rawValue]
        else {
            return "it is for somebody else"
        }
        let token = delivery.page.withToken(at: delivery.index) { Array($0) }
        if stored.outcomes[index] != .pending { return "it has ended as \(stored.outcomes[index])" }
        if !device.told.isRegistered { return "the device is unregistered, and the engine knows" }
        if device.environment != pool.environment { return "it goes to the wrong APNs" }
        if device.kind != stored.entry.content.pushType.tokenKind { return "the token is of the wrong kind" }
        if let notAfter = stored.entry.notAfter, wall > notAfter { return "its time has passed" }
        guard let first = token.first, first >= device.told.token else { return "the token \(token) is an old one" }
        return nil
    }
}

extension MessageID {
    fileprivate func isAfter(_ other: MessageID) -> Bool { self > other }
}
