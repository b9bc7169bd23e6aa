import CarillonCore

/// Writes the values of forms that have many fields.
extension FormWriter {
    // MARK: Devices

    mutating func write(_ registration: Registration) {
        append(text: registration.app.name)
        append(.address(registration.address))
        append(registration.seenAt)
        append(UInt8(registration.replaces == nil ? 0 : 1))
        if let token = registration.replaces {
            append(UInt8(token.bytes.count))
            append(contentsOf: token.bytes)
        }
        write(
            DeviceUpdate(
                locale: registration.locale, timeZone: registration.timeZone, attributes: registration.attributes))
        append(list: registration.topics) { $0.append(text: $1.name) }
        append(list: registration.groups) { $0.append(text: $1.name) }
        guard let subscription = registration.subscription?.bytes else { return }
        append(varint: UInt64(subscription.count))
        append(contentsOf: subscription)
    }

    mutating func write(_ update: DeviceUpdate) {
        var fields: DeviceUpdateFields = []
        fields.insert(.locale, if: update.locale != nil)
        fields.insert(.timeZone, if: update.timeZone != nil)
        append(fields)
        if let locale = update.locale { append(text: locale) }
        if let timeZone = update.timeZone { append(text: timeZone) }
        append(list: update.attributes) { writer, change in
            writer.append(text: change.key.name)
            writer.append(text: change.value?.text ?? "")
        }
        write(update.isMuted)
    }

    /// Writes a byte: 0 for nil, 1 for false, 2 for true.
    mutating func write(_ isMuted: Bool?) { append(UInt8(isMuted.map { $0 ? 2 : 1 } ?? 0)) }

    // MARK: Groups and messages

    mutating func write(_ join: JoinRequest, sender: String?) {
        append(text: join.app.name)
        append(text: join.group.name)
        append(devices: join.devices)
        var fields: JoinFields = []
        fields.insert(.leaving, if: join.leaving != nil)
        fields.insert(.announcement, if: join.announcement != nil)
        fields.insert(.sender, if: sender != nil)
        append(fields)
        if let leaving = join.leaving { append(text: leaving.name) }
        if let announcement = join.announcement { write(announcement, notAfter: nil, lane: .interactive) }
        if let sender { append(text: sender) }
    }

    mutating func write(_ content: MessageContent, notAfter: Timestamp?, lane: Lane) {
        append(capacity: MessageTable.bodyBytes(content)) {
            MessageTable.appendBody(content, notAfter: notAfter, lane: lane, to: &$0)
        }
    }

    mutating func write(_ resend: ResendRequest, sender: String?) {
        append(resend.id.rawValue)
        append(text: resend.app.name)
        append(resend.idempotencyKey ?? .zero)
        append(list: Set(resend.outcomes).sorted()) { $0.append($1.rawValue) }
        var fields: ResendFields = []
        fields.insert(.notAfter, if: resend.notAfter != nil)
        fields.insert(.sender, if: sender != nil)
        append(fields)
        if let notAfter = resend.notAfter { append(notAfter) }
        if let sender { append(text: sender) }
    }

    mutating func write(_ message: Message, sender: String?) {
        append(message.idempotencyKey ?? .zero)
        write(message.content, notAfter: message.notAfter, lane: message.lane)
        append(capacity: message.audience.storedBytes) { message.audience.append(to: &$0) }
        var fields: MessageFields = []
        fields.insert(.excludedDevice, if: message.excludedDevice != nil)
        fields.insert(.sendAt, if: message.sendAt != nil)
        fields.insert(.pace, if: message.pace != nil)
        fields.insert(.label, if: message.label != nil)
        fields.insert(.sender, if: sender != nil)
        fields.insert(.traceParent, if: message.traceParent != nil)
        append(fields)
        if let excluded = message.excludedDevice { append(excluded) }
        if let sendAt = message.sendAt { append(sendAt) }
        if let pace = message.pace { append(pace) }
        if let label = message.label { append(text: label) }
        if let sender { append(text: sender) }
        if let trace = message.traceParent { append(text: trace.description) }
    }

