import CarillonCore

/// All operations, one row each, ascending by opcode. HELLO's layouts, permissions, metrics, the client's retries, the
/// limits of pages, the fuzzer and the tests are taken from here.
package enum OperationTable {
    private static let reading: Roles = [.register, .observe]
    private static let watching: Roles = [.send, .observe]
    /// Bytes of a name of a group or topic, with its length.
    private static let nameBytes = 2 + WireLimits.nameBytes

    /// The rows.
    package static let rows: [OperationRules] = [
        .session(Hello.self, "hello", effect: .none),
        .session(Authentication.self, "authenticate", effect: .none),

        .change(Registration.self, "register", roles: .register, effect: .conditional),
        .message(RegistrationBatch.self, "register-batch", roles: [], effect: .conditional),
        .change(Unregistration.self, "unregister", roles: .register, effect: .conditional),
        .pointRead(Lookup.self, "lookup", roles: reading),
        .change(DeviceChange.self, "update-device", roles: .register),
        .listing(MembershipsQuery.self, "memberships", roles: reading, rowBytes: 2 * nameBytes),
        .change(DeviceRestoration.self, "restore", roles: .register),
        .listing(QuarantineQuery.self, "quarantine", roles: reading, rowBytes: 8),

        .change(Join.self, "join", roles: .register),
        .change(Leave.self, "leave", roles: .register),
        .message(GroupSwitch.self, "switch-group", roles: .register, effect: .repeatable),
        .listing(GroupDevicesQuery.self, "group-devices", roles: reading, rowBytes: 8),
        .listing(GroupsQuery.self, "groups", roles: reading, rowBytes: nameBytes + 9),
        .change(GroupUpdate.self, "update-group", roles: .register),
        .listing(GroupTopicsQuery.self, "group-topics", roles: reading, rowBytes: nameBytes),

        .change(Subscribe.self, "subscribe", roles: .register),
        .change(Unsubscribe.self, "unsubscribe", roles: .register),
        .listing(TopicsQuery.self, "topics", roles: reading, rowBytes: nameBytes + 8),
        .listing(TopicDevicesQuery.self, "topic-devices", roles: reading, rowBytes: 8),
        .listing(ConditionQuery.self, "explain", roles: watching),

        .message(Message.self, "send", roles: .send, effect: .conditional),
        .pointRead(MessageQuery.self, "message-status", roles: watching),
        .listing(OutcomesQuery.self, "message-outcomes", roles: watching, rowBytes: 9),
        .listing(MessagesQuery.self, "messages", roles: watching, rowBytes: MessageSummary.maximumBytes),
        .message(MessageUpdateRequest.self, "steer", roles: .send, effect: .conditional),
        .message(MessageResend.self, "resend", roles: .send, effect: .conditional),
        .listing(TraceQuery.self, "trace", roles: watching),

        .session(EventSubscription.self, "subscribe-events", effect: .once),
        .session(EventCredit.self, "event-credit", effect: .once),
        .session(EventUnsubscription.self, "unsubscribe-events", effect: .once),
        .message(EventSubscriberRemoval.self, "forget-subscriber", roles: .observe, effect: .repeatable),

        .message(ReceiptBatch.self, "receipts", roles: watching, effect: .repeatable),
        .listing(ReceiptsQuery.self, "receipt-devices", roles: watching, rowBytes: 8),

        .statistics("statistics", rowBytes: 768, otherBytes: 768),
        .listing(DeviceListing.self, "devices", roles: .admin, rowBytes: DeviceRecordPage.rowBytes),
    ]

    /// The rows by opcode, with nil between them.
    private static let byOpcode: [OperationRules?] = {
        var byOpcode = [OperationRules?](repeating: nil, count: 1 + Int(rows.last?.opcode.rawValue ?? 0))
        for row in rows { byOpcode[Int(row.opcode.rawValue)] = row }
        return byOpcode
    }()

    /// The row of an opcode; nil if no request has it.
    package static func rules(of opcode: Opcode) -> OperationRules? {
        let index = Int(opcode.rawValue)
        return index < byOpcode.count ? byOpcode[index] : nil
    }

    private static let changes: [Bool] = byOpcode.map { $0?.kind == .change }

    /// Returns true if the operation is one change; a JOIN with an announcement is not, although its operation is.
    static func isChange(_ opcode: Opcode) -> Bool {
        let index = Int(opcode.rawValue)
        return index < changes.count && changes[index]
    }

    /// The row of an operation.
    static func rules<O: Operation>(for type: O.Type) -> OperationRules {
        guard let rules = rules(of: O.opcode) else { preconditionFailure("\(type) has no row in the table") }
        return rules
    }
}
