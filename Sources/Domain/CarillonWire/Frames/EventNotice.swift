package import CarillonCore

/// The payload of an event frame (Protocol 11.2).
package enum EventNotice: Hashable, Sendable {
    case event(Event)
    /// A gap: retention has removed events that were not sent, at least one. `missed` are their numbers.
    case gap(missed: Range<UInt64>, at: Timestamp)

    /// The sequence number up to which the subscription is complete, this notice included.
    package var sequence: UInt64 {
        switch self {
        case .event(let event): event.sequence
        case .gap(let missed, _): missed.upperBound - min(missed.upperBound, 1)
        }
    }

    /// The kind of a gap: 0, which no event has.
    package static let gapKind = Event.Kind(rawValue: 0)

    /// Reads the payload of an event frame.
    package init(decoding payload: UnsafeRawBufferPointer) throws(WireError) {
        var reader = PayloadReader(payload)
        var event = Event(
            sequence: try reader.u64("sequence"),
            at: try reader.time("at"),
            kind: Event.Kind(rawValue: try reader.u16("kind")))
        let isGap = event.kind == Self.gapKind
        var missed: (from: UInt64, to: UInt64) = (0, 0)
        try reader.finish(ignoringUnknown: true, requiring: isGap ? (30, "missed_to") : nil) {
            reader, tag, value throws(WireError) in
            switch tag {
            case 16: event.app = reader.app(try reader.text(value, field: "app"))
            case 18:
                event.message = MessageID(rawValue: try reader.integer(UInt64.self, of: value, field: "message_id"))
            case 20: event.device = DeviceID(rawValue: try reader.integer(UInt64.self, of: value, field: "device_id"))
            case 22: event.outcome = Outcome(rawValue: try reader.integer(UInt8.self, of: value, field: "outcome"))
            case 24: event.count = try reader.integer(UInt64.self, of: value, field: "count")
            case 26: event.text = try reader.text(value, field: "text", limits: 0...Event.maximumTextBytes)
            case 28: missed.from = try reader.integer(UInt64.self, of: value, field: "missed_from")
            case 30:
                missed.to = try reader.integer(UInt64.self, of: value, field: "missed_to")
                if isGap, missed.from == 0 || missed.to <= missed.from {
                    reader.recordInvalid("missed_to", because: "nothing is missed")
                }
            case TraceParent.tag:
                event.traceParent = TraceParent(try reader.text(value, field: "traceparent"))
            default: return false
            }
            return true
        }
        self = isGap ? .gap(missed: missed.from..<missed.to, at: event.at) : .event(event)
    }

    func write(to writer: inout FrameWriter) {
        writer.u64(sequence)
        switch self {
        case .event(let event): event.write(to: &writer)
        case .gap(let missed, let at):
            writer.u64(at.milliseconds)
            writer.u16(Self.gapKind.rawValue)
            writer.tags([FrameWriter.field(28, missed.lowerBound), FrameWriter.field(30, missed.upperBound)])
        }
    }
}

extension Event {
    /// The longest `text` of an event, in bytes.
    fileprivate static let maximumTextBytes = 255

    fileprivate func write(to writer: inout FrameWriter) {
        writer.u64(at.milliseconds)
        writer.u16(kind.rawValue)
        writer.tags([
            FrameWriter.field(16, app?.name), FrameWriter.field(18, message?.rawValue),
            FrameWriter.field(20, device?.rawValue), FrameWriter.field(22, outcome?.rawValue),
            FrameWriter.field(24, count), FrameWriter.field(26, text?.cut(toBytes: Self.maximumTextBytes)),
            FrameWriter.field(TraceParent.tag, traceParent?.description),
        ])
    }
}

extension FrameWriter {
    /// Appends an event frame of the subscription of the request `id`; less than 1,024 bytes.
    package mutating func event(_ notice: EventNotice, subscription id: UInt64) {
        frame(.event, opcode: .subscribeEvents, id: id) { notice.write(to: &$0) }
    }
}
