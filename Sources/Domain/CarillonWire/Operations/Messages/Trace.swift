package import CarillonCore

/// The request TRACE (Protocol 10.8).
package struct TraceRequest: LongReadOperation {
    package typealias Answer = MessageTrace

    package static let opcode = Opcode.trace

    package var app: AppID
    package var id: MessageID
    package var device: DeviceReference

    package init(app: AppID, id: MessageID, device: DeviceReference) {
        self.app = app
        self.id = id
        self.device = device
    }

    package func read(from registry: any ListingReads) throws(RegistryError) -> Result<MessageTrace, RequestError> {
        switch try registry.trace(of: id, device: device, app: app) {
        case .noMessage: .failure(.noMessage)
        case .noDevice: .failure(.noDevice)
        case .trace(let trace): .success(trace)
        }
    }
}

extension Opcode {
    package static let trace = Opcode(rawValue: 0x0056)
}

// MARK: Codec (Protocol 10.8)

extension TraceRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(app: try reader.app(), id: try reader.messageID(), device: try reader.device())
        try common.finish(&reader)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.u64(id.rawValue)
        writer.device(device)
        writer.tags(common)
    }
}

/// The sum of the `flags` of a trace.
private struct TraceFlags: OptionSet {
    let rawValue: UInt8
    static let isQuarantined = TraceFlags(rawValue: 1)
    static let isMuted = TraceFlags(rawValue: 2)
    static let hasBody = TraceFlags(rawValue: 4)
}

extension MessageTrace: PayloadAnswer {
    package init(from reader: inout PayloadReader) throws(WireError) {
        let device = try reader.deviceID()
        let state = try reader.messageState()
        let addressing = try reader.addressing()
        let outcome = Outcome(rawValue: try reader.u8("outcome"))
        let flags = TraceFlags(rawValue: try reader.u8("flags"))
        var trace = MessageTrace(device: device, state: state, addressing: addressing, outcome: outcome)
        trace.isQuarantined = flags.contains(.isQuarantined)
        trace.isMuted = flags.contains(.isMuted)
        trace.language = flags.contains(.hasBody) ? "" : nil
        try reader.finish(ignoringUnknown: true) { reader, tag, value throws(WireError) in
            switch tag {
            case 16: trace.sources = try reader.parse(value, as: "sources", PayloadReader.traceSources)
            case 18: trace.mutedGroups = try reader.parse(value, as: "muted_groups", PayloadReader.mutedGroups)
            case 20: trace.language = try reader.text(value, field: "language", limits: 1...35)
            case 22: trace.silentBudgetLeft = try reader.integer(UInt32.self, of: value, field: "silent_budget_left")
            case 24: trace.attempts = try reader.parse(value, as: "attempts", PayloadReader.attempts)
            case 26:
                let time = try reader.integer(UInt64.self, of: value, field: "next_attempt_at")
                trace.nextAttemptAt = Timestamp(milliseconds: time)
            case 30:
                let ids = try reader.parse(value, as: "unique_ids", PayloadReader.uniqueIDs)
                // Tags ascend: the attempts are there already.
                for (index, id) in ids.enumerated() where trace.attempts.indices.contains(index) {
                    trace.attempts[index].uniqueID = id
                }
            default: return false
            }
            return true
        }
        self = trace
    }

    package func write(to writer: inout FrameWriter) {
        var flags: TraceFlags = []
        if isQuarantined { flags.insert(.isQuarantined) }
        if isMuted { flags.insert(.isMuted) }
        if language != nil { flags.insert(.hasBody) }
        writer.u64(device.rawValue)
        writer.u8(state.rawValue)
        writer.u8(addressing.rawValue)
        writer.u8(outcome.rawValue)
        writer.u8(flags.rawValue)
        writer.tags([
            FrameWriter.field(16, list: sources) { $0.traceSource($1) },
            FrameWriter.field(18, list: mutedGroups) { $0.string($1.name) },
            FrameWriter.field(20, language?.isEmpty == true ? nil : language),
            FrameWriter.field(22, silentBudgetLeft),
            FrameWriter.field(24, list: attempts) { $0.attempt($1) },
            FrameWriter.field(26, nextAttemptAt?.milliseconds),
            uniqueIDsField,
        ])
    }
}

