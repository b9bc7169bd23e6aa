import CarillonCore

/// Reads the values of forms that have many fields.
extension ChangeForm {
    // MARK: Devices

    func readRegistration(
        _ reader: inout ByteReader, app: AppID, device: DeviceReference
    ) throws -> Registration {
        guard case .address(let address) = device else { throw reader.corrupted("a registration without an address") }
        let seenAt = try reader.time()
        let replaces = try reader.flags(upTo: 1) == 0 ? nil : try reader.token()
        let update = try readUpdate(&reader)
        guard update.isMuted == nil else { throw reader.corrupted("a registration that mutes") }
        return Registration(
            app: app, address: address, seenAt: seenAt, replaces: replaces, locale: update.locale,
            timeZone: update.timeZone, attributes: update.attributes, topics: try reader.list { try $0.topic() },
            groups: try reader.list { try $0.group() })
    }

    func readSubscription(_ reader: inout ByteReader) throws -> WebPushSubscription {
        guard let count = Int(exactly: try reader.varint()) else { throw reader.corrupted("an invalid length") }
        let bytes = try Array(reader.take(count))
        do throws(WebPushSubscriptionError) {
            return try WebPushSubscription(bytes: bytes)
        } catch {
            throw reader.corrupted("an invalid subscription")
        }
    }

    func readUpdate(_ reader: inout ByteReader) throws -> DeviceUpdate {
        let fields = try reader.fields(DeviceUpdateFields.self)
        return DeviceUpdate(
            locale: fields.contains(.locale) ? try reader.longText() : nil,
            timeZone: fields.contains(.timeZone) ? try reader.longText() : nil,
            attributes: try reader.list { reader in
                guard let change = AttributeChange(key: try reader.longText(), value: try reader.longText()) else {
                    throw reader.corrupted("an invalid attribute")
                }
                return change
            },
            isMuted: try readIsMuted(&reader))
    }

    func readIsMuted(_ reader: inout ByteReader) throws -> Bool? {
        switch try reader.number(UInt8.self) {
        case 0: nil
        case 1: false
        case 2: true
        default: throw reader.corrupted("an unknown mute")
        }
    }

    // MARK: Groups and messages

    func join(_ reader: inout ByteReader, app: AppID, now: Timestamp) throws -> Change {
        var join = JoinRequest(app: app, group: try reader.group(), devices: try reader.devices())
        let fields = try reader.fields(JoinFields.self)
        if fields.contains(.leaving) { join.leaving = try reader.group() }
        if fields.contains(.announcement) {
            let body = try MessageTable.readBody(&reader)
            guard body.notAfter == nil, body.lane == .interactive else {
                throw reader.corrupted("an invalid announcement")
            }
            join.announcement = body.content
        }
        return .join(join, sender: fields.contains(.sender) ? try reader.longText() : nil, now: now)
    }

    func accept(_ reader: inout ByteReader, now: Timestamp) throws -> Change {
        let key = try reader.uuid().nonzero
        let body = try MessageTable.readBody(&reader)
        var message = Message(
            idempotencyKey: key, content: body.content, audience: try Audience(&reader), notAfter: body.notAfter,
            lane: body.lane)
        let fields = try reader.fields(MessageFields.self)
        if fields.contains(.excludedDevice) { message.excludedDevice = try DeviceReference(&reader) }
        if fields.contains(.sendAt) { message.sendAt = try reader.time() }
        if fields.contains(.pace) { message.pace = try reader.number() }
        if fields.contains(.label) { message.label = try reader.longText() }
        let sender = fields.contains(.sender) ? try reader.longText() : nil
        if fields.contains(.traceParent) {
            guard let trace = TraceParent(exactly: try reader.longText()) else {
                throw reader.corrupted("an invalid trace parent")
            }
            message.traceParent = trace
        }
        return .accept(message, sender: sender, now: now)
    }

    func resend(_ reader: inout ByteReader, now: Timestamp) throws -> Change {
        let message = try reader.message()
        let app = try reader.app()
        let key = try reader.uuid().nonzero
        let outcomes = Set(try reader.list { Outcome(rawValue: try $0.number()) }).sorted()
        let fields = try reader.fields(ResendFields.self)
        let resend = ResendRequest(
            app: app, id: message, idempotencyKey: key, outcomes: outcomes,
            notAfter: fields.contains(.notAfter) ? try reader.time() : nil)
        return .resend(resend, sender: fields.contains(.sender) ? try reader.longText() : nil, now: now)
    }

    func readMessageUpdate(_ reader: inout ByteReader) throws -> MessageUpdate {
        switch try reader.number(UInt8.self) {
        case 1: .cancel
        case 2: .pause
        case 3: .resume
        case 4: .pace(nil)
        case 5: .pace(try reader.number())
        default: throw reader.corrupted("an unknown update of a message")
        }
    }

