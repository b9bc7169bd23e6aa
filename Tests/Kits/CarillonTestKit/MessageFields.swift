import CarillonCore
package import CarillonWire

/// The fields of a decoded message as the vectors spell them: names of the specification, ids as text, bytes as
/// hexadecimal.
package enum MessageFields {
    /// Returns the name and the fields of a request; nil if the vectors have no such request.
    package static func of(
        _ request: AnyRequest, _ common: CommonFields, bytes: [UInt8]
    ) -> (name: String, fields: [String: Any])? {
        guard var fields = OperationFields.of(request) else { return nil }
        // Items that could not be read are not in the request.
        if request.opcode == .registerBatch { fields["items"] = items(of: bytes) }
        if let deadline = common.deadlineMilliseconds { fields["deadline_ms"] = deadline }
        return (OperationFields.name(of: request.opcode), fields)
    }

    /// Returns the name and the fields of an answer; nil if the vectors have no such answer.
    package static func of(_ answer: AnyAnswer) -> (name: String, fields: [String: Any])? {
        OperationFields.of(answer).map { (OperationFields.name(of: answer.opcode), $0) }
    }

    package static func of(_ notice: EventNotice) -> [String: Any] {
        var fields: [String: Any] = ["sequence": text(notice.sequence)]
        switch notice {
        case .event(let it):
            fields["at"] = text(it.at.milliseconds)
            fields["kind"] = it.kind.rawValue
            fields["app"] = it.app?.name
            fields["message_id"] = it.message.map { text($0.rawValue) }
            fields["device_id"] = it.device.map { text($0.rawValue) }
            fields["outcome"] = it.outcome?.rawValue
            fields["count"] = it.count.map(text)
            fields["text"] = it.text
            fields["traceparent"] = it.traceParent?.description
        case .gap(let missed, let at):
            fields["at"] = text(at.milliseconds)
            fields["kind"] = 0
            fields["missed_from"] = text(missed.lowerBound)
            fields["missed_to"] = text(missed.upperBound)
        }
        return fields
    }

    package static func of(_ error: RequestError) -> [String: Any] {
        var fields: [String: Any] = [
            "code": error.code.rawValue, "scope": error.scope.rawValue, "effect": error.effect.rawValue,
            "message": error.message,
        ]
        switch error.retry {
        case .never: fields["retry_after_ms"] = UInt32.max
        case .after(let milliseconds): fields["retry_after_ms"] = milliseconds
        }
        fields["field"] = error.field
        fields["limit"] = error.limit.map(text)
        fields["item"] = error.item
        fields["column"] = error.column
        fields["reason"] = error.reason
        return fields
    }

    package static func of(_ control: Control) -> (name: String, fields: [String: Any]) {
        switch control {
        case .ping(let ping):
            ("ping", ["data": Hex.string((0..<8).map { UInt8(truncatingIfNeeded: ping.payload >> (56 - 8 * $0)) })])
        case .goAway(let it):
            (
                "goaway",
                [
                    "last_id": text(it.lastID), "code": it.code.rawValue, "grace_ms": it.graceMilliseconds,
                    "reconnect_after_ms": it.reconnectAfterMilliseconds, "reason": it.reason,
                ]
            )
        case .position(let position): ("position", ["position": text(position)])
        case .unknown: ("ignored", [:])
        }
    }

    static func text(_ number: UInt64) -> String { String(number) }

    /// Returns the payload of the answer to LOOKUP that tells of a device.
    static func payload(_ device: DeviceRecord) -> String {
        var writer = FrameWriter()
        writer.answer(device, to: LookupRequest.self, id: 1)
        return Hex.string(writer.bytes.dropFirst(FrameHeader.byteCount))
    }

    static func fields(_ it: MessageTrace) -> [String: Any] {
        let flags = (it.isQuarantined ? 1 : 0) | (it.isMuted ? 2 : 0) | (it.language == nil ? 0 : 4)
        var fields: [String: Any] = [
            "device_id": text(it.device.rawValue), "state": it.state.rawValue, "addressing": it.addressing.rawValue,
            "outcome": it.outcome.rawValue, "flags": flags,
        ]
        if !it.sources.isEmpty { fields["sources"] = it.sources.map(source) }
        if !it.mutedGroups.isEmpty { fields["muted_groups"] = it.mutedGroups.map(\.name) }
        if let language = it.language, !language.isEmpty { fields["language"] = language }
        fields["silent_budget_left"] = it.silentBudgetLeft
        fields["next_attempt_at"] = it.nextAttemptAt.map { text($0.milliseconds) }
        guard !it.attempts.isEmpty else { return fields }
        fields["attempts"] = it.attempts.map {
            [
                "at": text($0.endedAt.milliseconds), "connection": $0.connectionNumber, "status": $0.status,
                "reason": $0.reason,
            ] as [String: Any]
        }
        if it.attempts.contains(where: { $0.uniqueID != nil }) {
            fields["unique_ids"] = it.attempts.map { $0.uniqueID ?? "" }
        }
        return fields
    }

    private static func source(_ it: MessageTrace.Source) -> [String: Any] {
        switch it {
        case .device: ["kind": 1, "name": "", "through": ""]
        case .group(let group): ["kind": 2, "name": group.name, "through": ""]
        case .topic(let topic, let group): ["kind": 3, "name": topic.name, "through": group?.name ?? ""]
        case .term(let term): ["kind": 4, "name": term, "through": ""]
        case .all: ["kind": 5, "name": "", "through": ""]
        }
    }

    /// Returns the items of a batch as they stand in its payload: a list of `bytes` behind its count.
    static func items(of frame: [UInt8]) -> [String] {
        var rest = frame.dropFirst(FrameHeader.byteCount)
        func number() -> Int {
            defer { rest = rest.dropFirst(4) }
            return rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        }
        return (0..<number()).map { _ in
            let count = number()
            defer { rest = rest.dropFirst(count) }
            return Hex.string(rest.prefix(count))
        }
    }

    static func fields(_ device: DeviceReference) -> [String: Any] {
        switch device {
        case .id(let id): ["id": text(id.rawValue)]
        case .address(let it):
            [
                "token": [
                    "environment": it.environment.rawValue, "kind": it.kind.rawValue, "token": it.token.hex,
                ] as [String: Any]
            ]
        }
    }

    static func fields(_ it: Registration) -> [String: Any] {
        var fields: [String: Any] = [
            "app": it.app.name, "environment": it.address.environment.rawValue, "kind": it.address.kind.rawValue,
            "token": it.address.token.hex, "seen_at": text(it.seenAt.milliseconds),
        ]
        fields["replaces"] = it.replaces?.hex
        fields["locale"] = it.locale
        fields["time_zone"] = it.timeZone
        if !it.topics.isEmpty { fields["topics"] = it.topics.map(\.name) }
        if !it.groups.isEmpty { fields["groups"] = it.groups.map(\.name) }
        if !it.attributes.isEmpty { fields["attributes"] = attributes(it.attributes) }
        fields["subscription"] = it.subscription.map { Hex.string($0.json) }
        return fields
    }

    static func fields(_ it: UpdateDeviceRequest) -> [String: Any] {
        var fields: [String: Any] = ["app": it.app.name, "device": fields(it.device)]
        fields["locale"] = it.update.locale
        fields["time_zone"] = it.update.timeZone
        if !it.update.attributes.isEmpty { fields["attributes"] = attributes(it.update.attributes) }
        return fields.merging(muted(it.update.isMuted)) { $1 }
    }

    static func attributes(_ changes: [AttributeChange]) -> [[String: String]] {
        changes.map { ["key": $0.key.name, "value": $0.value?.text ?? ""] }
    }

    static func muted(_ isMuted: Bool?) -> [String: Any] {
        isMuted.map { ["muted": $0 ? 1 : 0] } ?? [:]
    }

    static func announcement(_ content: MessageContent?) -> [String: Any] {
        guard let content else { return [:] }
        var fields: [String: Any] = [:]
        if !content.payload.isEmpty { fields["announcement"] = Hex.string(content.payload) }
        if !content.bodies.isEmpty { fields["bodies"] = content.bodies.map(body) }
        return fields
    }

    static func body(_ body: LanguageBody) -> [String: String] {
        ["language": body.language, "payload": Hex.string(body.payload)]
    }

    static func fields(_ it: NamedSetListing) -> [String: Any] {
        ["app": it.app.name, "prefix": it.prefix, "after": it.after, "limit": it.limit]
    }

    static func fields(_ it: TopicSubscription) -> [String: Any] {
        [
            "app": it.app.name, "topics": it.topics.map(\.name), "devices": it.devices.map(fields),
            "groups": it.groups.map(\.name),
        ]
    }

    static func fields(_ it: DeviceIDPage) -> [String: Any] {
        ["next": text(it.next), "devices": it.devices.map { text($0.rawValue) }]
    }

    static func fields(_ it: UpdateMessageRequest) -> [String: Any] {
        var fields: [String: Any] = ["app": it.app.name, "message_id": text(it.id.rawValue)]
        switch it.messageUpdate {
        case .cancel: fields["action"] = 1
        case .pause: fields["action"] = 2
        case .resume: fields["action"] = 3
        case .pace(let pace):
            fields["action"] = 4
            fields["pace"] = pace
        }
        return fields
    }

    static func fields(_ it: ResendRequest) -> [String: Any] {
        var fields: [String: Any] = [
            "app": it.app.name, "message_id": text(it.id.rawValue),
            "key": Hex.string((it.idempotencyKey ?? .zero).bytes),
            "outcomes": it.outcomes.map(\.rawValue),
        ]
        fields["not_after"] = it.notAfter.map { text($0.milliseconds) }
        return fields
    }

    static func fields(_ it: SendResult) -> [String: Any] {
        [
            "message_id": text(it.id.rawValue), "duplicate": it.isDuplicate ? 1 : 0, "total": it.total,
            "ended": it.ended,
        ]
    }

    static func fields(_ it: MessageSummary) -> [String: Any] {
        [
            "message_id": text(it.id.rawValue), "state": it.state.rawValue,
            "accepted_at": text(it.acceptedAt.milliseconds), "push_type": it.pushType.rawValue,
            "lane": it.lane.rawValue, "total": text(it.total), "ended": text(it.ended),
        ]
    }

    static func fields(_ it: MessagesRequest) -> [String: Any] {
        var fields: [String: Any] = ["app": it.app.name, "before": text(it.before), "limit": it.limit]
        fields["state"] = it.filter.state?.rawValue
        fields["sender"] = it.filter.sender
        fields["label"] = it.filter.labelPrefix
        return fields
    }

    static func fields(_ it: MessagesAnswer) -> [String: Any] {
        var fields: [String: Any] = ["next": text(it.next), "messages": it.messages.map { Self.fields($0) }]
        guard let first = it.messages.first, first.delivered != nil else { return fields }
        fields["details"] = it.messages.map {
            [
                "delivered": text($0.delivered ?? 0), "failed": text($0.failed ?? 0), "label": $0.label ?? "",
                "sender": $0.sender ?? "",
            ]
        }
        return fields
    }

    static func fields(_ it: Memberships) -> [String: Any] {
        [
            "device_id": text(it.device.rawValue),
            "muted": (it.isMuted ? 1 : 0) + (it.groups.contains(where: \.isMuted) ? 2 : 0),
            "groups": it.groups.map { ["group": $0.group.name, "muted": $0.isMuted ? 1 : 0] as [String: Any] },
            "topics": it.topics.map { ["topic": $0.topic.name, "source": $0.source?.name ?? ""] },
            "next": it.next?.name ?? "",
        ]
    }

    static func fields(_ it: Message) -> [String: Any] {
        var fields: [String: Any] = [
            "app": it.content.app.name, "key": Hex.string((it.idempotencyKey ?? .zero).bytes),
            "push_type": it.content.pushType.rawValue,
            "priority": it.content.priority?.rawValue ?? 0, "devices": [Any](),
            "payload": Hex.string(it.content.payload),
        ]
        switch it.audience {
        case .devices(let devices): fields.merge(["audience": 1, "devices": devices.map(Self.fields)]) { $1 }
        case .groups(let groups): fields.merge(["audience": 2, "groups": groups.map(\.name)]) { $1 }
        case .topic(let topic): fields.merge(["audience": 3, "topic": topic.name]) { $1 }
        case .condition(let condition): fields.merge(["audience": 4, "condition": condition.description]) { $1 }
        case .all: fields["audience"] = 5
        case .channel(let channel):
            fields.merge(["audience": 6, "channel": channel.id.text]) { $1 }
            if channel.environment != .production { fields["environment"] = channel.environment.rawValue }
        }
        if !it.content.bodies.isEmpty { fields["bodies"] = it.content.bodies.map(body) }
        fields["except"] = it.excludedDevice.map(Self.fields)
        if it.isDryRun { fields["dry_run"] = 1 }
        switch it.content.expiration {
        case .unspecified: break
        case .once: fields["expiration"] = "0"
        case .at(let seconds): fields["expiration"] = text(seconds)
        }
        fields["collapse_id"] = it.content.collapseID
        fields["not_after"] = it.notAfter.map { text($0.milliseconds) }
        if it.lane == .bulk { fields["lane"] = it.lane.rawValue }
        fields["send_at"] = it.sendAt.map { text($0.milliseconds) }
        fields["pace"] = it.pace
        if it.content.overBudget == .wait { fields["over_budget"] = it.content.overBudget.rawValue }
        fields["id_key"] = it.content.idKey
        fields["label"] = it.label
        fields["traceparent"] = it.traceParent?.description
        switch it.content.android {
        case nil: break
        case .overrides(let bytes): fields["android"] = Hex.string(bytes)
        case .raw(let bytes): fields["android_raw"] = Hex.string(bytes)
        }
        switch it.content.web {
        case nil: break
        case .overrides(let bytes): fields["web"] = Hex.string(bytes)
        case .raw(let bytes): fields["web_raw"] = Hex.string(bytes)
        }
        return fields
    }

    static func fields(_ it: HelloAnswer) -> [String: Any] {
        var fields: [String: Any] = [
            "software": it.software, "epoch": Hex.string(it.epoch.bytes), "clock": text(it.clock.milliseconds),
            "frame_limit": it.limits.frameBytes, "in_flight_limit": it.limits.requestsInFlight,
            "batch_limit": it.limits.batchItems, "keepalive_ms": it.limits.keepaliveMilliseconds,
            "ping_interval_ms": it.limits.pingIntervalMilliseconds,
            "idempotency_window_s": it.limits.idempotencyWindowSeconds, "authenticated": it.isAuthenticated ? 1 : 0,
            "opcodes": it.opcodes.map {
                ["opcode": $0.opcode.rawValue, "lowest": $0.lowest, "highest": $0.highest] as [String: Any]
            },
        ]
        if let node = it.node {
            fields["node"] = node.name
            fields["cluster"] = Hex.string(node.cluster.bytes)
        }
        return fields
    }

    static func fields(_ it: DeviceRecord) -> [String: Any] {
        var fields: [String: Any] = [
            "device_id": text(it.id.rawValue), "environment": it.address.environment.rawValue,
            "kind": it.address.kind.rawValue, "token": it.address.token.hex,
            "registered_at": text(it.registeredAt.milliseconds), "seen_at": text(it.seenAt.milliseconds),
            "state": it.state.rawValue,
        ]
        fields["locale"] = it.locale
        fields["time_zone"] = it.timeZone
        if !it.attributes.entries.isEmpty {
            fields["attributes"] = it.attributes.entries.map { ["key": $0.key.name, "value": $0.value.text] }
        }
        if it.isMuted { fields["muted"] = 1 }
        return fields
    }

    static func fields(_ it: MessageStatus) -> [String: Any] {
        var fields: [String: Any] = [
            "state": it.state.rawValue, "accepted_at": text(it.acceptedAt.milliseconds),
            "finished_at": text(it.finishedAt.milliseconds), "total": text(it.total),
            "outcomes": it.outcomes.sorted { $0.key < $1.key }.map {
                ["outcome": $0.key.rawValue, "devices": text($0.value)] as [String: Any]
            },
        ]
        fields["send_at"] = it.sendAt.map { text($0.milliseconds) }
        fields["pace"] = it.pace
        fields["rate"] = it.rate
        fields["remaining_ms"] = it.remainingMilliseconds.map(text)
        if it.received > 0 { fields["received"] = text(it.received) }
        if it.opened > 0 { fields["opened"] = text(it.opened) }
        fields["audience"] = it.audience
        fields["label"] = it.label
        fields["sender"] = it.sender
        fields["traceparent"] = it.traceParent?.description
        if !it.obstacles.isEmpty { fields["obstacles"] = it.obstacles.map { Self.fields($0) } }
        return fields
    }

    static func fields(_ it: DeliveryObstacle) -> [String: Any] {
        [
            "kind": it.kind.rawValue, "credential": it.credential, "environment": it.environment.rawValue,
            "began_at": text(it.since?.milliseconds ?? 0), "next_attempt_at": text(it.nextAttemptAt?.milliseconds ?? 0),
            "cause": it.cause?.rawValue ?? "", "reason": it.reason,
        ]
    }

    static func fields(_ result: RegisterBatchItemAnswer) -> [String: Any] {
        switch result {
        case .registered(let id, let result): ["code": 0, "device_id": text(id.rawValue), "result": result.rawValue]
        case .refused(let code): ["code": code.rawValue, "device_id": "0", "result": 0]
        }
    }
}