extension MessageTrace {
    /// The tagged field of the `apns-unique-id`s, one text for each attempt, so that an older client finds the attempts
    /// as they always were; nil if no attempt has an id.
    fileprivate var uniqueIDsField: FrameWriter.TaggedField? {
        guard attempts.contains(where: { $0.uniqueID != nil }) else { return nil }
        return FrameWriter.field(30, list: attempts) { $0.string($1.uniqueID ?? "") }
    }
}

extension PayloadReader {
    fileprivate mutating func addressing() throws(WireError) -> MessageTrace.Addressing {
        let value = try u8("addressing")
        if let addressing = MessageTrace.Addressing(rawValue: value) { return addressing }
        recordInvalid("addressing", because: "addressing \(value) is not known")
        return .noRecipient
    }

    fileprivate static func traceSources(_ reader: inout PayloadReader) throws(WireError) -> [MessageTrace.Source] {
        var sources: [MessageTrace.Source] = []
        try reader.list("sources", elementBytes: 1 + 2 + 2) { reader, _ throws(WireError) in
            sources.append(try reader.traceSource())
        }
        return sources
    }

    private mutating func traceSource() throws(WireError) -> MessageTrace.Source {
        let kind = try u8("kind")
        let name = try string("name")
        let through = try string("through", limits: 0...WireLimits.nameBytes)
        switch kind {
        case 1: return .device
        case 2: if let group = GroupName(name) { return .group(group) }
        case 3:
            if let topic = TopicName(name), through.isEmpty || GroupName(through) != nil {
                return .topic(topic, through: GroupName(through))
            }
        case 4: return .term(name)
        case 5: return .all
        default: break
        }
        recordInvalid("sources", because: "a source of kind \(kind) is not known, or its names are not valid")
        return .all
    }

    fileprivate static func mutedGroups(_ reader: inout PayloadReader) throws(WireError) -> [GroupName] {
        var groups: [GroupName] = []
        try reader.list("muted_groups", elementBytes: 2) { reader, _ throws(WireError) in
            groups.append(try reader.group("muted_groups"))
        }
        return groups
    }

    fileprivate static func uniqueIDs(_ reader: inout PayloadReader) throws(WireError) -> [String?] {
        var ids: [String?] = []
        try reader.list("unique_ids", elementBytes: 2) { reader, _ throws(WireError) in
            let id = try reader.string("unique_id")
            ids.append(id.isEmpty ? nil : id)
        }
        return ids
    }

    fileprivate static func attempts(_ reader: inout PayloadReader) throws(WireError) -> [TraceAttempt] {
        var attempts: [TraceAttempt] = []
        try reader.list("attempts", elementBytes: 8 + 4 + 2 + 2) { reader, _ throws(WireError) in
            attempts.append(
                TraceAttempt(
                    endedAt: try reader.time("at"), connectionNumber: try reader.u32("connection"),
                    status: try reader.u16("status"), reason: try reader.string("reason")))
        }
        return attempts
    }
}

extension FrameWriter {
    fileprivate mutating func traceSource(_ source: MessageTrace.Source) {
        let (kind, name, through): (UInt8, String, String) =
            switch source {
            case .device: (1, "", "")
            case .group(let group): (2, group.name, "")
            case .topic(let topic, let group): (3, topic.name, group?.name ?? "")
            case .term(let term): (4, term, "")
            case .all: (5, "", "")
            }
        u8(kind)
        string(name)
        string(through)
    }

    fileprivate mutating func attempt(_ attempt: TraceAttempt) {
        u64(attempt.endedAt.milliseconds)
        u32(attempt.connectionNumber)
        u16(attempt.status)
        string(attempt.reason.cut(toBytes: 64))
    }
}
