package import CarillonCore

// The form of requests before `Operation`. Delete it when no caller is left.

/// What a client asks (Protocol 6 to 8c).
package enum Request: Hashable, Sendable {
    case hello(Hello)
    case authenticate(Authentication)
    case register(Registration)
    /// Items that could be read, and for the others what was wrong with them.
    case registerBatch([Result<Registration, WireFault>])
    case unregister(Unregistration)
    case lookup(Lookup)
    case updateDevice(DeviceChange)
    case memberships(MembershipsQuery)
    case restore(DeviceRestoration)
    case quarantine(QuarantineQuery)
    /// A `Join` that leaves no group: SWITCH has a case of its own.
    case join(Join)
    case leave(Leave)
    case switchGroup(GroupSwitch)
    case groupDevices(GroupDevicesQuery)
    case groups(GroupsQuery)
    case updateGroup(GroupUpdate)
    case groupTopics(GroupTopicsQuery)
    case subscribe(Subscription)
    case unsubscribe(Subscription)
    case topics(TopicsQuery)
    case topicDevices(TopicDevicesQuery)
    case explain(ConditionQuery)
    case send(Message)
    case messageStatus(MessageQuery)
    case messageOutcomes(OutcomesQuery)
    case messages(MessagesQuery)
    case updateMessage(MessageUpdateRequest)
    case resend(MessageResend)
    case subscribeEvents(EventSubscription)
    case eventCredit(EventCredit)
    case unsubscribeEvents(EventUnsubscription)
    case receipts(ReceiptBatch)
    case receiptDevices(ReceiptsQuery)
    case statistics(StatisticsQuery)
    case devices(DeviceListing)

    package var any: AnyRequest {
        switch self {
        case .hello(let it): AnyRequest(it)
        case .authenticate(let it): AnyRequest(it)
        case .register(let it): AnyRequest(it)
        case .registerBatch(let it): AnyRequest(RegistrationBatch(items: it))
        case .unregister(let it): AnyRequest(it)
        case .lookup(let it): AnyRequest(it)
        case .updateDevice(let it): AnyRequest(it)
        case .memberships(let it): AnyRequest(it)
        case .restore(let it): AnyRequest(it)
        case .quarantine(let it): AnyRequest(it)
        case .join(let it): AnyRequest(it)
        case .leave(let it): AnyRequest(it)
        case .switchGroup(let it): AnyRequest(it)
        case .groupDevices(let it): AnyRequest(it)
        case .groups(let it): AnyRequest(it)
        case .updateGroup(let it): AnyRequest(it)
        case .groupTopics(let it): AnyRequest(it)
        case .subscribe(let it): AnyRequest(Subscribe(it))
        case .unsubscribe(let it): AnyRequest(Unsubscribe(it))
        case .topics(let it): AnyRequest(it)
        case .topicDevices(let it): AnyRequest(it)
        case .explain(let it): AnyRequest(it)
        case .send(let it): AnyRequest(it)
        case .messageStatus(let it): AnyRequest(it)
        case .messageOutcomes(let it): AnyRequest(it)
        case .messages(let it): AnyRequest(it)
        case .updateMessage(let it): AnyRequest(it)
        case .resend(let it): AnyRequest(it)
        case .subscribeEvents(let it): AnyRequest(it)
        case .eventCredit(let it): AnyRequest(it)
        case .unsubscribeEvents(let it): AnyRequest(it)
        case .receipts(let it): AnyRequest(it)
        case .receiptDevices(let it): AnyRequest(it)
        case .statistics(let it): AnyRequest(it)
        case .devices(let it): AnyRequest(it)
        }
    }

    package init?(_ request: AnyRequest) {
        switch request.operation {
        case let it as Hello: self = .hello(it)
        case let it as Authentication: self = .authenticate(it)
        case let it as Registration: self = .register(it)
        case let it as RegistrationBatch: self = .registerBatch(it.items)
        case let it as Unregistration: self = .unregister(it)
        case let it as Lookup: self = .lookup(it)
        case let it as DeviceChange: self = .updateDevice(it)
        case let it as MembershipsQuery: self = .memberships(it)
        case let it as DeviceRestoration: self = .restore(it)
        case let it as QuarantineQuery: self = .quarantine(it)
        case let it as Join: self = .join(it)
        case let it as Leave: self = .leave(it)
        case let it as GroupSwitch: self = .switchGroup(it)
        case let it as GroupDevicesQuery: self = .groupDevices(it)
        case let it as GroupsQuery: self = .groups(it)
        case let it as GroupUpdate: self = .updateGroup(it)
        case let it as GroupTopicsQuery: self = .groupTopics(it)
        case let it as Subscribe: self = .subscribe(it.subscription)
        case let it as Unsubscribe: self = .unsubscribe(it.subscription)
        case let it as TopicsQuery: self = .topics(it)
        case let it as TopicDevicesQuery: self = .topicDevices(it)
        case let it as ConditionQuery: self = .explain(it)
        case let it as Message: self = .send(it)
        case let it as MessageQuery: self = .messageStatus(it)
        case let it as OutcomesQuery: self = .messageOutcomes(it)
        case let it as MessagesQuery: self = .messages(it)
        case let it as MessageUpdateRequest: self = .updateMessage(it)
        case let it as MessageResend: self = .resend(it)
        case let it as EventSubscription: self = .subscribeEvents(it)
        case let it as EventCredit: self = .eventCredit(it)
        case let it as EventUnsubscription: self = .unsubscribeEvents(it)
        case let it as ReceiptBatch: self = .receipts(it)
        case let it as ReceiptsQuery: self = .receiptDevices(it)
        case let it as StatisticsQuery: self = .statistics(it)
        case let it as DeviceListing: self = .devices(it)
        default: return nil
        }
    }

    package var opcode: Opcode { any.opcode }

    package static func decode(
        _ opcode: Opcode,
        _ bytes: UnsafeRawBufferPointer,
        lastApp app: inout AppID?
    ) throws(WireFault) -> (request: Request, common: CommonFields) {
        let (any, common) = try AnyRequest.decode(opcode, bytes)
        guard let request = Request(any) else { throw WireFault(.unsupportedOpcode, text: "no request") }
        return (request, common)
    }

    package static func decode(
        _ opcode: Opcode,
        _ bytes: UnsafeRawBufferPointer
    ) throws(WireFault) -> (request: Request, common: CommonFields) {
        var app: AppID?
        return try decode(opcode, bytes, lastApp: &app)
    }

    package func answered(within bytes: UInt32) -> Request {
        Request(AnyRequest(any.operation.answered(within: bytes))) ?? self
    }
}

extension FrameWriter {
    package mutating func request(_ request: Request, id: UInt64, common: CommonFields = CommonFields()) {
        self.request(request.any, id: id, common: common)
    }
}
