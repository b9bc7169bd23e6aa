import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

/// The size of pages. A page that is asked for with the greatest limit fits what the client accepts, whatever its rows
/// hold.
struct PagedOperationTests {
    private static let app = TestApps.game
    private static let longest = String(repeating: "g", count: 200)
    private static let group = GroupName(longest)!
    private static let topic = TopicName(longest)!
    private static let message = MessageID(rawValue: 7)

    /// Expects that a page fits the smallest receive limit; `page` makes a page of a number of the longest rows.
    private func expectFits<O: PagedOperation>(_ query: O, _ page: (Int) -> O.Answer) {
        #expect(query.boundingPage(toBytes: 1_048_576) == query)
        var writer = FrameWriter()
        writer.answer(page(Int(query.boundingPage(toBytes: 4_096).limit)), to: O.self, id: 1)
        let bytes = writer.bytes.count - FrameHeader.byteCount
        #expect((3_500...4_096).contains(bytes), "\(O.opcode.name): \(bytes)")
    }

    private func devices(_ count: Int) -> DeviceIDPage {
        DeviceIDPage(next: .max, devices: Array(repeating: DeviceID(rawValue: .max), count: count))
    }

    private func sets(_ count: Int) -> NamedSetPage {
        let row = NamedSetPage.Row(name: Self.longest, devices: .max, isMuted: true)
        return NamedSetPage(next: Self.longest, rows: Array(repeating: row, count: count))
    }

