package import CarillonCore

/// The tagged fields that every request may carry (Protocol 10.2).
package struct CommonFields: Hashable, Sendable {
    /// Milliseconds from receipt after which the server need not begin.
    package var deadlineMilliseconds: UInt32?

    /// Makes the fields.
    package init(deadlineMilliseconds: UInt32? = nil) {
        self.deadlineMilliseconds = deadlineMilliseconds
    }

    var fields: [(tag: UInt32, value: [UInt8])?] { [FrameWriter.field(2, deadlineMilliseconds)] }

    /// Appends them to a section; gives the number of fields appended.
    func write(_ writer: inout FrameWriter) -> Int { writer.tag(FrameWriter.field(2, deadlineMilliseconds)) }

    /// Reads a tag if it is a common one.
    mutating func read(
        _ tag: UInt32,
        _ value: UnsafeRawBufferPointer,
        _ reader: PayloadReader
    ) throws(WireFault) -> Bool {
        guard tag == 2 else { return false }
        deadlineMilliseconds = try reader.whole(UInt32.self, of: value, "deadline_ms")
        return true
    }

    /// Ends a payload that has no tags of its own.
    mutating func finish(_ reader: inout PayloadReader, ignoringUnknown: Bool = false) throws(WireFault) {
        var found = self
        try reader.finish(ignoringUnknown: ignoringUnknown) { reader, tag, value throws(WireFault) in
            try found.read(tag, value, reader)
        }
        self = found
    }
}

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
    case groupDevices(DevicesQuery<GroupName>)
    case groups(NamesQuery)
    case updateGroup(GroupUpdate)
    case groupTopics(GroupTopicsQuery)
    case subscribe(Subscription)
    case unsubscribe(Subscription)
    case topics(NamesQuery)
    case topicDevices(DevicesQuery<TopicName>)
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

    /// Its opcode.
    package var opcode: Opcode {
        switch self {
        case .hello: .hello
        case .authenticate: .authenticate
        case .register: .register
        case .registerBatch: .registerBatch
        case .unregister: .unregister
        case .lookup: .lookup
        case .updateDevice: .updateDevice
        case .memberships: .memberships
        case .restore: .restore
        case .quarantine: .quarantine
        case .join: .join
        case .leave: .leave
        case .switchGroup: .switchGroup
        case .groupDevices: .groupDevices
        case .groups: .groups
        case .updateGroup: .updateGroup
        case .groupTopics: .groupTopics
        case .subscribe: .subscribe
        case .unsubscribe: .unsubscribe
        case .topics: .topics
        case .topicDevices: .topicDevices
        case .explain: .explain
        case .send: .send
        case .messageStatus: .messageStatus
        case .messageOutcomes: .messageOutcomes
        case .messages: .messages
        case .updateMessage: .updateMessage
        case .resend: .resend
        case .subscribeEvents: .subscribeEvents
        case .eventCredit: .eventCredit
        case .unsubscribeEvents: .unsubscribeEvents
        case .receipts: .receipts
        case .receiptDevices: .receiptDevices
        case .statistics: .statistics
        case .devices: .devices
        }
    }

    /// Reads a request's payload; `bytes` are not kept.
    ///
    /// - Parameter app: the app of the client's last request, which spares making the same one again; then of this one.
    package static func decode(
        _ opcode: Opcode,
        _ bytes: UnsafeRawBufferPointer,
        lastApp app: inout AppID?
    ) throws(WireFault) -> (request: Request, common: CommonFields) {
        var reader = PayloadReader(bytes, knownApp: app)
        defer { app = reader.knownApp }
        var common = CommonFields()
        let request: Request
        switch opcode {
        case .hello: request = .hello(try Hello(&reader, &common))
        case .authenticate: request = .authenticate(try Authentication(&reader, &common))
        case .register: request = .register(try Registration(&reader, &common))
        case .registerBatch: request = .registerBatch(try batch(&reader, &common))
        case .unregister: request = .unregister(try Unregistration(&reader, &common))
        case .lookup: request = .lookup(try Lookup(&reader, &common))
        case .updateDevice: request = .updateDevice(try DeviceChange(&reader, &common))
        case .memberships: request = .memberships(try MembershipsQuery(&reader, &common))
        case .restore: request = .restore(try DeviceRestoration(&reader, &common))
        case .quarantine: request = .quarantine(try QuarantineQuery(&reader, &common))
        case .join: request = .join(try Join(&reader, &common))
        case .leave: request = .leave(try Leave(&reader, &common))
        case .switchGroup: request = .switchGroup(try GroupSwitch(&reader, &common))
        case .groupDevices:
            let query = try DevicesQuery(&reader, &common) { reader throws(WireFault) in try reader.group("group") }
            request = .groupDevices(query)
        case .groups: request = .groups(try NamesQuery(&reader, &common))
        case .updateGroup: request = .updateGroup(try GroupUpdate(&reader, &common))
        case .groupTopics: request = .groupTopics(try GroupTopicsQuery(&reader, &common))
        case .subscribe: request = .subscribe(try Subscription(&reader, &common))
        case .unsubscribe: request = .unsubscribe(try Subscription(&reader, &common))
        case .topics: request = .topics(try NamesQuery(&reader, &common))
        case .topicDevices:
            let query = try DevicesQuery(&reader, &common) { reader throws(WireFault) in try reader.topic("topic") }
            request = .topicDevices(query)
        case .explain: request = .explain(try ConditionQuery(&reader, &common))
        case .send: request = .send(try Message(&reader, &common))
        case .messageStatus: request = .messageStatus(try MessageQuery(&reader, &common))
        case .messageOutcomes: request = .messageOutcomes(try OutcomesQuery(&reader, &common))
        case .messages: request = .messages(try MessagesQuery(&reader, &common))
        case .updateMessage: request = .updateMessage(try MessageUpdateRequest(&reader, &common))
        case .resend: request = .resend(try MessageResend(&reader, &common))
        case .subscribeEvents: request = .subscribeEvents(try EventSubscription(&reader, &common))
        case .eventCredit: request = .eventCredit(try EventCredit(&reader, &common))
        case .unsubscribeEvents: request = .unsubscribeEvents(try EventUnsubscription(&reader, &common))
        case .receipts: request = .receipts(try ReceiptBatch(&reader, &common))
        case .receiptDevices: request = .receiptDevices(try ReceiptsQuery(&reader, &common))
        case .statistics: request = .statistics(try StatisticsQuery(&reader, &common))
        case .devices: request = .devices(try DeviceListing(&reader, &common))
        default: throw WireFault(.unsupportedOpcode, text: "opcode \(opcode.rawValue) is not served")
        }
        return (request, common)
    }

    /// Reads a request's payload; `bytes` are not kept.
    package static func decode(
        _ opcode: Opcode,
        _ bytes: UnsafeRawBufferPointer
    ) throws(WireFault) -> (request: Request, common: CommonFields) {
        var app: AppID?
        return try decode(opcode, bytes, lastApp: &app)
    }

    private static func batch(
        _ reader: inout PayloadReader,
        _ common: inout CommonFields
    ) throws(WireFault) -> [Result<Registration, WireFault>] {
        var items: [Result<Registration, WireFault>] = []
        try reader.list("items", elementBytes: 4) { reader, index throws(WireFault) in
            let bytes = try reader.blob("items")
            if index < WireLimits.batch { items.append(item(bytes)) }
        } counted: { reader, count in
            guard !(1...WireLimits.batch).contains(count) else { return }
            let limit = WireLimits.batch
            reader.note("items", "\(count) items, not 1 to \(limit)", limit: count > limit ? UInt64(limit) : nil)
        }
        try common.finish(&reader)
        return items
    }

    private static func item(_ bytes: UnsafeRawBufferPointer) -> Result<Registration, WireFault> {
        var reader = PayloadReader(bytes)
        var common = CommonFields()
        do {
            return .success(try Registration(&reader, &common))
        } catch {
            return .failure(error)
        }
    }
}

