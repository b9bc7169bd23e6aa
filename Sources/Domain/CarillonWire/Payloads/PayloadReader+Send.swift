import CarillonCore

/// The kind of the audience of a SEND (Protocol 10.1).
enum AudienceKind: UInt8 {
    case devices = 1
    case groups = 2
    case topic = 3
    case condition = 4
    case all = 5
    case channel = 6

    init(_ audience: Audience) {
        self =
            switch audience {
            case .devices: .devices
            case .groups: .groups
            case .topic: .topic
            case .condition: .condition
            case .all: .all
            case .channel: .channel
            }
    }

    /// The tagged field of the kind; nil for a kind without one.
    var field: (tag: UInt32, field: String)? {
        switch self {
        case .devices, .all: nil
        case .groups: (SendTag.groups, "groups")
        case .topic: (SendTag.topic, "topic")
        case .condition: (SendTag.condition, "condition")
        case .channel: (SendTag.channel, "channel")
        }
    }
}

/// Reads the fields of a SEND (Protocol 10.1).
extension PayloadReader {
    mutating func pushType() throws(WireError) -> PushType? {
        let value = try u8("push_type")
        if let type = PushType(rawValue: value) { return type }
        recordInvalid("push_type", because: "push type \(value) is not known")
        return nil
    }

    mutating func priority(for type: PushType?) throws(WireError) -> Priority? {
        let value = try u8("priority")
        if value == 0 { return nil }
        guard let priority = Priority(rawValue: value) else {
            recordInvalid("priority", because: "priority \(value) is none of 10, 5, 1 and 0")
            return nil
        }
        if let type {
            recordInvalid("priority") { () throws(MessageError) in try MessageRules.checkPriority(priority, for: type) }
        }
        return priority
    }

    mutating func audienceKind(for type: PushType?) throws(WireError) -> AudienceKind {
        let value = try u8("audience")
        guard let kind = AudienceKind(rawValue: value) else {
            recordInvalid("audience", because: "audience \(value) is not known")
            return .devices
        }
        if kind == .channel, let type {
            recordInvalid("audience") { () throws(MessageError) in try MessageRules.checkChannelType(type) }
        }
        return kind
    }

    mutating func excludedDevice(_ value: UnsafeRawBufferPointer) throws(WireError) -> DeviceReference {
        try parse(value, as: "except") { reader throws(WireError) in try reader.device("except") }
    }

    /// Records that a field, which chooses among devices, stands in a message to a channel.
    mutating func refuseForChannel(_ field: String, of kind: AudienceKind) {
        if kind == .channel { recordInvalid(field, because: "a broadcast channel takes no \(field)") }
    }

    mutating func channel(
        _ value: UnsafeRawBufferPointer, of kind: AudienceKind
    ) throws(WireError) -> ChannelID {
        if kind != .channel { recordInvalid("channel", because: "audience \(kind.rawValue) is not named by a channel") }
        return channelID(try text(value, field: "channel"), field: "channel")
    }

    mutating func channelEnvironment(
        _ value: UnsafeRawBufferPointer, of kind: AudienceKind
    ) throws(WireError) -> APNsEnvironment {
        if kind != .channel { recordInvalid("environment", because: "audience \(kind.rawValue) has no environment") }
        let number = try integer(UInt8.self, of: value, field: "environment")
        if let environment = APNsEnvironment(rawValue: number) { return environment }
        recordInvalid("environment", because: "environment \(number) is neither 1 nor 2")
        return .production
    }

    /// Reads the payload, which may be empty if the content has bodies. The payload of a broadcast push has rules of
    /// its own.
    mutating func payload(for type: PushType?, to kind: AudienceKind) throws(WireError) -> [UInt8] {
        let payload = Array(try blob("payload"))
        if kind == .channel {
            recordInvalid("payload") { () throws(MessageError) in try MessageRules.checkBroadcastPayload(payload) }
            // The fault is recorded before the faults of other tags, because `expiration` is the first tag.
            if !hasTag(SendTag.expiration) {
                recordInvalid("expiration", because: "a broadcast push needs an expiration; 0 is one")
            }
            return payload
        }
        if !payload.isEmpty || !hasTag(SendTag.bodies) { check(payload, field: "payload", for: type) }
        return payload
    }

