package import CarillonCore

/// SUBSCRIBE_EVENTS (Protocol 8a.1). The id of the request names the subscription.
package struct EventSubscription: Hashable, Sendable {
    /// A durable subscription of the principal, up to 64 bytes; empty = none.
    package var name: String
    /// 0 = after what `name` has acknowledged, the greatest number = from now, else after that number.
    package var from: UInt64
    /// Apps wanted, up to 64; empty = all that the principal may observe.
    package var apps: [AppID]
    /// Kinds wanted, up to 64; empty = all.
    package var kinds: [Event.Kind]
    /// Event frames that the server may send on this subscription in all.
    package var credit: UInt64

    /// `from` for what happens from now on.
    package static let now = UInt64.max
    /// In `from`: the oldest event that is kept and all after it.
    package static let oldest = UInt64.max - 1

    /// Makes a SUBSCRIBE_EVENTS.
    package init(name: String = "", from: UInt64 = 0, apps: [AppID] = [], kinds: [Event.Kind] = [], credit: UInt64) {
        self.name = name
        self.from = from
        self.apps = apps
        self.kinds = kinds
        self.credit = credit
    }

    /// Which events it wants.
    package var filter: EventFilter { EventFilter(apps: Set(apps), kinds: Set(kinds)) }
}

/// EVENT_CREDIT (Protocol 8a.3).
package struct EventCredit: Hashable, Sendable {
    /// The id of its SUBSCRIBE_EVENTS.
    package var subscription: UInt64
    /// Event frames that the server may send on it in all; less than before changes nothing.
    package var credit: UInt64
    /// Everything up to this number is done with; 0 = nothing new.
    package var acknowledged: UInt64

    /// Makes an EVENT_CREDIT.
    package init(subscription: UInt64, credit: UInt64, acknowledged: UInt64 = 0) {
        self.subscription = subscription
        self.credit = credit
        self.acknowledged = acknowledged
    }
}

/// UNSUBSCRIBE_EVENTS (Protocol 8a.4).
package struct EventUnsubscription: Hashable, Sendable {
    /// The id of its SUBSCRIBE_EVENTS.
    package var subscription: UInt64

    /// Makes an UNSUBSCRIBE_EVENTS.
    package init(subscription: UInt64) {
        self.subscription = subscription
    }
}

/// What an event frame says (Protocol 8a.2).
package enum EventNotice: Hashable, Sendable {
    /// Something has happened.
    case event(Event)
    /// Retention has removed events that were not sent; their numbers, of which there is at least one.
    case gap(missed: Range<UInt64>, at: Timestamp)

    /// The number up to which everything has been told, this included.
    package var sequence: UInt64 {
        switch self {
        case .event(let event): event.sequence
        case .gap(let missed, _): missed.upperBound - min(missed.upperBound, 1)
        }
    }

    /// The kind of a gap: 0, which no event has.
    package static let gapKind = Event.Kind(rawValue: 0)

    /// Reads the payload of an event frame.
    package init(decoding payload: UnsafeRawBufferPointer) throws(WireFault) {
        var reader = PayloadReader(payload)
        var event = Event(
            sequence: try reader.u64("sequence"),
            at: try reader.time("at"),
            kind: Event.Kind(rawValue: try reader.u16("kind")))
        let isGap = event.kind == Self.gapKind
        var missed: (from: UInt64, to: UInt64) = (0, 0)
        try reader.finish(ignoringUnknown: true, requiring: isGap ? (30, "missed_to") : nil) {
            reader, tag, value throws(WireFault) in
            switch tag {
            case 16: event.app = reader.app(try reader.text(value, "app", 0...65_535))
            case 18: event.message = MessageID(rawValue: try reader.whole(UInt64.self, of: value, "message_id"))
            case 20: event.device = DeviceID(rawValue: try reader.whole(UInt64.self, of: value, "device_id"))
            case 22: event.outcome = Outcome(rawValue: try reader.whole(UInt8.self, of: value, "outcome"))
            case 24: event.count = try reader.whole(UInt64.self, of: value, "count")
            case 26: event.text = try reader.text(value, "text", 0...Event.textByteLimit)
            case 28: missed.from = try reader.whole(UInt64.self, of: value, "missed_from")
            case 30:
                missed.to = try reader.whole(UInt64.self, of: value, "missed_to")
                if isGap, missed.from == 0 || missed.to <= missed.from { reader.note("missed_to", "nothing is missed") }
            default: return false
            }
            return true
        }
        self = isGap ? .gap(missed: missed.from..<missed.to, at: event.at) : .event(event)
    }

    func write(_ writer: inout FrameWriter) {
        writer.u64(sequence)
        switch self {
        case .event(let event): event.write(&writer)
        case .gap(let missed, let at):
            writer.u64(at.milliseconds)
            writer.u16(Self.gapKind.rawValue)
            writer.tags([FrameWriter.field(28, missed.lowerBound), FrameWriter.field(30, missed.upperBound)])
        }
    }
}

extension Event {
    /// Bytes of `text` at most.
    fileprivate static let textByteLimit = 255

    fileprivate func write(_ writer: inout FrameWriter) {
        writer.u64(at.milliseconds)
        writer.u16(kind.rawValue)
        writer.tags([
            FrameWriter.field(16, app?.name), FrameWriter.field(18, message?.rawValue),
            FrameWriter.field(20, device?.rawValue), FrameWriter.field(22, outcome?.rawValue),
            FrameWriter.field(24, count), FrameWriter.field(26, text?.cut(toBytes: Self.textByteLimit)),
        ])
    }
}

extension FrameWriter {
    /// Appends an event frame of the subscription that the request `id` has made; less than 1,024 bytes.
    package mutating func event(_ notice: EventNotice, subscription id: UInt64) {
        frame(.event, opcode: .subscribeEvents, id: id) { notice.write(&$0) }
    }
}

extension EventSubscription {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(
            name: try reader.string("name", 0...WireLimits.subscriberNameBytes),
            from: try reader.u64("from"),
            apps: try reader.items("apps", 0...WireLimits.eventFilter, elementBytes: 2) { reader throws(WireFault) in
                try reader.app()
            },
            kinds: try reader.items("kinds", 0...WireLimits.eventFilter, elementBytes: 2) {
                reader throws(WireFault) in
                let kind = Event.Kind(rawValue: try reader.u16("kinds"))
                if kind == EventNotice.gapKind { reader.note("kinds", "gaps are told whatever the filter") }
                return kind
            },
            credit: try reader.u64("credit")
        )
        try common.finish(&reader)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(name)
        writer.u64(from)
        writer.list(apps) { $0.string($1.name) }
        writer.list(kinds) { $0.u16($1.rawValue) }
        writer.u64(credit)
        writer.tags(common)
    }
}

extension EventCredit {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(
            subscription: try reader.u64("subscription"),
            credit: try reader.u64("credit"),
            acknowledged: try reader.u64("ack")
        )
        try common.finish(&reader)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.u64(subscription)
        writer.u64(credit)
        writer.u64(acknowledged)
        writer.tags(common)
    }
}

extension EventUnsubscription {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(subscription: try reader.u64("subscription"))
        try common.finish(&reader)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.u64(subscription)
        writer.tags(common)
    }
}