extension Request {
    /// The request with a `limit` so small that the page it asks for is within `bytes` of payload, at least 4,096.
    package func answered(within bytes: UInt32) -> Request {
        func shorten(_ limit: inout UInt32, rowBytes: UInt32) {
            // The fields beside the rows: numbers, and the name after which the next page begins.
            limit = min(limit, max(1, (bytes - min(bytes, 256)) / rowBytes))
        }
        let nameBytes = UInt32(2 + WireLimits.nameBytes)
        switch self {
        case .memberships(var query):
            shorten(&query.limit, rowBytes: 2 * nameBytes)
            return .memberships(query)
        case .groupDevices(var query):
            shorten(&query.limit, rowBytes: 8)
            return .groupDevices(query)
        case .groups(var query):
            shorten(&query.limit, rowBytes: nameBytes + 9)
            return .groups(query)
        case .groupTopics(var query):
            shorten(&query.limit, rowBytes: nameBytes)
            return .groupTopics(query)
        case .topics(var query):
            shorten(&query.limit, rowBytes: nameBytes + 8)
            return .topics(query)
        case .topicDevices(var query):
            shorten(&query.limit, rowBytes: 8)
            return .topicDevices(query)
        case .messageOutcomes(var query):
            shorten(&query.limit, rowBytes: 9)
            return .messageOutcomes(query)
        case .quarantine(var query):
            shorten(&query.limit, rowBytes: 8)
            return .quarantine(query)
        case .devices(var query):
            shorten(&query.limit, rowBytes: DeviceRecordPage.rowBytes)
            return .devices(query)
        case .messages(var query):
            shorten(&query.limit, rowBytes: UInt32(MessageSummary.byteCount))
            return .messages(query)
        case .receiptDevices(var query):
            shorten(&query.limit, rowBytes: 8)
            return .receiptDevices(query)
        case .statistics(var query):
            let room = bytes - min(bytes, StatisticsQuery.otherBytes)
            query.limit = min(query.limit, max(1, room / StatisticsQuery.rowBytes))
            return .statistics(query)
        default:
            return self
        }
    }
}

