import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game
private let message = MessageID(rawValue: 42)
private let phone = DeviceReference.id(DeviceID(rawValue: 7))

/// Returns the requests that calls make, one after the other; `answers` are the answers of the server.
private func requests(
    _ answers: [AnyAnswer],
    _ calls: @escaping @Sendable (CarillonClient) async throws -> Void
) async throws -> [AnyRequest] {
    let server = try await ScriptedServer.start()
    let client = CarillonClient(
        configuration: .init(address: .tcp(host: "127.0.0.1", port: server.port), security: .plaintext))
    async let done: Void = calls(client)
    let peer = try await server.accept()
    var requests: [AnyRequest] = []
    for answer in answers {
        let (id, request) = try await peer.request()
        requests.append(request)
        peer.answer(id, answer)
    }
    try await done
    return requests
}

/// The calls that update, resend, trace and list messages, read statistics, list devices, release them from quarantine,
/// and report and list receipts; and the options of SEND.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct ClientMessageUpdateTests {
    @Test(arguments: [.cancel, .pause, .resume, .pace(500), .pace(nil)] as [MessageUpdate])
    func aMessageUpdateIsOneRequestAndReturnsTheState(_ messageUpdate: MessageUpdate) async throws {
        let made = try await requests([AnyAnswer(MessageState.paused, to: UpdateMessageRequest.self)]) { client in
            let state = try await client.updateMessage(message, app: app, messageUpdate)
            #expect(state == .paused)
        }
        #expect(made == [AnyRequest(UpdateMessageRequest(app: app, id: message, messageUpdate: messageUpdate))])
    }

    @Test func aResendThatWasLostIsRepeatedWithItsKey() async throws {
        let server = try await ScriptedServer.start()
        let client = CarillonClient(
            configuration: .init(address: .tcp(host: "127.0.0.1", port: server.port), security: .plaintext))
        async let accepted = client.resend(message, app: app, to: [.gaveUp], notAfter: Timestamp(milliseconds: 9))
        let first = try await server.accept()
        let resend = try await first.request(ResendRequest.self).request
        #expect(resend.idempotencyKey != nil)
        #expect(resend.outcomes == [.gaveUp])
        #expect(resend.notAfter == Timestamp(milliseconds: 9))
        first.close()
        let second = try await server.accept()
        let (id, request) = try await second.request()
        #expect(request == AnyRequest(resend))
        second.answer(
            id, Acceptance(id: MessageID(rawValue: 43), isDuplicate: true, total: 2, ended: 0), to: ResendRequest.self)
        #expect(try await accepted.id == MessageID(rawValue: 43))
    }

    @Test func aMessageIsTraced() async throws {
        var sent = MessageTrace(
            device: DeviceID(rawValue: 7), state: .sending, addressing: .addressed, outcome: .pending)
        sent.sources = [.topic(TopicName("level5")!, through: GroupName("user/42"))]
        sent.language = ""
        sent.attempts = [
            TracedAttempt(at: Timestamp(milliseconds: 5), connection: 3, status: 503, reason: "Shutdown")
        ]
        sent.nextAttemptAt = Timestamp(milliseconds: 9)
        let trace = sent
        let made = try await requests([AnyAnswer(trace, to: TraceRequest.self)]) { client in
            let traced = try await client.trace(message, device: phone, app: app)
            #expect(traced == trace)
        }
        #expect(made == [AnyRequest(TraceRequest(app: app, id: message, device: phone))])
    }

    @Test func messagesAreListedPageByPage() async throws {
        let rows = [9, 8, 3].map { number in
            MessageSummary(
                id: MessageID(rawValue: number), state: .sending, acceptedAt: Timestamp(milliseconds: number),
                pushType: .alert, lane: .bulk, total: 5, ended: 1)
        }
        let pages = [
            MessagesAnswer(next: 8, messages: Array(rows[..<2])), MessagesAnswer(next: 0, messages: [rows[2]]),
        ]
        let made = try await requests(pages.map { AnyAnswer($0, to: MessagesRequest.self) }) { client in
            var listed: [MessageSummary] = []
            for try await row in client.messages(of: app) { listed.append(row) }
            #expect(listed == rows)
        }
        #expect(made == [0, 8].map { AnyRequest(MessagesRequest(app: app, before: $0, limit: 1_000)) })
    }

    /// A page with filters can be empty although others follow.
    @Test func filteredMessagesAreListedBeyondAnEmptyPage() async throws {
        let row = MessageSummary(
            id: MessageID(rawValue: 3), state: .finished, acceptedAt: Timestamp(milliseconds: 3), pushType: .alert,
            lane: .bulk, total: 5, ended: 5, delivered: 4, failed: 1, label: "Raid at 21:00", sender: "live-ops")
        let pages = [MessagesAnswer(next: 8, messages: []), MessagesAnswer(next: 0, messages: [row])]
        let made = try await requests(pages.map { AnyAnswer($0, to: MessagesRequest.self) }) { client in
            var listed: [MessageSummary] = []
            let listing = client.messages(of: app, state: .finished, sender: "live-ops", label: "Raid")
            for try await row in listing { listed.append(row) }
            #expect(listed == [row])
        }
        let filter = MessageFilter(state: .finished, sender: "live-ops", labelPrefix: "Raid")
        #expect(
            made
                == [0, 8].map { AnyRequest(MessagesRequest(app: app, before: $0, limit: 1_000, filter: filter)) })
    }

    @Test func statisticsAreAskedForWithABound() async throws {
        var told = ServerStatistics(at: Timestamp(milliseconds: 9), startedAt: .zero, software: "scripted/1")
        told.requests = [.init(opcode: 0x50, error: nil, count: 1, microseconds: 2)]
        let made = try await requests([
            AnyAnswer(told, to: StatisticsRequest.self), AnyAnswer(told, to: StatisticsRequest.self),
        ]) { [told] client in
            let statistics = try await client.statistics()
            #expect(statistics == told)
            #expect(statistics.requests[0].operation == "send")
            _ = try await client.statistics(limit: 5_000)
        }
        #expect(made == [1_000, 1_000].map { AnyRequest(StatisticsRequest(limit: $0)) })
    }

    @Test func quarantinedDevicesAreListedAndRestored() async throws {
        let pages = [
            DevicePage(next: 9, devices: [DeviceID(rawValue: 7)]),
            DevicePage(next: 0, devices: [DeviceID(rawValue: 9)]),
        ]
        let answers =
            pages.map { AnyAnswer($0, to: QuarantineRequest.self) } + [
                AnyAnswer(DeviceID(rawValue: 7), to: RestoreRequest.self)
            ]
        let made = try await requests(answers) { client in
            var listed: [UInt64] = []
            for try await id in client.quarantine(of: app) { listed.append(id.rawValue) }
            #expect(listed == [7, 9])
            #expect(try await client.restore(phone, app: app) == DeviceID(rawValue: 7))
        }
        #expect(
            made
                == [0, 9].map { AnyRequest(QuarantineRequest(app: app, cursor: $0, limit: 1_000)) }
                + [AnyRequest(RestoreRequest(app: app, device: phone))])
    }

    @Test func allDevicesAreListed() async throws {
        let token = try #require(DeviceToken([1, 2]))
        let devices = [7, 9].map { id in
            Device(
                id: DeviceID(rawValue: id),
                address: DeviceAddress(environment: .production, kind: .device, token: token),
                registeredAt: .zero, seenAt: .zero, state: .quarantined, locale: "zh", isMuted: true)
        }
        let pages = [
            DeviceRecordPage(next: 9, devices: [devices[0]]), DeviceRecordPage(next: 0, devices: [devices[1]]),
        ]
        let made = try await requests(pages.map { AnyAnswer($0, to: DevicesRequest.self) }) { client in
            var listed: [Device] = []
            for try await device in client.devices(of: app) { listed.append(device) }
            #expect(listed == devices)
        }
        #expect(made == [0, 9].map { AnyRequest(DevicesRequest(app: app, cursor: $0, limit: 1_000)) })
    }

    @Test func manyReceiptsAreToldInBatchesAndUnknownOnesNamedByTheirPlaceInAll() async throws {
        let receipts = (0..<2_500 as Range<UInt64>).map {
            Receipt(message: message, device: .id(DeviceID(rawValue: $0)), kind: .opened)
        }
        let answers = [1_000, 999, 500].map {
            AnyAnswer(ReceiptsAnswer(counted: $0, unknown: [1]), to: ReceiptsRequest.self)
        }
        let made = try await requests(answers) { client in
            let result = try await client.report(receipts, app: app)
            #expect(result == ReceiptResult(counted: 2_499, unknown: [1, 1_001, 2_001]))
        }
        let sent = made.flatMap { request in
            request.as(ReceiptsRequest.self)?.receipts ?? []
        }
        #expect(sent == receipts)
    }

    @Test func devicesWithAReceiptAreListed() async throws {
        let made = try await requests([
            AnyAnswer(DevicePage(next: 0, devices: [DeviceID(rawValue: 7)]), to: ReceiptDevicesRequest.self)
        ]) {
            client in
            var listed: [UInt64] = []
            for try await id in client.devices(withReceipt: .received, of: message, app: app) {
                listed.append(id.rawValue)
            }
            #expect(listed == [7])
        }
        #expect(made == [AnyRequest(ReceiptDevicesRequest(app: app, id: message, kind: .received, limit: 1_000))])
    }

    @Test func aSendCarriesTimePaceAndBudgetOptions() async throws {
        var wanted = Message(
            idempotencyKey: .random(),
            content: MessageContent(app: app, pushType: .background, payload: Array("{}".utf8)),
            audience: .all, sendAt: Timestamp(milliseconds: 5), pace: 100)
        wanted.content.payload = Array(#"{"aps":{"content-available":1}}"#.utf8)
        wanted.content.idKey = "mid"
        wanted.content.overBudget = .wait
        let order = wanted
        let answer = Acceptance(id: message, isDuplicate: false, total: 1, ended: 0)
        let made = try await requests([AnyAnswer(answer, to: SendRequest.self)]) { client in
            _ = try await client.send(order)
        }
        #expect(made == [AnyRequest(wanted)])
    }

    @Test func bothFormsOfASendOfAnAppHaveAllOptions() async throws {
        let options = SendOptions(
            priority: .powerAware, collapseID: "raid", expiration: .at(seconds: 9),
            notAfter: Timestamp(milliseconds: 8), lane: .bulk, sendAt: Timestamp(milliseconds: 7), pace: 500,
            overBudget: .wait, label: "evening",
            traceParent: TraceParent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), idKey: "id",
            isDryRun: true, key: .bytes(UUIDBytes(high: 1, low: 2)))
        let notification = PushNotification.alert(body: "21:00")
        let payload = Array(#"{"aps":{"alert":"21:00"}}"#.utf8)
        let answer = AnyAnswer(Acceptance(id: message, isDuplicate: false, total: 1, ended: 0), to: SendRequest.self)
        let made = try await requests([answer, answer]) { client in
            let game = client.app(app)
            try await game.send(notification, to: .all, except: .id(DeviceID(rawValue: 7)), options: options)
            try await game.send(payload: payload, to: .all, except: .id(DeviceID(rawValue: 7)), options: options)
        }
        let content = MessageContent(
            app: app, pushType: .alert, priority: options.priority, expiration: options.expiration,
            collapseID: "raid", payload: payload, idKey: "id", overBudget: .wait)
        let wanted = Message(
            idempotencyKey: UUIDBytes(high: 1, low: 2), content: content, audience: .all,
            excludedDevice: .id(DeviceID(rawValue: 7)),
            notAfter: options.notAfter, lane: .bulk, sendAt: options.sendAt, pace: 500, label: "evening",
            traceParent: options.traceParent, isDryRun: true)
        #expect(made == [AnyRequest(wanted), AnyRequest(wanted)])
    }

    @Test func optionsUsedTwiceHaveARandomKeyForEachMessage() async throws {
        let options = SendOptions(lane: .bulk)
        let answer = AnyAnswer(Acceptance(id: message, isDuplicate: false, total: 1, ended: 0), to: SendRequest.self)
        let made = try await requests([answer, answer]) { client in
            for _ in 0..<2 { try await client.app(app).send(.alert(body: "21:00"), to: .all, options: options) }
        }
        #expect(Set(made).count == 2)
    }

    @Test func aSendOfAnAppHasTheOptionsOfAMessage() async throws {
        let key = UUIDBytes(high: 1, low: 2)
        let payload = Array(#"{"aps":{"content-available":1}}"#.utf8)
        let android = AndroidContent.overrides(Array(#"{"ttl":"60s"}"#.utf8))
        let answer = Acceptance(id: message, isDuplicate: false, total: 1, ended: 0)
        let made = try await requests([AnyAnswer(answer, to: SendRequest.self)]) { client in
            try await client.app(app).send(
                payload: payload, to: .devices([phone]), type: .background, android: android,
                options: .init(priority: .never, overBudget: .wait, key: .bytes(key)))
        }
        let content = MessageContent(
            app: app, pushType: .background, priority: .never, payload: payload, overBudget: .wait,
            android: android)
        #expect(made == [AnyRequest(Message(idempotencyKey: key, content: content, audience: .devices([phone])))])
    }

    @Test func aSendOfAnAppHasWhatBrowsersGet() async throws {
        let key = UUIDBytes(high: 1, low: 2)
        let payload = Array(#"{"aps":{"alert":"a"}}"#.utf8)
        let web = WebContent.overrides(Array(#"{"ttl":60}"#.utf8))
        let answer = Acceptance(id: message, isDuplicate: false, total: 1, ended: 0)
        let made = try await requests([AnyAnswer(answer, to: SendRequest.self)]) { client in
            try await client.app(app).send(
                payload: payload, to: .all, web: web, options: .init(key: .bytes(key)))
        }
        let content = MessageContent(app: app, pushType: .alert, payload: payload, web: web)
        #expect(made == [AnyRequest(Message(idempotencyKey: key, content: content, audience: .all))])
    }
}