    mutating func write(_ update: MessageUpdate) {
        switch update {
        case .cancel: append(UInt8(1))
        case .pause: append(UInt8(2))
        case .resume: append(UInt8(3))
        case .pace(nil): append(UInt8(4))
        case .pace(let pace?):
            append(UInt8(5))
            append(pace)
        }
    }

    // MARK: Outcomes and events

    mutating func write(_ record: OutcomeRecord) {
        append(record.message.rawValue)
        append(record.page)
        append(record.firstPendingPage)
        append(varint: UInt64(clamping: record.gaveUpWaitingCount))
        append(UInt8(record.addressed == nil ? 0 : 1))
        if let bits = record.addressed?.bits { write(bits) }
        var previous = OutcomeRecord.EndedRecipient(position: 0, outcome: .delivered)
        append(list: record.endedRecipients) { writer, recipient in
            writer.write(recipient, after: previous)
            previous = recipient
        }
        append(list: record.delays) { writer, delay in
            writer.append(delay.position)
            writer.append(delay.attempts)
            writer.append(delay.dueAt)
        }
        let hasIDs = record.hasUniqueIDs
        append(list: record.attempts) { writer, recorded in
            writer.append(recorded.position)
            writer.append(recorded.attempt.endedAt)
            writer.append(recorded.attempt.connectionNumber)
            writer.append(recorded.attempt.status)
            writer.append(text: recorded.attempt.reason)
            if hasIDs {
                writer.append(UInt8(recorded.attempt.uniqueID?.utf8.count ?? 0))
                writer.append(contentsOf: Array((recorded.attempt.uniqueID ?? "").utf8))
            }
        }
    }

    /// The byte of a recipient with the next position and the outcome before.
    static let nextRecipient: UInt8 = 2 << 1

    /// Writes a recipient, usually as one byte, ``nextRecipient``.
    private mutating func write(_ recipient: OutcomeRecord.EndedRecipient, after previous: OutcomeRecord.EndedRecipient)
    {
        let difference = Int(recipient.position) - Int(previous.position)
        let zigzag = UInt64(difference < 0 ? -2 * difference - 1 : 2 * difference)
        let hasReport = recipient.deadToken != nil || recipient.movedTo != nil || recipient.registeredAt != .zero
        guard recipient.outcome != previous.outcome || hasReport else { return append(varint: zigzag << 1) }
        append(varint: zigzag << 1 | 1)
        append(recipient.outcome.rawValue)
        var fields: EndedRecipientFields = []
        fields.insert(.deadToken, if: recipient.deadToken != nil)
        fields.insert(.movedTo, if: recipient.movedTo != nil)
        fields.insert(.registeredAt, if: recipient.registeredAt != .zero)
        append(fields)
        if let deadToken = recipient.deadToken {
            append(deadToken.since)
            append(deadToken.registeredAt)
        }
        if let environment = recipient.movedTo { append(environment.rawValue) }
        if recipient.registeredAt != .zero { append(recipient.registeredAt) }
    }

    mutating func write(_ bits: ChunkBits) {
        guard !bits.isEmpty else { return append(varint: 0) }
        let bytes = ByteWriter.bytes(capacity: PostingTable.maximumBytes) {
            PostingTable.append(bits, count: bits.count, to: &$0)
        }
        append(varint: UInt64(bytes.count))
        append(contentsOf: bytes)
    }

    /// Writes an event without the number, which it gets when it is applied.
    mutating func write(_ event: Event) {
        append(event.kind.rawValue)
        var fields: EventFields = []
        fields.insert(.app, if: event.app != nil)
        fields.insert(.message, if: event.message != nil)
        fields.insert(.device, if: event.device != nil)
        fields.insert(.outcome, if: event.outcome != nil)
        fields.insert(.count, if: event.count != nil)
        fields.insert(.text, if: event.text != nil)
        append(fields)
        if let app = event.app { append(text: app.name) }
        if let message = event.message { append(message.rawValue) }
        if let device = event.device { append(device.rawValue) }
        if let outcome = event.outcome { append(outcome.rawValue) }
        if let count = event.count { append(count) }
        if let text = event.text { append(text: text) }
    }
}