extension FrameWriter {
    /// Appends a request.
    package mutating func request(_ request: Request, id: UInt64, common: CommonFields = CommonFields()) {
        frame(.request, opcode: request.opcode, id: id) { writer in
            switch request {
            case .hello(let hello): hello.write(&writer, common)
            case .authenticate(let authentication): authentication.write(&writer, common)
            case .register(let registration): registration.write(&writer, common)
            case .registerBatch(let items):
                writer.list(items.compactMap { try? $0.get() }) { writer, item in
                    writer.nested { item.write(&$0, CommonFields()) }
                }
                writer.tags(common)
            case .unregister(let unregistration): unregistration.write(&writer, common)
            case .lookup(let lookup): lookup.write(&writer, common)
            case .updateDevice(let change): change.write(&writer, common)
            case .memberships(let query): query.write(&writer, common)
            case .restore(let it): it.write(&writer, common)
            case .quarantine(let it): it.write(&writer, common)
            case .join(let join): join.write(&writer, common)
            case .leave(let leave): leave.write(&writer, common)
            case .switchGroup(let it): it.write(&writer, common)
            case .groupDevices(let query): query.write(&writer, common)
            case .groups(let query), .topics(let query): query.write(&writer, common)
            case .updateGroup(let update): update.write(&writer, common)
            case .groupTopics(let query): query.write(&writer, common)
            case .subscribe(let subscription), .unsubscribe(let subscription): subscription.write(&writer, common)
            case .topicDevices(let query): query.write(&writer, common)
            case .explain(let query): query.write(&writer, common)
            case .send(let message): message.write(&writer, common)
            case .messageStatus(let query): query.write(&writer, common)
            case .messageOutcomes(let query): query.write(&writer, common)
            case .messages(let it): it.write(&writer, common)
            case .updateMessage(let it): it.write(&writer, common)
            case .resend(let it): it.write(&writer, common)
            case .subscribeEvents(let it): it.write(&writer, common)
            case .eventCredit(let it): it.write(&writer, common)
            case .unsubscribeEvents(let it): it.write(&writer, common)
            case .receipts(let it): it.write(&writer, common)
            case .receiptDevices(let it): it.write(&writer, common)
            case .statistics(let it): it.write(&writer, common)
            case .devices(let it): it.write(&writer, common)
            }
        }
    }
}
