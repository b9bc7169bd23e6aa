package import CarillonCore

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

    /// Its opcode: that of its request.
    package var opcode: Opcode {
        switch self {
        case .welcome: .hello
        case .identity: .authenticate
        case .registered: .register
        case .registeredBatch: .registerBatch
        case .unregistered: .unregister
        case .device: .lookup
        case .updated: .updateDevice
        case .memberships: .memberships
        case .restored: .restore
        case .quarantine: .quarantine
        case .joined: .join
        case .left: .leave
        case .switched: .switchGroup
        case .groupDevices: .groupDevices
        case .groups: .groups
        case .groupUpdated: .updateGroup
        case .groupTopics: .groupTopics
        case .subscribed: .subscribe
        case .unsubscribed: .unsubscribe
        case .topics: .topics
        case .topicDevices: .topicDevices
        case .explained: .explain
        case .accepted: .send
        case .status: .messageStatus
        case .outcomes: .messageOutcomes
        case .messages: .messages
        case .messageUpdated: .updateMessage
        case .resent: .resend
        case .eventsSubscribed: .subscribeEvents
        case .eventsCredited: .eventCredit
        case .eventsUnsubscribed: .unsubscribeEvents
        case .receiptsCounted: .receipts
        case .receiptDevices: .receiptDevices
        case .statistics: .statistics
        case .devices: .devices
        }
    }

    /// Reads a response's payload; `bytes` are not kept. Tags that are not known are skipped.
    package static func decode(_ opcode: Opcode, _ bytes: UnsafeRawBufferPointer) throws(WireFault) -> Response {
        var reader = PayloadReader(bytes)
        switch opcode {
        case .hello: return .welcome(try Welcome(&reader))
        case .authenticate: return .identity(try Identity(&reader))
        case .register:
            let id = DeviceID(rawValue: try reader.u64("device_id"))
            let result = RegistrationResult(rawValue: try reader.u8("result"))
            try reader.finish(ignoringUnknown: true) { _, _, _ in false }
            return .registered(id, result)
        case .registerBatch: return .registeredBatch(try batch(&reader))
        case .unregister:
            let id = try reader.u64("device_id")
            let result = try reader.u8("result")
            if !(1...2).contains(result) { reader.note("result", "result \(result) is not known") }
            try reader.finish(ignoringUnknown: true) { _, _, _ in false }
            return .unregistered(result == 1 ? DeviceID(rawValue: id) : nil)
        case .lookup: return .device(try Device(&reader))
        case .updateDevice:
            let id = DeviceID(rawValue: try reader.u64("device_id"))
            try reader.finish(ignoringUnknown: true) { _, _, _ in false }
            return .updated(id)
        case .memberships: return .memberships(try Memberships(&reader))
        case .restore:
            let id = DeviceID(rawValue: try reader.u64("device_id"))
            try reader.finish(ignoringUnknown: true) { _, _, _ in false }
            return .restored(id)
        case .quarantine: return .quarantine(try DevicePage(&reader))
        case .join: return .joined(try Joined(&reader))
        case .leave: return .left(try MembershipChange(&reader, "left"))
        case .switchGroup: return .switched(try Switched(&reader))
        case .groupDevices: return .groupDevices(try DevicePage(&reader))
        case .groups: return .groups(try NamedSetPage(groups: &reader))
        case .updateGroup:
            let devices = try reader.u64("devices")
            try reader.finish(ignoringUnknown: true) { _, _, _ in false }
            return .groupUpdated(devices: devices)
        case .groupTopics: return .groupTopics(try TopicPage(&reader))
        case .subscribe: return .subscribed(try MembershipChange(&reader, "changed"))
        case .unsubscribe: return .unsubscribed(try MembershipChange(&reader, "changed"))
        case .topics: return .topics(try NamedSetPage(topics: &reader))
        case .topicDevices: return .topicDevices(try DevicePage(&reader))
        case .explain: return .explained(try Explanation(&reader))
        case .send: return .accepted(try Acceptance(&reader))
        case .messageStatus: return .status(try MessageStatus(&reader))
        case .messageOutcomes: return .outcomes(try RecipientOutcomePage(&reader))
        case .messages: return .messages(try MessagePage(&reader))
        case .updateMessage:
            let state = try reader.messageState()
            try reader.finish(ignoringUnknown: true) { _, _, _ in false }
            return .messageUpdated(state)
        case .resend: return .resent(try Acceptance(&reader))
        case .subscribeEvents:
            let after = try reader.u64("after")
            try reader.finish(ignoringUnknown: true) { _, _, _ in false }
            return .eventsSubscribed(after: after)
        case .eventCredit:
            try reader.finish(ignoringUnknown: true) { _, _, _ in false }
            return .eventsCredited
        case .unsubscribeEvents:
            try reader.finish(ignoringUnknown: true) { _, _, _ in false }
            return .eventsUnsubscribed
        case .receipts: return .receiptsCounted(try ReceiptCount(&reader))
        case .receiptDevices: return .receiptDevices(try DevicePage(&reader))
        case .statistics: return .statistics(try ServerStatistics(&reader))
        case .devices: return .devices(try DeviceRecordPage(&reader))
        default: throw WireFault(.unsupportedOpcode, text: "a response of opcode \(opcode.rawValue)")
        }
    }

    private static func batch(_ reader: inout PayloadReader) throws(WireFault) -> [BatchItemResult] {
        var results: [BatchItemResult] = []
        try reader.list("results", elementBytes: 11) { reader, _ throws(WireFault) in
            let code = ErrorCode(rawValue: try reader.u16("code"))
            let id = DeviceID(rawValue: try reader.u64("device_id"))
            if code.rawValue == 0 {
                results.append(.registered(id, RegistrationResult(rawValue: try reader.u8("result"))))
            } else {
                _ = try reader.u8("result")
                results.append(.refused(code))
            }
        }
        try reader.finish(ignoringUnknown: true) { _, _, _ in false }
        return results
    }
}

