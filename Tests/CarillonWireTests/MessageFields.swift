import CarillonCore
import CarillonWire

/// A decoded message as the vectors spell it: names of the specification, ids as text, bytes as hexadecimal.
enum MessageFields {
    static func of(_ request: Request, _ common: CommonFields, bytes: [UInt8]) -> (name: String, fields: [String: Any])
    {
        var (name, fields) = of(request, bytes: bytes)
        if let deadline = common.deadlineMilliseconds { fields["deadline_ms"] = deadline }
        return (name, fields)
    }

    private static func of(_ request: Request, bytes: [UInt8]) -> (name: String, fields: [String: Any]) {
        switch request {
        case .hello(let hello): ("hello", ["software": hello.software, "receive_limit": hello.receiveLimit])
        case .authenticate(let authentication):
            ("auth", ["method": 1, "credential": Hex.string(authentication.credential)])
        case .register(let registration): ("register", fields(registration))
        case .registerBatch: ("register_batch", ["items": items(of: bytes)])
        case .unregister(let it):
            ("unregister", ["app": it.app.name, "device": fields(it.device), "at": text(it.at.milliseconds)])
        case .lookup(let it): ("lookup", ["app": it.app.name, "device": fields(it.device)])
        case .send(let message): ("send", fields(message))
        case .messageStatus(let it): ("message_status", ["app": it.app.name, "message_id": text(it.id.rawValue)])
        case .messageOutcomes(let it):
            (
                "message_outcomes",
                [
                    "app": it.app.name, "message_id": text(it.id.rawValue), "cursor": text(it.cursor),
                    "limit": it.limit,
                ]
            )
        }
    }

    static func of(_ response: Response) -> (name: String, fields: [String: Any]) {
        switch response {
        case .welcome(let it): ("hello", fields(it))
        case .identity(let it):
            (
                "auth",
                [
                    "principal": it.principal,
                    "grants": it.grants.map {
                        ["app": $0.app?.name ?? "*", "roles": $0.roles.rawValue] as [String: Any]
                    },
                ]
            )
        case .registered(let id, let result):
            ("register", ["device_id": text(id.rawValue), "result": result.rawValue])
        case .registeredBatch(let results): ("register_batch", ["results": results.map(fields)])
        case .unregistered(let id):
            ("unregister", ["device_id": text(id?.rawValue ?? 0), "result": id == nil ? 2 : 1])
        case .device(let device): ("lookup", fields(device))
        case .accepted(let it):
            (
                "send",
                [
                    "message_id": text(it.id.rawValue), "duplicate": it.isDuplicate ? 1 : 0, "total": it.total,
                    "ended": it.ended,
                ]
            )
        case .status(let it): ("message_status", fields(it))
        case .outcomes(let page):
            (
                "message_outcomes",
                [
                    "next": text(page.next),
                    "recipients": page.recipients.map {
                        ["device_id": text($0.device?.rawValue ?? 0), "outcome": $0.outcome.rawValue] as [String: Any]
                    },
                ]
            )
        }
    }

    static func of(_ error: ErrorReply) -> [String: Any] {
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
        return fields
    }

    static func of(_ control: Control) -> (name: String, fields: [String: Any]) {
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
        case .unknown: ("ignored", [:])
        }
    }

    private static func text(_ number: UInt64) -> String { String(number) }

    /// The items of a batch as they stand in its payload: a list of `bytes` behind its count.
    private static func items(of frame: [UInt8]) -> [String] {
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

    private static func fields(_ device: DeviceReference) -> [String: Any] {
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

    private static func fields(_ it: Registration) -> [String: Any] {
        var fields: [String: Any] = [
            "app": it.app.name, "environment": it.address.environment.rawValue, "kind": it.address.kind.rawValue,
            "token": it.address.token.hex, "seen_at": text(it.seenAt.milliseconds),
        ]
        fields["replaces"] = it.replaces?.hex
        fields["locale"] = it.locale
        fields["time_zone"] = it.timeZone
        return fields
    }

    private static func fields(_ it: Message) -> [String: Any] {
        var fields: [String: Any] = [
            "app": it.content.app.name, "key": Hex.string(it.key.bytes), "push_type": it.content.pushType.rawValue,
            "priority": it.content.priority?.rawValue ?? 0, "audience": 1, "devices": it.devices.map(fields),
            "payload": Hex.string(it.content.payload),
        ]
        switch it.content.expiration {
        case .unspecified: break
        case .once: fields["expiration"] = "0"
        case .at(let seconds): fields["expiration"] = text(seconds)
        }
        fields["collapse_id"] = it.content.collapseID
        fields["not_after"] = it.notAfter.map { text($0.milliseconds) }
        if it.lane == .bulk { fields["lane"] = it.lane.rawValue }
        return fields
    }

    private static func fields(_ it: Welcome) -> [String: Any] {
        [
            "software": it.software, "epoch": Hex.string(it.epoch.bytes), "clock": text(it.clock.milliseconds),
            "frame_limit": it.frameLimit, "in_flight_limit": it.inFlightLimit, "batch_limit": it.batchLimit,
            "keepalive_ms": it.keepaliveMilliseconds, "ping_interval_ms": it.pingIntervalMilliseconds,
            "idempotency_window_s": it.idempotencyWindowSeconds, "authenticated": it.isAuthenticated ? 1 : 0,
            "opcodes": it.opcodes.map {
                ["opcode": $0.opcode.rawValue, "lowest": $0.lowest, "highest": $0.highest] as [String: Any]
            },
        ]
    }

    private static func fields(_ it: Device) -> [String: Any] {
        var fields: [String: Any] = [
            "device_id": text(it.id.rawValue), "environment": it.address.environment.rawValue,
            "kind": it.address.kind.rawValue, "token": it.address.token.hex,
            "registered_at": text(it.registeredAt.milliseconds), "seen_at": text(it.seenAt.milliseconds),
            "state": it.state.rawValue,
        ]
        fields["locale"] = it.locale
        fields["time_zone"] = it.timeZone
        return fields
    }

    private static func fields(_ it: MessageStatus) -> [String: Any] {
        [
            "state": it.state.rawValue, "accepted_at": text(it.acceptedAt.milliseconds),
            "finished_at": text(it.finishedAt.milliseconds), "total": text(it.total),
            "outcomes": it.outcomes.sorted { $0.key < $1.key }.map {
                ["outcome": $0.key.rawValue, "devices": text($0.value)] as [String: Any]
            },
        ]
    }

    private static func fields(_ result: BatchItemResult) -> [String: Any] {
        switch result {
        case .registered(let id, let result): ["code": 0, "device_id": text(id.rawValue), "result": result.rawValue]
        case .refused(let code): ["code": code.rawValue, "device_id": "0", "result": 0]
        }
    }
}
