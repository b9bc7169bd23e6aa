import CarillonCore
package import CarillonWire

/// The fields of the requests and answers of one operation, as the vectors spell them.
package struct OperationFields: Sendable {
    package let opcode: Opcode
    private let requestFields: @Sendable (AnyRequest) -> [String: Any]?
    private let answerFields: @Sendable (AnyAnswer) -> [String: Any]?

    private init<O: Operation>(
        _ type: O.Type,
        request: @escaping @Sendable (O) -> [String: Any],
        answer: @escaping @Sendable (O.Answer) -> [String: Any]
    ) {
        opcode = O.opcode
        requestFields = { $0.as(type).map(request) }
        answerFields = { $0.as(answerTo: type).map(answer) }
    }

    /// Returns the name of the message in the vectors: the name of the operation.
    package static func name(of opcode: Opcode) -> String { opcode.name.replacing("-", with: "_") }

    static func of(_ request: AnyRequest) -> [String: Any]? {
        all.first { $0.opcode == request.opcode }?.requestFields(request)
    }

    static func of(_ answer: AnyAnswer) -> [String: Any]? {
        all.first { $0.opcode == answer.opcode }?.answerFields(answer)
    }

    /// The fields of all operations, one entry for each.
    package static let all: [OperationFields] = [
        OperationFields(
            HelloRequest.self,
            request: { it in ["software": it.software, "receive_limit": it.receiveLimit] },
            answer: { it in MessageFields.fields(it) }),
        OperationFields(
            AuthenticateRequest.self,
            request: { it in ["method": 1, "credential": Hex.string(it.key)] },
            answer: { it in
                [
                    "principal": it.principal,
                    "grants": it.grants.map {
                        ["app": $0.app?.name ?? "*", "roles": $0.roles.rawValue] as [String: Any]
                    },
                ]
            }),
        OperationFields(
            RegisterRequest.self,
            request: { it in MessageFields.fields(it) },
            answer: { it in ["device_id": MessageFields.text(it.device.rawValue), "result": it.result.rawValue] }),
        OperationFields(
            RegisterBatchRequest.self,
            request: { _ in [:] },
            answer: { it in ["results": it.map { MessageFields.fields($0) }] }),
        OperationFields(
            UnregisterRequest.self,
            request: { it in
                [
                    "app": it.app.name, "device": MessageFields.fields(it.device),
                    "at": MessageFields.text(it.at.milliseconds),
                ]
            },
            answer: { it in ["device_id": MessageFields.text(it?.rawValue ?? 0), "result": it == nil ? 2 : 1] }),
        OperationFields(
            LookupRequest.self,
            request: { it in ["app": it.app.name, "device": MessageFields.fields(it.device)] },
            answer: { it in MessageFields.fields(it) }),
        OperationFields(
            UpdateDeviceRequest.self,
            request: { it in MessageFields.fields(it) },
            answer: { it in ["device_id": MessageFields.text(it.rawValue)] }),
        OperationFields(
            MembershipsRequest.self,
            request: { it in
                ["app": it.app.name, "device": MessageFields.fields(it.device), "after": it.after, "limit": it.limit]
            },
            answer: { it in MessageFields.fields(it) }),
        OperationFields(
            RestoreRequest.self,
            request: { it in ["app": it.app.name, "device": MessageFields.fields(it.device)] },
            answer: { it in ["device_id": MessageFields.text(it.rawValue)] }),
        OperationFields(
            QuarantineRequest.self,
            request: { it in ["app": it.app.name, "cursor": MessageFields.text(it.cursor), "limit": it.limit] },
            answer: { it in MessageFields.fields(it) }),
        OperationFields(
            JoinRequest.self,
            request: { it in
                ["app": it.app.name, "group": it.group.name, "devices": it.devices.map { MessageFields.fields($0) }]
                    .merging(MessageFields.announcement(it.announcement)) { $1 }
            },
            answer: { it in
                [
                    "joined": it.joined, "message_id": MessageFields.text(it.announcement?.rawValue ?? 0),
                    "unknown": it.unknown,
                ]
            }),
        OperationFields(
            LeaveRequest.self,
            request: { it in
                ["app": it.app.name, "group": it.group.name, "devices": it.devices.map { MessageFields.fields($0) }]
                    .merging(it.clearsTopics ? ["clear_topics": 1] : [:]) { $1 }
            },
            answer: { it in ["left": it.changed, "unknown": it.unknown] }),
        OperationFields(
            SwitchGroupRequest.self,
            request: { it in
                ["app": it.app.name, "device": MessageFields.fields(it.device), "from": it.from.name, "to": it.to.name]
                    .merging(MessageFields.announcement(it.announcement)) { $1 }
            },
            answer: { it in
                [
                    "device_id": MessageFields.text(it.device.rawValue), "changed": it.changes.rawValue,
                    "message_id": MessageFields.text(it.announcement?.rawValue ?? 0),
                ]
            }),
        OperationFields(
            GroupDevicesRequest.self,
            request: { it in
                [
                    "app": it.app.name, "group": it.group.name, "cursor": MessageFields.text(it.cursor),
                    "limit": it.limit,
                ]
            },
            answer: { it in MessageFields.fields(it) }),
        OperationFields(
            GroupsRequest.self,
            request: { it in MessageFields.fields(it.listing) },
            answer: { it in
                [
                    "next": it.next ?? "",
                    "groups": it.rows.map {
                        ["group": $0.name, "devices": MessageFields.text($0.devices), "muted": $0.isMuted ? 1 : 0]
                            as [String: Any]
                    },
                ]
            }),
        OperationFields(
            UpdateGroupRequest.self,
            request: { it in
                ["app": it.app.name, "group": it.group.name].merging(MessageFields.muted(it.isMuted)) { $1 }
            },
            answer: { it in ["devices": MessageFields.text(it)] }),
        OperationFields(
            GroupTopicsRequest.self,
            request: { it in ["app": it.app.name, "group": it.group.name, "after": it.after, "limit": it.limit] },
            answer: { it in ["next": it.next ?? "", "topics": it.topics.map(\.name)] }),
        OperationFields(
            SubscribeRequest.self,
            request: { it in MessageFields.fields(it.subscription) },
            answer: { it in ["changed": it.changed, "unknown": it.unknown] }),
        OperationFields(
            UnsubscribeRequest.self,
            request: { it in MessageFields.fields(it.subscription) },
            answer: { it in ["changed": it.changed, "unknown": it.unknown] }),
        OperationFields(
            TopicsRequest.self,
            request: { it in MessageFields.fields(it.listing) },
            answer: { it in
                [
                    "next": it.next ?? "",
                    "topics": it.rows.map { ["topic": $0.name, "devices": MessageFields.text($0.devices)] },
                ]
            }),
        OperationFields(
            TopicDevicesRequest.self,
            request: { it in
                [
                    "app": it.app.name, "topic": it.topic.name, "cursor": MessageFields.text(it.cursor),
                    "limit": it.limit,
                ]
            },
            answer: { it in MessageFields.fields(it) }),
        OperationFields(
            ExplainRequest.self,
            request: { it in ["app": it.app.name, "condition": it.condition.description] },
            answer: { it in
                [
                    "condition": it.condition, "devices": MessageFields.text(it.devices),
                    "sets": it.terms.map { ["set": $0.set, "devices": MessageFields.text($0.devices)] },
                ]
            }),
        OperationFields(
            SendRequest.self,
            request: { it in MessageFields.fields(it) },
            answer: { it in MessageFields.fields(it) }),
        OperationFields(
            MessageStatusRequest.self,
            request: { it in ["app": it.app.name, "message_id": MessageFields.text(it.id.rawValue)] },
            answer: { it in MessageFields.fields(it) }),
        OperationFields(
            MessageOutcomesRequest.self,
            request: { it in
                [
                    "app": it.app.name, "message_id": MessageFields.text(it.id.rawValue),
                    "cursor": MessageFields.text(it.cursor), "limit": it.limit,
                ]
            },
            answer: { it in
                [
                    "next": MessageFields.text(it.next),
                    "recipients": it.recipients.map {
                        ["device_id": MessageFields.text($0.device?.rawValue ?? 0), "outcome": $0.outcome.rawValue]
                            as [String: Any]
                    },
                ]
            }),
        OperationFields(
            MessagesRequest.self,
            request: { it in MessageFields.fields(it) },
            answer: { it in MessageFields.fields(it) }),
        OperationFields(
            UpdateMessageRequest.self,
            request: { it in MessageFields.fields(it) },
            answer: { it in ["state": it.rawValue] }),
        OperationFields(
            ResendRequest.self,
            request: { it in MessageFields.fields(it) },
            answer: { it in MessageFields.fields(it) }),
        OperationFields(
            TraceRequest.self,
            request: { it in
                [
                    "app": it.app.name, "message_id": MessageFields.text(it.id.rawValue),
                    "device": MessageFields.fields(it.device),
                ]
            },
            answer: { it in MessageFields.fields(it) }),
        OperationFields(
            SubscribeEventsRequest.self,
            request: { it in
                [
                    "name": it.name, "from": MessageFields.text(it.from), "apps": it.apps.map(\.name),
                    "kinds": it.kinds.map(\.rawValue), "credit": MessageFields.text(it.credit),
                ]
            },
            answer: { it in ["after": MessageFields.text(it)] }),
        OperationFields(
            EventCreditRequest.self,
            request: { it in
                [
                    "subscription": MessageFields.text(it.subscription),
                    "credit": MessageFields.text(it.totalCredit), "ack": MessageFields.text(it.acknowledgedUpTo),
                ]
            },
            answer: { _ in [:] }),
        OperationFields(
            UnsubscribeEventsRequest.self,
            request: { it in ["subscription": MessageFields.text(it.subscription)] },
            answer: { _ in [:] }),
        OperationFields(
            ForgetSubscriberRequest.self,
            request: { it in ["name": it.name] },
            answer: { it in ["result": it ? 1 : 2] }),
        OperationFields(
            ReceiptsRequest.self,
            request: { it in
                [
                    "app": it.app.name,
                    "receipts": it.receipts.map {
                        [
                            "message_id": MessageFields.text($0.message.rawValue),
                            "device": MessageFields.fields($0.device), "kind": $0.kind.rawValue,
                        ] as [String: Any]
                    },
                ]
            },
            answer: { it in ["counted": it.counted, "unknown": it.unknown] }),
        OperationFields(
            ReceiptDevicesRequest.self,
            request: { it in
                [
                    "app": it.app.name, "message_id": MessageFields.text(it.id.rawValue), "kind": it.kind.rawValue,
                    "cursor": MessageFields.text(it.cursor), "limit": it.limit,
                ]
            },
            answer: { it in MessageFields.fields(it) }),
        OperationFields(
            StatisticsRequest.self,
            request: { it in ["limit": it.limit] },
            answer: { it in MessageFields.fields(it) }),
        OperationFields(
            DevicesRequest.self,
            request: { it in ["app": it.app.name, "cursor": MessageFields.text(it.cursor), "limit": it.limit] },
            answer: { it in
                ["next": MessageFields.text(it.next), "devices": it.devices.map { MessageFields.payload($0) }]
            }),
        OperationFields(
            RemoveNodeRequest.self,
            request: { it in ["node": it.node] },
            answer: { it in ["incarnation": MessageFields.text(it)] }),
        OperationFields(
            CreateChannelRequest.self,
            request: { it in
                [
                    "app": it.app.name, "environment": it.environment.rawValue,
                    "storage_policy": it.storagePolicy.rawValue,
                ]
            },
            answer: { it in ["channel": it.text] }),
        OperationFields(
            ChannelRequest.self,
            request: { it in
                ["app": it.app.name, "environment": it.environment.rawValue, "channel": it.channel.text]
            },
            answer: { it in ["storage_policy": it.rawValue] }),
        OperationFields(
            ChannelsRequest.self,
            request: { it in
                ["app": it.app.name, "environment": it.environment.rawValue, "after": it.after, "limit": it.limit]
            },
            answer: { it in ["next": it.next ?? "", "channels": it.channels.map(\.text)] }),
        OperationFields(
            DeleteChannelRequest.self,
            request: { it in
                ["app": it.app.name, "environment": it.environment.rawValue, "channel": it.channel.text]
            },
            answer: { it in ["result": it ? 1 : 2] }),
    ]
}
