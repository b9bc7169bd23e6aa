package import CarillonCore

/// The request MESSAGE_STATUS (Protocol 10.2).
package struct MessageStatusRequest: PointReadOperation {
    package typealias Answer = MessageStatus

    package static let opcode = Opcode.messageStatus

    package var app: AppID
    package var id: MessageID

    package init(app: AppID, id: MessageID) {
        self.app = app
        self.id = id
    }
}

extension Opcode {
    package static let messageStatus = Opcode(rawValue: 0x0051)
}

// MARK: Codec (Protocol 10.2)

extension MessageStatusRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(app: try reader.app(), id: try reader.messageID())
        try common.finish(&reader)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.u64(id.rawValue)
        writer.tags(common)
    }
}

extension MessageStatus: PayloadAnswer {
    package init(from reader: inout PayloadReader) throws(WireError) {
        self.init(
            state: try reader.messageState(),
            acceptedAt: try reader.time("accepted_at"),
            finishedAt: try reader.time("finished_at"),
            total: try reader.u64("total"),
            outcomes: [:]
        )
        var outcomes: [Outcome: UInt64] = [:]
        try reader.list("outcomes", elementBytes: 1 + 8) { reader, _ throws(WireError) in
            outcomes[Outcome(rawValue: try reader.u8("outcome"))] = try reader.u64("devices")
        }
        self.outcomes = outcomes
        var status = self
        try reader.finish(ignoringUnknown: true) { reader, tag, value throws(WireError) in
            switch tag {
            case 16: status.sendAt = try reader.time(of: value, field: "send_at")
            case 18: status.pace = try reader.integer(UInt32.self, of: value, field: "pace")
            case 20: status.rate = try reader.integer(UInt32.self, of: value, field: "rate")
            // The remaining time follows from the rate.
            case 22: _ = try reader.integer(UInt64.self, of: value, field: "remaining_ms")
            case 24: status.received = try reader.integer(UInt64.self, of: value, field: "received")
            case 26: status.opened = try reader.integer(UInt64.self, of: value, field: "opened")
            case 28: status.audience = try reader.text(value, field: "audience", limits: 0...Int(WireLimits.frameBytes))
            case 30: status.label = try reader.text(value, field: "label", limits: 0...Int(WireLimits.frameBytes))
            case 32: status.sender = try reader.text(value, field: "sender", limits: 0...Int(WireLimits.frameBytes))
            case 34:
                try reader.parse(value, as: "obstacles") { reader throws(WireError) in
                    try reader.list("obstacles", elementBytes: DeliveryObstacle.minimumBytes) {
                        reader, _ throws(WireError) in
                        status.obstacles.append(try DeliveryObstacle(from: &reader))
                    }
                }
            case TraceParent.tag:
                status.traceParent = TraceParent(try reader.text(value, field: "traceparent"))
            default: return false
            }
            return true
        }
        self = status
    }

    package func write(to writer: inout FrameWriter) {
        writer.u8(state.rawValue)
        writer.u64(acceptedAt.milliseconds)
        writer.u64(finishedAt.milliseconds)
        writer.u64(total)
        writer.list(outcomes.filter { $0.value > 0 }.sorted { $0.key < $1.key }) { writer, row in
            writer.u8(row.key.rawValue)
            writer.u64(row.value)
        }
        writer.tags([
            FrameWriter.field(16, sendAt?.milliseconds), FrameWriter.field(18, pace), FrameWriter.field(20, rate),
            FrameWriter.field(22, remainingMilliseconds), FrameWriter.field(24, received > 0 ? received : nil),
            FrameWriter.field(26, opened > 0 ? opened : nil), FrameWriter.field(28, audience),
            FrameWriter.field(30, label), FrameWriter.field(32, sender),
            FrameWriter.field(34, list: obstacles) { $1.write(to: &$0) },
            FrameWriter.field(TraceParent.tag, traceParent?.description),
        ])
    }
}

extension DeliveryObstacle {
    /// The length of a row whose texts are empty.
    fileprivate static let minimumBytes = 1 + 2 + 1 + 8 + 8 + 2 + 2

    fileprivate init(from reader: inout PayloadReader) throws(WireError) {
        let kind = Kind(rawValue: try reader.u8("kind"))
        let credential = try reader.string("credential")
        let environment = try reader.environment()
        let since = try reader.time("began_at")
        let next = try reader.time("next_attempt_at")
        let cause = try reader.string("cause")
        self.init(
            kind: kind, credential: credential, environment: environment, since: since == .zero ? nil : since,
            nextAttemptAt: next == .zero ? nil : next,
            cause: cause.isEmpty ? nil : ConnectionFailureCause(rawValue: cause), reason: try reader.string("reason"))
    }

    fileprivate func write(to writer: inout FrameWriter) {
        writer.u8(kind.rawValue)
        writer.string(credential)
        writer.u8(environment.rawValue)
        writer.u64(since?.milliseconds ?? 0)
        writer.u64(nextAttemptAt?.milliseconds ?? 0)
        writer.string(cause?.rawValue ?? "")
        writer.string(reason.cut(toBytes: Self.maximumReasonBytes))
    }
}
