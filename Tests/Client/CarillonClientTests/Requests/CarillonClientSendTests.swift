import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game
private let phone = DeviceReference.id(DeviceID(rawValue: 7))
private let messageID = MessageID(rawValue: 42)
private let user = GroupName("user/42")!
private let role = GroupName("role/9001")!

/// The requests that sends make of content, audience and options.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct CarillonClientSendTests {
    @Test func `a send carries time, pace and budget options`() async throws {
        let content = MessageContent(
            app: app, pushType: .background, payload: Array(#"{"aps":{"content-available":1}}"#.utf8), idKey: "mid",
            overBudget: .wait)
        let wanted = Message(
            idempotencyKey: .random(), content: content, audience: .all, sendAt: Timestamp(milliseconds: 5), pace: 100)
        let answer = SendResult(id: messageID, isDuplicate: false, total: 1, ended: 0)
        let made = try await requests([AnyAnswer(answer, to: SendRequest.self)]) { client in
            _ = try await client.send(wanted)
        }
        #expect(made == [AnyRequest(wanted)])
    }

    @Test func `both forms of a send of an app have all options`() async throws {
        let options = SendOptions(
            priority: .powerAware, collapseID: "raid", expiration: .at(seconds: 9),
            notAfter: Timestamp(milliseconds: 8), lane: .bulk, sendAt: Timestamp(milliseconds: 7), pace: 500,
            overBudget: .wait, label: "evening",
            traceParent: TraceParent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), idKey: "id",
            isDryRun: true, key: .bytes(UUIDBytes(high: 1, low: 2)))
        let notification = PushNotification.alert(body: "21:00")
        let payload = Array(#"{"aps":{"alert":"21:00"}}"#.utf8)
        let answer = AnyAnswer(SendResult(id: messageID, isDuplicate: false, total: 1, ended: 0), to: SendRequest.self)
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
            excludedDevice: .id(DeviceID(rawValue: 7)), notAfter: options.notAfter, lane: .bulk, sendAt: options.sendAt,
            pace: 500, label: "evening", traceParent: options.traceParent, isDryRun: true)
        #expect(made == [AnyRequest(wanted), AnyRequest(wanted)])
    }

    @Test func `options used twice have a random key for each message`() async throws {
        let options = SendOptions(lane: .bulk)
        let answer = AnyAnswer(SendResult(id: messageID, isDuplicate: false, total: 1, ended: 0), to: SendRequest.self)
        let made = try await requests([answer, answer]) { client in
            for _ in 0..<2 { try await client.app(app).send(.alert(body: "21:00"), to: .all, options: options) }
        }
        #expect(Set(made).count == 2)
    }

    @Test func `a send of an app has the options of a message`() async throws {
        let key = UUIDBytes(high: 1, low: 2)
        let payload = Array(#"{"aps":{"content-available":1}}"#.utf8)
        let android = AndroidContent.overrides(Array(#"{"ttl":"60s"}"#.utf8))
        let answer = SendResult(id: messageID, isDuplicate: false, total: 1, ended: 0)
        let made = try await requests([AnyAnswer(answer, to: SendRequest.self)]) { client in
            try await client.app(app).send(
                payload: payload, to: .devices([phone]), type: .background, android: android,
                options: .init(priority: .never, overBudget: .wait, key: .bytes(key)))
        }
        let content = MessageContent(
            app: app, pushType: .background, priority: .never, payload: payload, overBudget: .wait, android: android)
        #expect(made == [AnyRequest(Message(idempotencyKey: key, content: content, audience: .devices([phone])))])
    }

    @Test func `a send of an app has what browsers get`() async throws {
        let key = UUIDBytes(high: 1, low: 2)
        let payload = Array(#"{"aps":{"alert":"a"}}"#.utf8)
        let web = WebContent.overrides(Array(#"{"ttl":60}"#.utf8))
        let answer = SendResult(id: messageID, isDuplicate: false, total: 1, ended: 0)
        let made = try await requests([AnyAnswer(answer, to: SendRequest.self)]) { client in
            try await client.app(app).send(
                payload: payload, to: .all, web: web, options: .init(key: .bytes(key)))
        }
        let content = MessageContent(app: app, pushType: .alert, payload: payload, web: web)
        #expect(made == [AnyRequest(Message(idempotencyKey: key, content: content, audience: .all))])
    }

    @Test func `a send to groups carries audience, exception and translations`() async throws {
        let content = try MessageContent(
            app: app,
            notification: PushNotification(alert: .init(body: "Hello"), badge: 1),
            translations: ["zh": .init(body: "你好")],
            hasDefault: false
        )
        let message = Message(
            idempotencyKey: .random(), content: content, audience: .groups([user, role]), excludedDevice: phone,
            isDryRun: true)
        let answer = SendResult(id: MessageID(rawValue: 0), isDuplicate: false, total: 12, ended: 0)
        let (request, acceptance) = try await exchange(AnyAnswer(answer, to: SendRequest.self)) {
            client throws(CarillonError) in
            try await client.send(message)
        }
        #expect(request == AnyRequest(message))
        #expect(acceptance.total == 12)
        #expect(content.payload.isEmpty)
        #expect(
            content.bodies.map { String(decoding: $0.payload, as: UTF8.self) } == [#"{"aps":{"alert":"你好","badge":1}}"#]
        )
    }
}
