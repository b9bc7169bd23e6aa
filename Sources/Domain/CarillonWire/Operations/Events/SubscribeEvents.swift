package import CarillonCore

/// The request SUBSCRIBE_EVENTS (Protocol 11.1). The id of the request names the subscription.
package struct SubscribeEventsRequest: SessionOperation {
    package static let opcode = Opcode.subscribeEvents

    /// The name of a durable subscription of the principal, up to 64 bytes; empty = none.
    package var name: String
    /// The place at which the events begin: 0 = after the acknowledged events of `name`, `now` = with the next event,
    /// `oldest` = with the oldest event, any other value = after the event of that number.
    package var from: UInt64
    /// The apps wanted, up to 64; empty = all that the principal may observe.
    package var apps: [AppID]
    /// The kinds wanted, up to 64; empty = all.
    package var kinds: [Event.Kind]
    /// The number of event frames that the server may send on this subscription in all.
    package var credit: UInt64

    /// The value of `from` that begins with the next event.
    package static let fromNow = UInt64.max
    /// The value of `from` that begins with the oldest event that is kept.
    package static let fromOldest = UInt64.max - 1

    package init(name: String = "", from: UInt64 = 0, apps: [AppID] = [], kinds: [Event.Kind] = [], credit: UInt64) {
        self.name = name
        self.from = from
        self.apps = apps
        self.kinds = kinds
        self.credit = credit
    }

    package var filter: EventFilter { EventFilter(apps: Set(apps), kinds: Set(kinds)) }

    package consuming func sessionRequest() -> SessionRequest { .subscribeEvents(self) }
}

extension Opcode {
    package static let subscribeEvents = Opcode(rawValue: 0x0060)
}

// MARK: Codec (Protocol 11.1)

extension SubscribeEventsRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(
            name: try reader.string("name", limits: 0...WireLimits.subscriberNameBytes),
            from: try reader.u64("from"),
            apps: try reader.items("apps", counts: 0...WireLimits.eventFilterEntries, elementBytes: 2) {
                reader throws(WireError) in
                try reader.app()
            },
            kinds: try reader.items("kinds", counts: 0...WireLimits.eventFilterEntries, elementBytes: 2) {
                reader throws(WireError) in
                let kind = Event.Kind(rawValue: try reader.u16("kinds"))
                if kind == EventNotice.gapKind {
                    reader.recordInvalid("kinds", because: "gaps are told whatever the filter")
                }
                return kind
            },
            credit: try reader.u64("credit")
        )
        try common.finish(&reader)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(name)
        writer.u64(from)
        writer.list(apps) { $0.string($1.name) }
        writer.list(kinds) { $0.u16($1.rawValue) }
        writer.u64(credit)
        writer.tags(common)
    }

    /// Reads the number after which the events begin.
    package static func readAnswer(from reader: inout PayloadReader) throws(WireError) -> UInt64 {
        let after = try reader.u64("after")
        try reader.finishAnswer()
        return after
    }

    package static func write(_ answer: UInt64, to writer: inout FrameWriter) {
        writer.u64(answer)
    }
}