    @Test func `a page that is too long is asked for with fewer rows`() throws {
        let query = DevicesRequest(app: Self.app, limit: 1_000)
        // 4,096 bytes have a place for one of the longest rows; sixteen are tried first.
        var current = query.boundingUsualPage(toBytes: 4_096)
        #expect(current.limit == 16)
        var limits: [UInt32] = []
        let rowBytes = DevicesRequest.tableRow.rowBytes
        while let shorter = current.shrinkingPage(ofBytes: Int(current.limit * rowBytes), toBytes: 4_096) {
            current = shorter
            limits.append(current.limit)
        }
        #expect(limits == [1])
        #expect(query.boundingUsualPage(toBytes: 1_048_576).limit == 1_000)
        #expect(
            query.shrinkingPage(ofBytes: 2_097_152, toBytes: 1_048_576)?.limit == 522,
            "as many as the longest rows fit")
        #expect(query.shrinkingPage(ofBytes: 1_200_000, toBytes: 1_048_576)?.limit == 763)
    }

    @Test func `pages of devices fit the smallest receive limit`() {
        expectFits(QuarantineRequest(app: Self.app, limit: 1_000), devices)
        expectFits(GroupDevicesRequest(app: Self.app, group: Self.group, limit: 1_000), devices)
        expectFits(TopicDevicesRequest(app: Self.app, topic: Self.topic, limit: 1_000), devices)
        expectFits(ReceiptDevicesRequest(app: Self.app, id: Self.message, kind: .opened, limit: 1_000), devices)
    }

    @Test func `a page of channels fits the smallest receive limit`() {
        let channel = ChannelID(String(repeating: "c", count: ChannelID.maximumBytes))!
        expectFits(ChannelsRequest(app: Self.app, environment: .production, limit: 1_000)) { count in
            ChannelPage(next: channel.text, channels: Array(repeating: channel, count: count))
        }
    }

    @Test func `pages of names fit the smallest receive limit`() {
        expectFits(GroupsRequest(app: Self.app, limit: 1_000), sets)
        expectFits(TopicsRequest(app: Self.app, limit: 1_000), sets)
        expectFits(GroupTopicsRequest(app: Self.app, group: Self.group, limit: 1_000)) { count in
            GroupTopicsAnswer(next: Self.longest, topics: Array(repeating: Self.topic, count: count))
        }
        let device = DeviceID(rawValue: 1)
        expectFits(MembershipsRequest(app: Self.app, device: .id(device), limit: 1_000)) { count in
            let row = Memberships.TopicMembership(topic: Self.topic, source: Self.group)
            return Memberships(
                device: device, isMuted: false, groups: [], topics: Array(repeating: row, count: count),
                next: Self.topic)
        }
    }

    @Test func `pages of messages fit the smallest receive limit`() {
        expectFits(MessageOutcomesRequest(app: Self.app, id: Self.message, limit: 1_000)) { count in
            let row = RecipientOutcome(device: nil, outcome: .delivered)
            return RecipientOutcomePage(next: .max, recipients: Array(repeating: row, count: count))
        }
        let row = MessageSummary(
            id: MessageID(rawValue: .max), state: .paused, acceptedAt: .zero, pushType: .alert, lane: .bulk,
            total: .max, ended: .max, delivered: .max, failed: .max,
            label: String(repeating: "l", count: Message.maximumLabelBytes),
            sender: String(repeating: "s", count: Principal.maximumNameBytes))
        expectFits(MessagesRequest(app: Self.app, limit: 1_000)) { count in
            MessagesAnswer(next: .max, messages: Array(repeating: row, count: count))
        }
    }

    @Test func `the longest trace has at most 21504 bytes`() {
        let attempt = TraceAttempt(
            endedAt: .zero, connectionNumber: .max, status: .max, reason: String(repeating: "r", count: 65),
            uniqueID: String(repeating: "u", count: TraceAttempt.maximumUniqueIDBytes))
        var trace = MessageTrace(
            device: DeviceID(rawValue: .max), state: .paused, addressing: .recipient, outcome: .pending)
        trace.isQuarantined = true
        trace.isMuted = true
        trace.sources = Array(
            repeating: .topic(Self.topic, through: Self.group), count: MessageTrace.maximumSources)
        trace.mutedGroups = Array(repeating: Self.group, count: MessageTrace.maximumSources)
        trace.language = String(repeating: "l", count: 35)
        trace.silentBudgetLeft = .max
        trace.attempts = Array(repeating: attempt, count: MessageTrace.maximumAttempts)
        trace.nextAttemptAt = .zero
        let bytes = EncodedAnswer(trace, to: TraceRequest.self).payload.count
        #expect((20_480...21_504).contains(bytes), "\(bytes)")
    }

    /// Each device has the most data that a device may have, so the largest frame has fewer devices than a client may
    /// request.
    @Test(arguments: [4_096, 65_536, 1_048_576] as [UInt32])
    func `a page of the largest devices fits`(_ room: UInt32) throws {
        var device = DeviceRecord(
            id: DeviceID(rawValue: .max),
            address: DeviceAddress(
                environment: .sandbox, kind: .complication,
                token: try #require(DeviceToken(Array(repeating: 1, count: DeviceToken.maximumBytes)))),
            registeredAt: .zero, seenAt: .zero, state: .quarantined, locale: String(repeating: "l", count: 35),
            timeZone: String(repeating: "z", count: 64), isMuted: true)
        try device.attributes.merge(
            try (0..<Attributes.maximumCount).map { index in
                let key = String(repeating: "k", count: AttributeKey.maximumBytes - 1) + String(index, radix: 16)
                let value = String(repeating: "v", count: AttributeValue.maximumBytes)
                return try #require(AttributeChange(key: key, value: value))
            })
        let query = DevicesRequest(app: Self.app, limit: 1_000).boundingPage(toBytes: room)
        let page = DevicePage(next: .max, devices: Array(repeating: device, count: Int(query.limit)))
        var writer = FrameWriter()
        writer.answer(page, to: DevicesRequest.self, id: 1)
        let bytes = writer.bytes.count - FrameHeader.byteCount
        #expect(bytes <= room)
        let row = DevicesRequest.tableRow
        #expect(bytes + Int(2 * row.rowBytes + row.otherBytes) > room, "at most one row that would fit is left out")
    }
}