extension FrameWriter {
    /// Appends the response to the request `id`.
    package mutating func response(_ response: Response, id: UInt64) {
        frame(.response, opcode: response.opcode, id: id) { writer in
            switch response {
            case .welcome(let welcome): welcome.write(&writer)
            case .identity(let identity): identity.write(&writer)
            case .registered(let device, let result):
                writer.u64(device.rawValue)
                writer.u8(result.rawValue)
            case .registeredBatch(let results): writer.list(results) { $0.batchResult($1) }
            case .unregistered(let device):
                writer.u64(device?.rawValue ?? 0)
                writer.u8(device == nil ? 2 : 1)
            case .device(let device): device.write(&writer)
            case .updated(let device), .restored(let device): writer.u64(device.rawValue)
            case .memberships(let memberships): memberships.write(&writer)
            case .joined(let answer): answer.write(&writer)
            case .left(let change), .subscribed(let change), .unsubscribed(let change): change.write(&writer)
            case .switched(let answer): answer.write(&writer)
            case .groupDevices(let page), .topicDevices(let page), .quarantine(let page), .receiptDevices(let page):
                page.write(&writer)
            case .groups(let page): page.write(groups: &writer)
            case .groupUpdated(let devices): writer.u64(devices)
            case .groupTopics(let page): page.write(&writer)
            case .topics(let page): page.write(topics: &writer)
            case .explained(let explanation): explanation.write(&writer)
            case .accepted(let acceptance), .resent(let acceptance): acceptance.write(&writer)
            case .status(let status): status.write(&writer)
            case .outcomes(let page): page.write(&writer)
            case .messages(let page): page.write(&writer)
            case .messageUpdated(let state): writer.u8(state.rawValue)
            case .eventsSubscribed(let after): writer.u64(after)
            case .eventsCredited, .eventsUnsubscribed: break
            case .receiptsCounted(let count): count.write(&writer)
            case .statistics(let it): it.write(&writer)
            case .devices(let page): page.write(&writer)
            }
        }
    }

    private mutating func batchResult(_ result: BatchItemResult) {
        switch result {
        case .registered(let device, let result):
            u16(0)
            u64(device.rawValue)
            u8(result.rawValue)
        case .refused(let code):
            u16(code.rawValue)
            u64(0)
            u8(0)
        }
    }
}
