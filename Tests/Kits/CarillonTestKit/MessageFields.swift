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
        case .event(let event):
            fields["at"] = text(event.at.milliseconds)
            fields["kind"] = event.kind.rawValue
            fields["app"] = event.app?.name
            fields["message_id"] = event.message.map { text($0.rawValue) }
            fields["device_id"] = event.device.map { text($0.rawValue) }
            fields["outcome"] = event.outcome?.rawValue
            fields["count"] = event.count.map(text)
            fields["text"] = event.text
            fields["traceparent"] = event.traceParent?.description
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
        case .goAway(let goAway):
            (
                "goaway",
                [
                    "last_id": text(goAway.lastID), "code": goAway.code.rawValue, "grace_ms": goAway.graceMilliseconds,
                    "reconnect_after_ms": goAway.reconnectAfterMilliseconds, "reason": goAway.reason,
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

    static func fields(_ trace: MessageTrace) -> [String: Any] {
        let flags = (trace.isQuarantined ? 1 : 0) | (trace.isMuted ? 2 : 0) | (trace.language == nil ? 0 : 4)
        var fields: [String: Any] = [
            "device_id": text(trace.device.rawValue), "state": trace.state.rawValue,
            "addressing": trace.addressing.rawValue,
            "outcome": trace.outcome.rawValue, "flags": flags,
        ]
        if !trace.sources.isEmpty { fields["sources"] = trace.sources.map(source) }
        if !trace.mutedGroups.isEmpty { fields["muted_groups"] = trace.mutedGroups.map(\.name) }
        if let language = trace.language, !language.isEmpty { fields["language"] = language }
        fields["silent_budget_left"] = trace.silentBudgetLeft
        fields["next_attempt_at"] = trace.nextAttemptAt.map { text($0.milliseconds) }
        guard !trace.attempts.isEmpty else { return fields }
        fields["attempts"] = trace.attempts.map {
            [
                "at": text($0.endedAt.milliseconds), "connection": $0.connectionNumber, "status": $0.status,
                "reason": $0.reason,
            ] as [String: Any]
        }
        if trace.attempts.contains(where: { $0.uniqueID != nil }) {
            fields["unique_ids"] = trace.attempts.map { $0.uniqueID ?? "" }
        }
        return fields
    }

    private static func source(_ source: MessageTrace.Source) -> [String: Any] {
        switch source {
        case .device: ["kind": 1, "name": "", "through": ""]
        case .group(let group): ["kind": 2, "name": group.name, "through": ""]
        case .topic(let topic, let group): ["kind": 3, "name": topic.name, "through": group?.name ?? ""]
        case .term(let term): ["kind": 4, "name": term, "through": ""]
        case .all: ["kind": 5, "name": "", "through": ""]
        }
    }

    /// Returns the items of a batch as they stand in its payload: a list of `bytes` after its count.
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
        case .address(let address):
            [
                "token": [
                    "environment": address.environment.rawValue, "kind": address.kind.rawValue,
                    "token": address.token.hex,
                ] as [String: Any]
            ]
        }
    }

    static func fields(_ registration: Registration) -> [String: Any] {
        var fields: [String: Any] = [
            "app": registration.app.name, "environment": registration.address.environment.rawValue,
            "kind": registration.address.kind.rawValue,
            "token": registration.address.token.hex, "seen_at": text(registration.seenAt.milliseconds),
        ]
        fields["replaces"] = registration.replaces?.hex
        fields["locale"] = registration.locale
        fields["time_zone"] = registration.timeZone
        if !registration.topics.isEmpty { fields["topics"] = registration.topics.map(\.name) }
        if !registration.groups.isEmpty { fields["groups"] = registration.groups.map(\.name) }
        if !registration.attributes.isEmpty { fields["attributes"] = attributes(registration.attributes) }
        fields["subscription"] = registration.subscription.map { Hex.string($0.json) }
        return fields
    }

    static func fields(_ request: UpdateDeviceRequest) -> [String: Any] {
        var fields: [String: Any] = ["app": request.app.name, "device": fields(request.device)]
        fields["locale"] = request.update.locale
        fields["time_zone"] = request.update.timeZone
        if !request.update.attributes.isEmpty { fields["attributes"] = attributes(request.update.attributes) }
        return fields.merging(muted(request.update.isMuted)) { $1 }
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

    static func fields(_ listing: NamedSetListing) -> [String: Any] {
        ["app": listing.app.name, "prefix": listing.prefix, "after": listing.after, "limit": listing.limit]
    }

    static func fields(_ subscription: TopicSubscription) -> [String: Any] {
        [
            "app": subscription.app.name, "topics": subscription.topics.map(\.name),
            "devices": subscription.devices.map(fields),
            "groups": subscription.groups.map(\.name),
        ]
    }

    static func fields(_ page: DeviceIDPage) -> [String: Any] {
        ["next": text(page.next), "devices": page.devices.map { text($0.rawValue) }]
    }

    static func fields(_ request: UpdateMessageRequest) -> [String: Any] {
        var fields: [String: Any] = ["app": request.app.name, "message_id": text(request.id.rawValue)]
        switch request.messageUpdate {
        case .cancel: fields["action"] = 1
        case .pause: fields["action"] = 2
        case .resume: fields["action"] = 3
        case .pace(let pace):
            fields["action"] = 4
            fields["pace"] = pace
        }
        return fields
    }

    static func fields(_ request: ResendRequest) -> [String: Any] {
        var fields: [String: Any] = [
            "app": request.app.name, "message_id": text(request.id.rawValue),
            "key": Hex.string((request.idempotencyKey ?? .zero).bytes),
            "outcomes": request.outcomes.map(\.rawValue),
        ]
        fields["not_after"] = request.notAfter.map { text($0.milliseconds) }
        return fields
    }

    static func fields(_ result: SendResult) -> [String: Any] {
        [
            "message_id": text(result.id.rawValue), "duplicate": result.isDuplicate ? 1 : 0, "total": result.total,
            "ended": result.ended,
        ]
    }

    static func fields(_ summary: MessageSummary) -> [String: Any] {
        [
            "message_id": text(summary.id.rawValue), "state": summary.state.rawValue,
            "accepted_at": text(summary.acceptedAt.milliseconds), "push_type": summary.pushType.rawValue,
            "lane": summary.lane.rawValue, "total": text(summary.total), "ended": text(summary.ended),
        ]
    }

    static func fields(_ request: MessagesRequest) -> [String: Any] {
        var fields: [String: Any] = ["app": request.app.name, "before": text(request.before), "limit": request.limit]
        fields["state"] = request.filter.state?.rawValue
        fields["sender"] = request.filter.sender
        fields["label"] = request.filter.labelPrefix
        return fields
    }

    static func fields(_ answer: MessagesAnswer) -> [String: Any] {
        var fields: [String: Any] = ["next": text(answer.next), "messages": answer.messages.map { Self.fields($0) }]
        guard let first = answer.messages.first, first.delivered != nil else { return fields }
        fields["details"] = answer.messages.map {
            [
                "delivered": text($0.delivered ?? 0), "failed": text($0.failed ?? 0), "label": $0.label ?? "",
                "sender": $0.sender ?? "",
            ]
        }
        return fields
    }

    static func fields(_ memberships: Memberships) -> [String: Any] {
        [
            "device_id": text(memberships.device.rawValue),
            "muted": (memberships.isMuted ? 1 : 0) + (memberships.groups.contains(where: \.isMuted) ? 2 : 0),
            "groups": memberships.groups.map {
                ["group": $0.group.name, "muted": $0.isMuted ? 1 : 0] as [String: Any]
            },
            "topics": memberships.topics.map { ["topic": $0.topic.name, "source": $0.source?.name ?? ""] },
            "next": memberships.next?.name ?? "",
        ]
    }

    static func fields(_ message: Message) -> [String: Any] {
        var fields: [String: Any] = [
            "app": message.content.app.name, "key": Hex.string((message.idempotencyKey ?? .zero).bytes),
            "push_type": message.content.pushType.rawValue,
            "priority": message.content.priority?.rawValue ?? 0, "devices": [Any](),
            "payload": Hex.string(message.content.payload),
        ]
        switch message.audience {
        case .devices(let devices): fields.merge(["audience": 1, "devices": devices.map(Self.fields)]) { $1 }
        case .groups(let groups): fields.merge(["audience": 2, "groups": groups.map(\.name)]) { $1 }
        case .topic(let topic): fields.merge(["audience": 3, "topic": topic.name]) { $1 }
        case .condition(let condition): fields.merge(["audience": 4, "condition": condition.description]) { $1 }
        case .all: fields["audience"] = 5
        case .channel(let channel):
            fields.merge(["audience": 6, "channel": channel.id.text]) { $1 }
            if channel.environment != .production { fields["environment"] = channel.environment.rawValue }
        }
        if !message.content.bodies.isEmpty { fields["bodies"] = message.content.bodies.map(body) }
        fields["except"] = message.excludedDevice.map(Self.fields)
        if message.isDryRun { fields["dry_run"] = 1 }
        switch message.content.expiration {
        case .unspecified: break
        case .once: fields["expiration"] = "0"
        case .at(let seconds): fields["expiration"] = text(seconds)
        }
        fields["collapse_id"] = message.content.collapseID
        fields["not_after"] = message.notAfter.map { text($0.milliseconds) }
        if message.lane == .bulk { fields["lane"] = message.lane.rawValue }
        fields["send_at"] = message.sendAt.map { text($0.milliseconds) }
        fields["pace"] = message.pace
        if message.content.overBudget == .wait { fields["over_budget"] = message.content.overBudget.rawValue }
        fields["id_key"] = message.content.idKey
        fields["label"] = message.label
        fields["traceparent"] = message.traceParent?.description
        switch message.content.android {
        case nil: break
        case .overrides(let bytes): fields["android"] = Hex.string(bytes)
        case .raw(let bytes): fields["android_raw"] = Hex.string(bytes)
        }
        switch message.content.web {
        case nil: break
        case .overrides(let bytes): fields["web"] = Hex.string(bytes)
        case .raw(let bytes): fields["web_raw"] = Hex.string(bytes)
        }
        return fields
    }

    static func fields(_ answer: HelloAnswer) -> [String: Any] {
        var fields: [String: Any] = [
            "software": answer.software, "epoch": Hex.string(answer.epoch.bytes),
            "clock": text(answer.clock.milliseconds),
            "frame_limit": answer.limits.frameBytes, "in_flight_limit": answer.limits.requestsInFlight,
            "batch_limit": answer.limits.batchItems, "keepalive_ms": answer.limits.keepaliveMilliseconds,
            "ping_interval_ms": answer.limits.pingIntervalMilliseconds,
            "idempotency_window_s": answer.limits.idempotencyWindowSeconds,
            "authenticated": answer.isAuthenticated ? 1 : 0,
            "opcodes": answer.opcodes.map {
                ["opcode": $0.opcode.rawValue, "lowest": $0.lowest, "highest": $0.highest] as [String: Any]
            },
        ]
        if let node = answer.node {
            fields["node"] = node.name
            fields["cluster"] = Hex.string(node.cluster.bytes)
        }
        return fields
    }

    static func fields(_ device: DeviceRecord) -> [String: Any] {
        var fields: [String: Any] = [
            "device_id": text(device.id.rawValue), "environment": device.address.environment.rawValue,
            "kind": device.address.kind.rawValue, "token": device.address.token.hex,
            "registered_at": text(device.registeredAt.milliseconds), "seen_at": text(device.seenAt.milliseconds),
            "state": device.state.rawValue,
        ]
        fields["locale"] = device.locale
        fields["time_zone"] = device.timeZone
        if !device.attributes.entries.isEmpty {
            fields["attributes"] = device.attributes.entries.map { ["key": $0.key.name, "value": $0.value.text] }
        }
        if device.isMuted { fields["muted"] = 1 }
        return fields
    }

    static func fields(_ status: MessageStatus) -> [String: Any] {
        var fields: [String: Any] = [
            "state": status.state.rawValue, "accepted_at": text(status.acceptedAt.milliseconds),
            "finished_at": text(status.finishedAt.milliseconds), "total": text(status.total),
            "outcomes": status.outcomes.sorted { $0.key < $1.key }.map {
                ["outcome": $0.key.rawValue, "devices": text($0.value)] as [String: Any]
            },
        ]
        fields["send_at"] = status.sendAt.map { text($0.milliseconds) }
        fields["pace"] = status.pace
        fields["rate"] = status.rate
        fields["remaining_ms"] = status.remainingMilliseconds.map(text)
        if status.received > 0 { fields["received"] = text(status.received) }
        if status.opened > 0 { fields["opened"] = text(status.opened) }
        fields["audience"] = status.audience
        fields["label"] = status.label
        fields["sender"] = status.sender
        fields["traceparent"] = status.traceParent?.description
        if !status.obstacles.isEmpty { fields["obstacles"] = status.obstacles.map { Self.fields($0) } }
        return fields
    }

    static func fields(_ obstacle: DeliveryObstacle) -> [String: Any] {
        [
            "kind": obstacle.kind.rawValue, "credential": obstacle.credential,
            "environment": obstacle.environment.rawValue,
            "began_at": text(obstacle.since?.milliseconds ?? 0),
            "next_attempt_at": text(obstacle.nextAttemptAt?.milliseconds ?? 0),
            "cause": obstacle.cause?.rawValue ?? "", "reason": obstacle.reason,
        ]
    }

    static func fields(_ result: RegisterBatchItemAnswer) -> [String: Any] {
        switch result {
        case .registered(let id, let result): ["code": 0, "device_id": text(id.rawValue), "result": result.rawValue]
        case .refused(let code): ["code": code.rawValue, "device_id": "0", "result": 0]
        }
    }
}
