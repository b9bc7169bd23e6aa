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
            request: { value in ["software": value.software, "receive_limit": value.receiveLimit] },
            answer: { value in MessageFields.fields(value) }),
        OperationFields(
            AuthenticateRequest.self,
            request: { value in ["method": 1, "credential": Hex.string(value.key)] },
            answer: { value in
                [
                    "principal": value.principal,
                    "grants": value.grants.map {
                        ["app": $0.app?.name ?? "*", "roles": $0.roles.rawValue] as [String: Any]
                    },
                ]
            }),
        OperationFields(
            RegisterRequest.self,
            request: { value in MessageFields.fields(value) },
            answer: { value in
                ["device_id": MessageFields.text(value.device.rawValue), "result": value.result.rawValue]
            }),
        OperationFields(
            RegisterBatchRequest.self,
            request: { _ in [:] },
            answer: { value in ["results": value.map { MessageFields.fields($0) }] }),
        OperationFields(
            UnregisterRequest.self,
            request: { value in
                [
                    "app": value.app.name, "device": MessageFields.fields(value.device),
                    "at": MessageFields.text(value.at.milliseconds),
                ]
            },
            answer: { value in ["device_id": MessageFields.text(value?.rawValue ?? 0), "result": value == nil ? 2 : 1] }
        ),
        OperationFields(
            LookupRequest.self,
            request: { value in ["app": value.app.name, "device": MessageFields.fields(value.device)] },
            answer: { value in MessageFields.fields(value) }),
        OperationFields(
            UpdateDeviceRequest.self,
            request: { value in MessageFields.fields(value) },
            answer: { value in ["device_id": MessageFields.text(value.rawValue)] }),
        OperationFields(
            MembershipsRequest.self,
            request: { value in
                [
                    "app": value.app.name, "device": MessageFields.fields(value.device), "after": value.after,
                    "limit": value.limit,
                ]
            },
            answer: { value in MessageFields.fields(value) }),
        OperationFields(
            RestoreRequest.self,
            request: { value in ["app": value.app.name, "device": MessageFields.fields(value.device)] },
            answer: { value in ["device_id": MessageFields.text(value.rawValue)] }),
        OperationFields(
            QuarantineRequest.self,
            request: { value in
                ["app": value.app.name, "cursor": MessageFields.text(value.cursor), "limit": value.limit]
            },
            answer: { value in MessageFields.fields(value) }),
        OperationFields(
            JoinRequest.self,
            request: { value in
                [
                    "app": value.app.name, "group": value.group.name,
                    "devices": value.devices.map { MessageFields.fields($0) },
                ]
                .merging(MessageFields.announcement(value.announcement)) { $1 }
            },
            answer: { value in
                [
                    "joined": value.joined, "message_id": MessageFields.text(value.announcement?.rawValue ?? 0),
                    "unknown": value.unknown,
                ]
            }),
        OperationFields(
            LeaveRequest.self,
            request: { value in
                [
                    "app": value.app.name, "group": value.group.name,
                    "devices": value.devices.map { MessageFields.fields($0) },
                ]
                .merging(value.clearsTopics ? ["clear_topics": 1] : [:]) { $1 }
            },
            answer: { value in ["left": value.changed, "unknown": value.unknown] }),
        OperationFields(
            SwitchGroupRequest.self,
            request: { value in
                [
                    "app": value.app.name, "device": MessageFields.fields(value.device), "from": value.from.name,
                    "to": value.to.name,
                ]
                .merging(MessageFields.announcement(value.announcement)) { $1 }
            },
            answer: { value in
                [
                    "device_id": MessageFields.text(value.device.rawValue), "changed": value.changes.rawValue,
                    "message_id": MessageFields.text(value.announcement?.rawValue ?? 0),
                ]
            }),
        OperationFields(
            GroupDevicesRequest.self,
            request: { value in
                [
                    "app": value.app.name, "group": value.group.name, "cursor": MessageFields.text(value.cursor),
                    "limit": value.limit,
                ]
            },
            answer: { value in MessageFields.fields(value) }),
        OperationFields(
            GroupsRequest.self,
            request: { value in MessageFields.fields(value.listing) },
            answer: { value in
                [
                    "next": value.next ?? "",
                    "groups": value.rows.map {
                        ["group": $0.name, "devices": MessageFields.text($0.devices), "muted": $0.isMuted ? 1 : 0]
                            as [String: Any]
                    },
                ]
            }),
        OperationFields(
            UpdateGroupRequest.self,
            request: { value in
                ["app": value.app.name, "group": value.group.name].merging(MessageFields.muted(value.isMuted)) { $1 }
            },
            answer: { value in ["devices": MessageFields.text(value)] }),
        OperationFields(
            GroupTopicsRequest.self,
            request: { value in
                ["app": value.app.name, "group": value.group.name, "after": value.after, "limit": value.limit]
            },
            answer: { value in ["next": value.next ?? "", "topics": value.topics.map(\.name)] }),
        OperationFields(
            SubscribeRequest.self,
            request: { value in MessageFields.fields(value.subscription) },
            answer: { value in ["changed": value.changed, "unknown": value.unknown] }),
        OperationFields(
            UnsubscribeRequest.self,
            request: { value in MessageFields.fields(value.subscription) },
            answer: { value in ["changed": value.changed, "unknown": value.unknown] }),
        OperationFields(
            TopicsRequest.self,
            request: { value in MessageFields.fields(value.listing) },
            answer: { value in
                [
                    "next": value.next ?? "",
                    "topics": value.rows.map { ["topic": $0.name, "devices": MessageFields.text($0.devices)] },
                ]
            }),
        OperationFields(
            TopicDevicesRequest.self,
            request: { value in
                [
                    "app": value.app.name, "topic": value.topic.name, "cursor": MessageFields.text(value.cursor),
                    "limit": value.limit,
                ]
            },
            answer: { value in MessageFields.fields(value) }),
        OperationFields(
            ExplainRequest.self,
            request: { value in ["app": value.app.name, "condition": value.condition.description] },
            answer: { value in
                [
                    "condition": value.condition, "devices": MessageFields.text(value.devices),
                    "sets": value.terms.map { ["set": $0.set, "devices": MessageFields.text($0.devices)] },
                ]
            }),
        OperationFields(
            SendRequest.self,
            request: { value in MessageFields.fields(value) },
            answer: { value in MessageFields.fields(value) }),
        OperationFields(
            MessageStatusRequest.self,
            request: { value in ["app": value.app.name, "message_id": MessageFields.text(value.id.rawValue)] },
            answer: { value in MessageFields.fields(value) }),
        OperationFields(
            MessageOutcomesRequest.self,
            request: { value in
                [
                    "app": value.app.name, "message_id": MessageFields.text(value.id.rawValue),
                    "cursor": MessageFields.text(value.cursor), "limit": value.limit,
                ]
            },
            answer: { value in
                [
                    "next": MessageFields.text(value.next),
                    "recipients": value.recipients.map {
                        ["device_id": MessageFields.text($0.device?.rawValue ?? 0), "outcome": $0.outcome.rawValue]
                            as [String: Any]
                    },
                ]
            }),
        OperationFields(
            MessagesRequest.self,
            request: { value in MessageFields.fields(value) },
            answer: { value in MessageFields.fields(value) }),
        OperationFields(
            UpdateMessageRequest.self,
            request: { value in MessageFields.fields(value) },
            answer: { value in ["state": value.rawValue] }),
        OperationFields(
            ResendRequest.self,
            request: { value in MessageFields.fields(value) },
            answer: { value in MessageFields.fields(value) }),
        OperationFields(
            TraceRequest.self,
            request: { value in
                [
                    "app": value.app.name, "message_id": MessageFields.text(value.id.rawValue),
                    "device": MessageFields.fields(value.device),
                ]
            },
            answer: { value in MessageFields.fields(value) }),
        OperationFields(
            SubscribeEventsRequest.self,
            request: { value in
                [
                    "name": value.name, "from": MessageFields.text(value.from), "apps": value.apps.map(\.name),
                    "kinds": value.kinds.map(\.rawValue), "credit": MessageFields.text(value.credit),
                ]
            },
            answer: { value in ["after": MessageFields.text(value)] }),
        OperationFields(
            EventCreditRequest.self,
            request: { value in
                [
                    "subscription": MessageFields.text(value.subscription),
                    "credit": MessageFields.text(value.totalCredit), "ack": MessageFields.text(value.acknowledgedUpTo),
                ]
            },
            answer: { _ in [:] }),
        OperationFields(
            UnsubscribeEventsRequest.self,
            request: { value in ["subscription": MessageFields.text(value.subscription)] },
            answer: { _ in [:] }),
        OperationFields(
            ForgetSubscriberRequest.self,
            request: { value in ["name": value.name] },
            answer: { value in ["result": value ? 1 : 2] }),
        OperationFields(
            ReceiptsRequest.self,
            request: { value in
                [
                    "app": value.app.name,
                    "receipts": value.receipts.map {
                        [
                            "message_id": MessageFields.text($0.message.rawValue),
                            "device": MessageFields.fields($0.device), "kind": $0.kind.rawValue,
                        ] as [String: Any]
                    },
                ]
            },
            answer: { value in ["counted": value.counted, "unknown": value.unknown] }),
        OperationFields(
            ReceiptDevicesRequest.self,
            request: { value in
                [
                    "app": value.app.name, "message_id": MessageFields.text(value.id.rawValue),
                    "kind": value.kind.rawValue,
                    "cursor": MessageFields.text(value.cursor), "limit": value.limit,
                ]
            },
            answer: { value in MessageFields.fields(value) }),
        OperationFields(
            StatisticsRequest.self,
            request: { value in ["limit": value.limit] },
            answer: { value in MessageFields.fields(value) }),
        OperationFields(
            DevicesRequest.self,
            request: { value in
                ["app": value.app.name, "cursor": MessageFields.text(value.cursor), "limit": value.limit]
            },
            answer: { value in
                ["next": MessageFields.text(value.next), "devices": value.devices.map { MessageFields.payload($0) }]
            }),
        OperationFields(
            RemoveNodeRequest.self,
            request: { value in ["node": value.node] },
            answer: { value in ["incarnation": MessageFields.text(value)] }),
        OperationFields(
            CreateChannelRequest.self,
            request: { value in
                [
                    "app": value.app.name, "environment": value.environment.rawValue,
                    "storage_policy": value.storagePolicy.rawValue,
                ]
            },
            answer: { value in ["channel": value.text] }),
        OperationFields(
            ChannelRequest.self,
            request: { value in
                ["app": value.app.name, "environment": value.environment.rawValue, "channel": value.channel.text]
            },
            answer: { value in ["storage_policy": value.rawValue] }),
        OperationFields(
            ChannelsRequest.self,
            request: { value in
                [
                    "app": value.app.name, "environment": value.environment.rawValue, "after": value.after,
                    "limit": value.limit,
                ]
            },
            answer: { value in ["next": value.next ?? "", "channels": value.channels.map(\.text)] }),
        OperationFields(
            DeleteChannelRequest.self,
            request: { value in
                ["app": value.app.name, "environment": value.environment.rawValue, "channel": value.channel.text]
            },
            answer: { value in ["result": value ? 1 : 2] }),
    ]
}
