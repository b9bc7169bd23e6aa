import CarillonCore

/// The table of all operations, one row each, ascending by opcode. HELLO's layouts, permissions, metrics, the client's
/// retries, the limits of pages, the fuzzer and the tests are taken from here.
package enum OperationTable {
    private static let registerOrObserve: Roles = [.register, .observe]
    private static let sendOrObserve: Roles = [.send, .observe]
    /// The most bytes of a name of a group or topic, with its length.
    private static let nameBytes = 2 + WireLimits.nameBytes

    /// The rows of the table, ascending by opcode.
    package static let rows: [Row] = [
        .session(HelloRequest.self, name: "hello", repetition: .readOnly),
        .session(AuthenticateRequest.self, name: "auth", repetition: .readOnly),

        .change(RegisterRequest.self, name: "register", roles: .register, repetition: .conditional),
        .individual(RegisterBatchRequest.self, name: "register-batch", roles: [], repetition: .conditional),
        .change(UnregisterRequest.self, name: "unregister", roles: .register, repetition: .conditional),
        .pointRead(LookupRequest.self, name: "lookup", roles: registerOrObserve),
        .change(UpdateDeviceRequest.self, name: "update-device", roles: .register),
        .longRead(MembershipsRequest.self, name: "memberships", roles: registerOrObserve, rowBytes: 2 * nameBytes),
        .change(RestoreRequest.self, name: "restore", roles: .register),
        .longRead(QuarantineRequest.self, name: "quarantine", roles: registerOrObserve, rowBytes: 8),

        .change(JoinRequest.self, name: "join", roles: .register),
        .change(LeaveRequest.self, name: "leave", roles: .register),
        .individual(SwitchGroupRequest.self, name: "switch", roles: .register, repetition: .always),
        .longRead(GroupDevicesRequest.self, name: "group-devices", roles: registerOrObserve, rowBytes: 8),
        .longRead(GroupsRequest.self, name: "groups", roles: registerOrObserve, rowBytes: nameBytes + 9),
        .change(UpdateGroupRequest.self, name: "update-group", roles: .register),
        .longRead(GroupTopicsRequest.self, name: "group-topics", roles: registerOrObserve, rowBytes: nameBytes),

        .change(SubscribeRequest.self, name: "subscribe", roles: .register),
        .change(UnsubscribeRequest.self, name: "unsubscribe", roles: .register),
        .longRead(TopicsRequest.self, name: "topics", roles: registerOrObserve, rowBytes: nameBytes + 8),
        .longRead(TopicDevicesRequest.self, name: "topic-devices", roles: registerOrObserve, rowBytes: 8),
        .longRead(ExplainRequest.self, name: "explain", roles: sendOrObserve),

        .individual(SendRequest.self, name: "send", roles: .send, repetition: .conditional),
        .pointRead(MessageStatusRequest.self, name: "message-status", roles: sendOrObserve),
        .longRead(MessageOutcomesRequest.self, name: "message-outcomes", roles: sendOrObserve, rowBytes: 9),
        .longRead(MessagesRequest.self, name: "messages", roles: sendOrObserve, rowBytes: MessageSummary.maximumBytes),
        .individual(UpdateMessageRequest.self, name: "update-message", roles: .send, repetition: .conditional),
        .individual(ResendRequest.self, name: "resend", roles: .send, repetition: .conditional),
        .longRead(TraceRequest.self, name: "trace", roles: sendOrObserve),

        .session(SubscribeEventsRequest.self, name: "subscribe-events", repetition: .never),
        .session(EventCreditRequest.self, name: "event-credit", repetition: .never),
        .session(UnsubscribeEventsRequest.self, name: "unsubscribe-events", repetition: .never),
        .individual(ForgetSubscriberRequest.self, name: "forget-subscriber", roles: .observe, repetition: .always),

        .individual(ReceiptsRequest.self, name: "receipts", roles: sendOrObserve, repetition: .always),
        .longRead(ReceiptDevicesRequest.self, name: "receipt-devices", roles: sendOrObserve, rowBytes: 8),

        .statistics(name: "statistics", rowBytes: 1_280, otherBytes: 768),
        .longRead(DevicesRequest.self, name: "devices", roles: .admin, rowBytes: DevicePage.rowBytes),
        .individual(RemoveNodeRequest.self, name: "remove-node", roles: .admin, repetition: .never),

        .individual(CreateChannelRequest.self, name: "create-channel", roles: .send, repetition: .never),
        .individual(ChannelRequest.self, name: "channel", roles: sendOrObserve, repetition: .readOnly),
        .individual(
            ChannelsRequest.self, name: "channels", roles: sendOrObserve, repetition: .readOnly,
            rowBytes: 2 + ChannelID.maximumBytes, otherBytes: 256 + ChannelID.maximumBytes),
        .individual(DeleteChannelRequest.self, name: "delete-channel", roles: .send, repetition: .always),
    ]

    /// The rows by opcode, with nil between them.
    private static let byOpcode: [Row?] = {
        var byOpcode = [Row?](repeating: nil, count: 1 + Int(rows.last?.opcode.rawValue ?? 0))
        for row in rows { byOpcode[Int(row.opcode.rawValue)] = row }
        return byOpcode
    }()

    /// Returns the row of an opcode; nil if no request has it.
    package static func row(of opcode: Opcode) -> Row? {
        let index = Int(opcode.rawValue)
        return index < byOpcode.count ? byOpcode[index] : nil
    }

    private static let changes: [Bool] = byOpcode.map { $0?.kind == .change }

    /// Returns true if a request of the operation is usually one change. A JOIN with an announcement is the exception:
    /// it is decoded as another kind.
    static func isUsuallyChange(_ opcode: Opcode) -> Bool {
        let index = Int(opcode.rawValue)
        return index < changes.count && changes[index]
    }

    /// Returns the row of an operation; each type of a request has one.
    static func row<O: Operation>(for type: O.Type) -> Row {
        guard let row = row(of: O.opcode) else { preconditionFailure("\(type) has no row in the table") }
        return row
    }
}
