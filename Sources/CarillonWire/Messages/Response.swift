package import CarillonCore

// The form of answers before `Operation`. Delete it when no caller is left.

/// What the server answers (Protocol 6 to 8c).
package enum Response: Hashable, Sendable {
    case welcome(Welcome)
    case identity(Identity)
    case registered(DeviceID, RegistrationResult)
    case registeredBatch([BatchItemResult])
    /// The device that was removed, or nil if there was none.
    case unregistered(DeviceID?)
    case device(Device)
    case updated(DeviceID)
    case memberships(Memberships)
    case restored(DeviceID)
    case quarantine(DevicePage)
    case joined(Joined)
    case left(MembershipChange)
    case switched(Switched)
    case groupDevices(DevicePage)
    case groups(NamedSetPage)
    /// How many devices the group has.
    case groupUpdated(devices: UInt64)
    case groupTopics(TopicPage)
    case subscribed(MembershipChange)
    case unsubscribed(MembershipChange)
    case topics(NamedSetPage)
    case topicDevices(DevicePage)
    case explained(Explanation)
    case accepted(Acceptance)
    case status(MessageStatus)
    case outcomes(RecipientOutcomePage)
    case messages(MessagePage)
    /// How the message stands after it.
    case messageUpdated(MessageState)
    case resent(Acceptance)
    /// Events follow after this number.
    case eventsSubscribed(after: UInt64)
    case eventsCredited
    case eventsUnsubscribed
    case receiptsCounted(ReceiptCount)
    case receiptDevices(DevicePage)
    case statistics(ServerStatistics)
    case devices(DeviceRecordPage)

    package var any: AnyAnswer {
        switch self {
        case .welcome(let it): AnyAnswer(it, to: Hello.self)
        case .identity(let it): AnyAnswer(it, to: Authentication.self)
        case .registered(let id, let result):
            AnyAnswer(Registered(device: id, result: result), to: Registration.self)
        case .registeredBatch(let it): AnyAnswer(it, to: RegistrationBatch.self)
        case .unregistered(let it): AnyAnswer(it, to: Unregistration.self)
        case .device(let it): AnyAnswer(it, to: Lookup.self)
        case .updated(let it): AnyAnswer(it, to: DeviceChange.self)
        case .memberships(let it): AnyAnswer(it, to: MembershipsQuery.self)
        case .restored(let it): AnyAnswer(it, to: DeviceRestoration.self)
        case .quarantine(let it): AnyAnswer(it, to: QuarantineQuery.self)
        case .joined(let it): AnyAnswer(it, to: Join.self)
        case .left(let it): AnyAnswer(it, to: Leave.self)
        case .switched(let it): AnyAnswer(it, to: GroupSwitch.self)
        case .groupDevices(let it): AnyAnswer(it, to: GroupDevicesQuery.self)
        case .groups(let it): AnyAnswer(it, to: GroupsQuery.self)
        case .groupUpdated(let it): AnyAnswer(it, to: GroupUpdate.self)
        case .groupTopics(let it): AnyAnswer(it, to: GroupTopicsQuery.self)
        case .subscribed(let it): AnyAnswer(it, to: Subscribe.self)
        case .unsubscribed(let it): AnyAnswer(it, to: Unsubscribe.self)
        case .topics(let it): AnyAnswer(it, to: TopicsQuery.self)
        case .topicDevices(let it): AnyAnswer(it, to: TopicDevicesQuery.self)
        case .explained(let it): AnyAnswer(it, to: ConditionQuery.self)
        case .accepted(let it): AnyAnswer(it, to: Message.self)
        case .status(let it): AnyAnswer(it, to: MessageQuery.self)
        case .outcomes(let it): AnyAnswer(it, to: OutcomesQuery.self)
        case .messages(let it): AnyAnswer(it, to: MessagesQuery.self)
        case .messageUpdated(let it): AnyAnswer(it, to: MessageUpdateRequest.self)
        case .resent(let it): AnyAnswer(it, to: MessageResend.self)
        case .eventsSubscribed(let it): AnyAnswer(it, to: EventSubscription.self)
        case .eventsCredited: AnyAnswer(EmptyAnswer(), to: EventCredit.self)
        case .eventsUnsubscribed: AnyAnswer(EmptyAnswer(), to: EventUnsubscription.self)
        case .receiptsCounted(let it): AnyAnswer(it, to: ReceiptBatch.self)
        case .receiptDevices(let it): AnyAnswer(it, to: ReceiptsQuery.self)
        case .statistics(let it): AnyAnswer(it, to: StatisticsQuery.self)
        case .devices(let it): AnyAnswer(it, to: DeviceListing.self)
        }
    }

    package init?(_ answer: AnyAnswer) {
        switch answer.opcode {
        case .hello:
            guard let it = answer.as(answerTo: Hello.self) else { return nil }
            self = .welcome(it)
        case .authenticate:
            guard let it = answer.as(answerTo: Authentication.self) else { return nil }
            self = .identity(it)
        case .register:
            guard let it = answer.as(answerTo: Registration.self) else { return nil }
            self = .registered(it.device, it.result)
        case .registerBatch:
            guard let it = answer.as(answerTo: RegistrationBatch.self) else { return nil }
            self = .registeredBatch(it)
        case .unregister:
            guard let it = answer.as(answerTo: Unregistration.self) else { return nil }
            self = .unregistered(it)
        case .lookup:
            guard let it = answer.as(answerTo: Lookup.self) else { return nil }
            self = .device(it)
        case .updateDevice:
            guard let it = answer.as(answerTo: DeviceChange.self) else { return nil }
            self = .updated(it)
        case .memberships:
            guard let it = answer.as(answerTo: MembershipsQuery.self) else { return nil }
            self = .memberships(it)
        case .restore:
            guard let it = answer.as(answerTo: DeviceRestoration.self) else { return nil }
            self = .restored(it)
        case .quarantine:
            guard let it = answer.as(answerTo: QuarantineQuery.self) else { return nil }
            self = .quarantine(it)
        case .join:
            guard let it = answer.as(answerTo: Join.self) else { return nil }
            self = .joined(it)
        case .leave:
            guard let it = answer.as(answerTo: Leave.self) else { return nil }
            self = .left(it)
        case .switchGroup:
            guard let it = answer.as(answerTo: GroupSwitch.self) else { return nil }
            self = .switched(it)
        case .groupDevices:
            guard let it = answer.as(answerTo: GroupDevicesQuery.self) else { return nil }
            self = .groupDevices(it)
        case .groups:
            guard let it = answer.as(answerTo: GroupsQuery.self) else { return nil }
            self = .groups(it)
        case .updateGroup:
            guard let it = answer.as(answerTo: GroupUpdate.self) else { return nil }
            self = .groupUpdated(devices: it)
        case .groupTopics:
            guard let it = answer.as(answerTo: GroupTopicsQuery.self) else { return nil }
            self = .groupTopics(it)
        case .subscribe:
            guard let it = answer.as(answerTo: Subscribe.self) else { return nil }
            self = .subscribed(it)
        case .unsubscribe:
            guard let it = answer.as(answerTo: Unsubscribe.self) else { return nil }
            self = .unsubscribed(it)
        case .topics:
            guard let it = answer.as(answerTo: TopicsQuery.self) else { return nil }
            self = .topics(it)
        case .topicDevices:
            guard let it = answer.as(answerTo: TopicDevicesQuery.self) else { return nil }
            self = .topicDevices(it)
        case .explain:
            guard let it = answer.as(answerTo: ConditionQuery.self) else { return nil }
            self = .explained(it)
        case .send:
            guard let it = answer.as(answerTo: Message.self) else { return nil }
            self = .accepted(it)
        case .messageStatus:
            guard let it = answer.as(answerTo: MessageQuery.self) else { return nil }
            self = .status(it)
        case .messageOutcomes:
            guard let it = answer.as(answerTo: OutcomesQuery.self) else { return nil }
            self = .outcomes(it)
        case .messages:
            guard let it = answer.as(answerTo: MessagesQuery.self) else { return nil }
            self = .messages(it)
        case .updateMessage:
            guard let it = answer.as(answerTo: MessageUpdateRequest.self) else { return nil }
            self = .messageUpdated(it)
        case .resend:
            guard let it = answer.as(answerTo: MessageResend.self) else { return nil }
            self = .resent(it)
        case .subscribeEvents:
            guard let it = answer.as(answerTo: EventSubscription.self) else { return nil }
            self = .eventsSubscribed(after: it)
        case .eventCredit: self = .eventsCredited
        case .unsubscribeEvents: self = .eventsUnsubscribed
        case .receipts:
            guard let it = answer.as(answerTo: ReceiptBatch.self) else { return nil }
            self = .receiptsCounted(it)
        case .receiptDevices:
            guard let it = answer.as(answerTo: ReceiptsQuery.self) else { return nil }
            self = .receiptDevices(it)
        case .statistics:
            guard let it = answer.as(answerTo: StatisticsQuery.self) else { return nil }
            self = .statistics(it)
        case .devices:
            guard let it = answer.as(answerTo: DeviceListing.self) else { return nil }
            self = .devices(it)
        default: return nil
        }
    }

    package var opcode: Opcode { any.opcode }

    package static func decode(_ opcode: Opcode, _ bytes: UnsafeRawBufferPointer) throws(WireFault) -> Response {
        guard let response = Response(try AnyAnswer.decode(opcode, bytes)) else {
            throw WireFault(.unsupportedOpcode, text: "no response")
        }
        return response
    }
}

extension FrameWriter {
    package mutating func response(_ response: Response, id: UInt64) {
        self.response(response.any, id: id)
    }

    package mutating func answer(_ answer: PointReadResult, id: UInt64) {
        pointReadResponse(answer, id: id)
    }
}