    /// Reads the audience of a tagged field, which must be the field of the kind.
    mutating func audience(
        _ value: UnsafeRawBufferPointer,
        tag: UInt32,
        of kind: AudienceKind
    ) throws(WireError) -> Audience {
        let isOwn = kind.field?.tag == tag
        switch tag {
        case SendTag.groups:
            if !isOwn { recordInvalid("groups", because: "audience \(kind.rawValue) is not named by groups") }
            return .groups(
                try parse(value, as: "groups") { reader throws(WireError) in
                    try reader.groups(1...WireLimits.namesPerRequest)
                })
        case SendTag.topic:
            if !isOwn { recordInvalid("topic", because: "audience \(kind.rawValue) is not named by a topic") }
            return .topic(topic(try text(value, field: "topic"), field: "topic"))
        default:
            if !isOwn { recordInvalid("condition", because: "audience \(kind.rawValue) is not named by a condition") }
            return .condition(condition(try text(value, field: "condition")))
        }
    }

    mutating func expiration(
        _ value: UnsafeRawBufferPointer,
        for type: PushType?
    ) throws(WireError) -> Expiration {
        let seconds = try integer(UInt64.self, of: value, field: "expiration")
        let expiration = seconds == 0 ? Expiration.once : .at(seconds: seconds)
        if let type {
            recordInvalid("expiration") { () throws(MessageError) in
                try MessageRules.checkExpiration(expiration, for: type)
            }
        }
        return expiration
    }

    mutating func collapseID(_ value: UnsafeRawBufferPointer) throws(WireError) -> String {
        let text = try text(value, field: "collapse_id")
        recordInvalid("collapse_id") { () throws(MessageError) in try MessageRules.checkCollapseID(text) }
        return text
    }

    mutating func label(_ value: UnsafeRawBufferPointer) throws(WireError) -> String {
        let text = try text(value, field: "label")
        recordInvalid("label") { () throws(MessageError) in try MessageRules.checkLabel(text) }
        return text
    }

    mutating func traceParent(_ value: UnsafeRawBufferPointer) throws(WireError) -> TraceParent? {
        let trace = TraceParent(try text(value, field: "traceparent"))
        if trace == nil { recordInvalid("traceparent", because: "it is not a traceparent of W3C Trace Context") }
        return trace
    }

    mutating func lane(_ value: UnsafeRawBufferPointer) throws(WireError) -> Lane {
        let number = try integer(UInt8.self, of: value, field: "lane")
        if let lane = Lane(rawValue: number) { return lane }
        recordInvalid("lane", because: "lane \(number) is neither 1 nor 2")
        return .interactive
    }

    mutating func overBudget(_ value: UnsafeRawBufferPointer) throws(WireError) -> OverBudget {
        let number = try integer(UInt8.self, of: value, field: "over_budget")
        if let overBudget = OverBudget(rawValue: number) { return overBudget }
        recordInvalid("over_budget", because: "over_budget \(number) is neither 1 nor 2")
        return .drop
    }

    /// Reads the key under which payloads carry the message's id; each payload must have room for it.
    mutating func idKey(
        _ value: UnsafeRawBufferPointer,
        for type: PushType?,
        in content: MessageContent
    ) throws(WireError) -> String {
        let key = try text(value, field: "id_key")
        recordInvalid("id_key") { () throws(MessageError) in
            try MessageRules.checkIDKey(key, in: Array("{}".utf8), for: type ?? .alert)
        }
        guard let type else { return key }
        check(key, in: content.payload, field: "payload", for: type)
        for (index, body) in content.bodies.enumerated() {
            check(key, in: body.payload, field: "bodies", item: UInt32(truncatingIfNeeded: index), for: type)
        }
        return key
    }

    /// Records that a payload has no room for the key, or has a member of its name; its other faults are recorded
    /// already.
    private mutating func check(
        _ key: String,
        in payload: [UInt8],
        field: String,
        item: UInt32? = nil,
        for type: PushType
    ) {
        guard !payload.isEmpty, payload.count <= type.maximumPayloadBytes else { return }
        do throws(MessageError) {
            try MessageRules.checkIDKey(key, in: payload, for: type)
        } catch {
            if let limit = error.limit {
                recordTooLarge(field, because: error.text, limit: UInt64(limit), item: item)
            } else if error.field == "id_key" {
                recordInvalid("id_key", because: error.text)
            }
        }
    }
}

extension TraceParent {
    /// The tag of `traceparent` in every payload that has it.
    static let tag: UInt32 = 66
}