    // MARK: Outcomes and events

    func readRecord(_ reader: inout ByteReader) throws -> OutcomeRecord {
        let message = try reader.message()
        let page = try reader.number(UInt32.self)
        let firstPendingPage: UInt32 = try reader.number()
        guard let gaveUpWaitingCount = Int(exactly: try reader.varint()) else {
            throw reader.corrupted("an invalid count")
        }
        let addressed = try reader.flags(upTo: 1) == 0 ? nil : AddressedChunk(try reader.chunk())
        let endedRecipients = try readEndedRecipients(&reader)
        let delays = try reader.list { reader in
            OutcomeRecord.Delay(
                position: try reader.number(), attempts: try reader.number(), dueAt: try reader.time())
        }
        let attempts = try reader.list { reader in
            var recorded = OutcomeRecord.RecordedAttempt(
                position: try reader.number(),
                attempt: TraceAttempt(
                    endedAt: try reader.time(), connectionNumber: try reader.number(), status: try reader.number(),
                    reason: try reader.longText()))
            if self == .recordOutcomesWithIDs { recorded.attempt.uniqueID = try reader.uniqueID() }
            return recorded
        }
        return OutcomeRecord(
            message: message, page: page, endedRecipients: endedRecipients, delays: delays, attempts: attempts,
            addressed: addressed, firstPendingPage: firstPendingPage, gaveUpWaitingCount: gaveUpWaitingCount)
    }

    private func readEndedRecipients(_ reader: inout ByteReader) throws -> [OutcomeRecord.EndedRecipient] {
        let count = try reader.varint()
        var endedRecipients: [OutcomeRecord.EndedRecipient] = []
        // Each recipient has at least a byte, so the bytes that are left bound the memory.
        endedRecipients.reserveCapacity(Int(min(count, UInt64(reader.remaining))))
        var previous = OutcomeRecord.EndedRecipient(position: 0, outcome: .delivered)
        while endedRecipients.count < count {
            previous = try readEndedRecipient(&reader, after: previous)
            endedRecipients.append(previous)
            // Recipients that follow on each other mostly have the same outcome.
            let most = min(count - UInt64(endedRecipients.count), UInt64(UInt16.max - previous.position))
            let run = reader.skip(FormWriter.nextRecipient, atMost: Int(most))
            var next = OutcomeRecord.EndedRecipient(position: previous.position, outcome: previous.outcome)
            for _ in 0..<run {
                next.position += 1
                endedRecipients.append(next)
            }
            previous = next
        }
        return endedRecipients
    }

    private func readEndedRecipient(
        _ reader: inout ByteReader, after previous: OutcomeRecord.EndedRecipient
    ) throws -> OutcomeRecord.EndedRecipient {
        let head = try reader.varint()
        let magnitude = Int64(truncatingIfNeeded: head >> 2)
        let difference = head & 2 == 0 ? magnitude : -magnitude - 1
        guard let position = UInt16(exactly: Int64(previous.position) + difference) else {
            throw reader.corrupted("an invalid position")
        }
        var endedRecipient = OutcomeRecord.EndedRecipient(position: position, outcome: previous.outcome)
        guard head & 1 != 0 else { return endedRecipient }
        endedRecipient.outcome = Outcome(rawValue: try reader.number())
        let fields = try reader.fields(EndedRecipientFields.self)
        if fields.contains(.deadToken) {
            endedRecipient.deadToken = OutcomeRecord.DeadToken(
                since: try reader.time(), registeredAt: try reader.time())
        }
        if fields.contains(.movedTo) { endedRecipient.movedTo = try reader.value(APNsEnvironment.self) }
        if fields.contains(.registeredAt) { endedRecipient.registeredAt = try reader.time() }
        return endedRecipient
    }

    func readEvent(_ reader: inout ByteReader, at time: Timestamp) throws -> Event {
        var event = Event(at: time, kind: Event.Kind(rawValue: try reader.number()))
        let fields = try reader.fields(EventFields.self)
        if fields.contains(.app) { event.app = try reader.app() }
        if fields.contains(.message) { event.message = try reader.message() }
        if fields.contains(.device) { event.device = DeviceID(rawValue: try reader.number()) }
        if fields.contains(.outcome) { event.outcome = Outcome(rawValue: try reader.number()) }
        if fields.contains(.count) { event.count = try reader.number() }
        if fields.contains(.text) { event.text = try reader.longText() }
        return event
    }

    func readSubscriber(_ reader: inout ByteReader) throws -> EventSubscriber {
        EventSubscriber(principal: try reader.longText(), name: try reader.longText())
    }
}
