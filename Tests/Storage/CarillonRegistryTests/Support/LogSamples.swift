import CarillonCore
import CarillonRegistryTestKit
import CarillonWire

@testable import CarillonRegistry

/// A mutation with a name. `all` has at least one mutation of each form in the log.
struct LogSample: Sendable, CustomStringConvertible {
    let name: String
    let mutation: Mutation
    /// The bytes of the mutation, as the log writes it.
    let bytes: [UInt8]

    init(_ name: String, _ mutation: Mutation) {
        var frames = FrameWriter()
        ChangeRecordCodec.append(mutation, to: &frames)
        self.name = name
        self.mutation = mutation
        bytes = frames.bytes
    }

    init(_ name: String, _ change: Change) { self.init(name, .change(change)) }

    /// Makes a sample in the log's own form, although the log writes the request.
    init(_ name: String, ownFormOf change: Change) {
        var frames = FrameWriter()
        FormWriter.append(change, to: &frames)
        self.name = name
        mutation = .change(change)
        bytes = frames.bytes
    }

    var description: String { name }

    static let all = devices + memberships + messages + outcomes + others

    private static let devices = [
        LogSample(
            "a registration as its request",
            .register(
                1, seenAt: 5, replaces: 2, locale: "de", attributes: ["a": "b"], topics: ["x", "y"], groups: ["g"],
                now: 77)),
        LogSample("a short registration as its request", .register(1)),
        LogSample("a registration of Android as its request", android(replaces: nil)),
        LogSample("a registration with a token that is not valid for its kind", .register(1, kind: .fcm)),
        LogSample("a registration of Android in the log's own form", ownFormOf: android(replaces: "c:old")),
        LogSample("a registration of a browser as its request", browser(replaces: nil)),
        LogSample("a registration of a browser in the log's own form", ownFormOf: browser(replaces: 9)),
        LogSample("an unregistration as its request", .unregister(1, at: 3, now: 9)),
        LogSample("an unregistration of an id as its request", .unregister(id: 4)),
        LogSample(
            "an update as its request", .updateDevice(1, locale: "", attributes: ["k": "v"], isMuted: false)),
        LogSample("a registration with more topics than a request has", many(topics: 65)),
        LogSample(
            "a registration that replaces its own token",
            .register(3, replaces: 3, locale: "zh-Hant-TW", attributes: ["a": ""])),
        LogSample("an update of a reserved attribute", .updateDevice(1, attributes: ["locale": "de"], isMuted: true)),
        LogSample("an update with a locale that is not valid", .updateDevice(1, locale: "ä", attributes: [:])),
        LogSample("an unregistration in the log's own form", ownFormOf: .unregister(1, at: 3, now: 9)),
        LogSample("an update in the log's own form", ownFormOf: .updateDevice(1, locale: "de", isMuted: false)),
        LogSample("a restoration", .restore(RestoreRequest(app: game, device: .id(deviceID(7))), now: timestamp(11))),
        LogSample(
            "a restoration by token", .restore(RestoreRequest(app: game, device: byToken(1)), now: timestamp(11))),
    ]

    private static let memberships = [
        LogSample("a join as its request", .join("g", devices: [byToken(1), .id(deviceID(9))])),
        LogSample("a leave as its request", .leave("g", devices: [byToken(1)], clearsTopics: true)),
        LogSample("a subscription as its request", .subscribe(["a", "b"], devices: [byToken(1)], groups: ["g"])),
        LogSample("an end of a subscription as its request", .unsubscribe(["a"], groups: ["g"])),
        LogSample(
            "a join with every field",
            .join(
                JoinRequest(
                    app: game, group: "raid/7", devices: [byToken(1), .id(deviceID(2))],
                    leaving: "raid/6",
                    announcement: content()),
                sender: "shop", now: timestamp(1_000))),
        LogSample("a join that leaves", .join("g", devices: [byToken(1)], leaving: "h")),
        LogSample("a join of no device", .join("g", devices: [])),
        LogSample("a leave of no device", .leave("g", devices: [])),
        LogSample("a subscription of no device", .subscribe(["a"])),
        LogSample("an end of no subscription", .unsubscribe([])),
        LogSample("a group that is muted", .mute("g")),
        LogSample("a group that is not muted any more", .updateGroup("g", isMuted: false)),
        LogSample("a group that is counted", .updateGroup("g", isMuted: nil)),
    ]

    private static let messages = [
        LogSample(
            "a message to devices",
            .accept(.sample(to: [byToken(1), .id(deviceID(2))], key: 5), now: timestamp(1))),
        LogSample("a message with every field", .accept(fullMessage, sender: "live-ops", now: timestamp(1_000))),
        LogSample("a message of a trace", .accept(tracedMessage, now: timestamp(1))),
        LogSample("a message to a topic", .accept(.sample(to: .topic("t")), now: timestamp(1))),
        LogSample(
            "a message with overrides for Android",
            .accept(forAndroid(.overrides(Array("{}".utf8))), now: timestamp(1))),
        LogSample("a message that is raw for Android", .accept(forAndroid(.raw(Array("{}".utf8))), now: timestamp(1))),
        LogSample(
            "a message with overrides for browsers",
            .accept(forAndroid(nil, forWeb: .overrides(Array("{}".utf8))), now: timestamp(1))),
        LogSample(
            "a message that is raw for Android and for browsers",
            .accept(forAndroid(.raw(Array("{}".utf8)), forWeb: .raw(Array("{}".utf8))), now: timestamp(1))),
        LogSample("a broadcast push", .accept(.broadcast(), now: timestamp(1))),
        LogSample(
            "a message to groups", .accept(.sample(to: .groups(["g", "h"])), now: timestamp(1))),
        LogSample(
            "a silent message to all", .accept(.sample(to: .all, pushType: .background), now: timestamp(1))),
        LogSample("the size of an audience", .setAudienceCount(first, devices: 1_000_000)),
        LogSample("a resend", .resend(ResendRequest(app: game, id: first), now: timestamp(2))),
        LogSample(
            "a resend with every field",
            .resend(
                ResendRequest(
                    app: game, id: first, idempotencyKey: UUIDBytes(high: 1, low: 2),
                    outcomes: [.gaveUp, .expired, .refused].sorted(), notAfter: timestamp(.max)), sender: "shop",
                now: timestamp(2))),
        LogSample(
            "a cancelled message",
            .updateMessage(UpdateMessageRequest(app: game, id: first, messageUpdate: .cancel), now: timestamp(3))),
        LogSample(
            "a paused message",
            .updateMessage(UpdateMessageRequest(app: game, id: first, messageUpdate: .pause), now: timestamp(3))),
        LogSample(
            "a resumed message",
            .updateMessage(UpdateMessageRequest(app: game, id: first, messageUpdate: .resume), now: timestamp(3))),
        LogSample(
            "a message without a pace",
            .updateMessage(UpdateMessageRequest(app: game, id: first, messageUpdate: .pace(nil)), now: timestamp(3))),
        LogSample(
            "a paced message",
            .updateMessage(UpdateMessageRequest(app: game, id: first, messageUpdate: .pace(.max)), now: timestamp(3))),
        LogSample("a release of scheduled messages", .releaseScheduled(now: timestamp(4))),
        LogSample("a claim of a whole message", .claim(first)),
        LogSample("a claim of pages", .claimPages(first, pages: 64)),
        LogSample("the end of a block", .endBlock(first, blockAt: 128, now: timestamp(4))),
        LogSample("a release of pages", .releaseBlocks(first)),
        LogSample("the finishing of a message", .finish(messageID(.max), now: timestamp(4))),
        LogSample(
            "receipts",
            .countReceipts(
                ReceiptsRequest(
                    app: game,
                    receipts: [
                        Receipt(message: first, device: byToken(1), kind: .received),
                        Receipt(message: first, device: .id(deviceID(2)), kind: .opened),
                    ]), now: timestamp(5))),
    ]

    private static let outcomes = [
        LogSample("an outcome", .recordOutcomes(of: 1, [(0, .delivered)])),
        LogSample(
            "outcomes in any order",
            .recordOutcomes(of: 1, [(9, .delivered), (4_095, .gaveUp), (0, .gaveUp), (9, .refused)])),
        LogSample("an outcome record with every field", .recordOutcomes(fullRecord, now: timestamp(2_000))),
        LogSample(
            "an outcome record with ids of APNs",
            .recordOutcomes(
                OutcomeRecord(
                    message: first, page: 0,
                    endedRecipients: [OutcomeRecord.EndedRecipient(position: 0, outcome: .noChannel)],
                    attempts: [
                        attempt(0, status: 429, reason: "TooManyRequests"),
                        attempt(0, status: 400, reason: "", uniqueID: "0e9a64d6-7b38-4b6d-9d8f-0a1b2c3d4e5f"),
                    ]), now: timestamp(1))),
        LogSample(
            "an outcome record that addresses no device",
            .recordOutcomes(
                OutcomeRecord(message: first, page: 0, endedRecipients: [], addressed: AddressedChunk(ChunkBits())),
                now: timestamp(1))),
    ]

    private static let others = [
        LogSample("an event", .appendEvent(Event(at: timestamp(9), kind: .connectionUp))),
        LogSample(
            "an event with every field",
            .appendEvent(
                Event(
                    at: timestamp(9), kind: .deliveryFailed, app: game, message: first, device: deviceID(3),
                    outcome: .expired,
                    count: .max, text: String(repeating: "公會戰", count: 100)))),
        LogSample("an acknowledgement", .acknowledge(subscriber, upTo: 7, now: timestamp(6))),
        LogSample(
            "an acknowledgement with a long name",
            .acknowledge(
                EventSubscriber(principal: String(repeating: "p", count: 300), name: ""), upTo: .max,
                now: timestamp(.max))),
        LogSample("a subscriber that is forgotten", .forgetSubscriber(subscriber)),
        LogSample("settings", .configure(RegistrySettings())),
        LogSample("a sweep", .sweep(now: timestamp(12))),
        LogSample(
            "changes that take effect together",
            .changes([.register(1), .mute("g"), .releaseScheduled(now: timestamp(4))])),
        LogSample("one change that takes effect together", .changes([.releaseScheduled(now: timestamp(4))])),
        LogSample("no changes together", .changes([])),
    ]

    private static let first = messageID(1)
    private static let subscriber = EventSubscriber(principal: "shop", name: "mail")

    private static func android(replaces: String?) -> Change {
        let (text, old) = ("cNab:APA91b-_x.%~", replaces.flatMap { DeviceToken($0, of: .fcm) })
        guard let token = DeviceToken(text, of: .fcm) else { preconditionFailure("a constant is not a token") }
        let address = DeviceAddress(environment: .production, kind: .fcm, token: token)
        return .register(
            Registration(app: game, address: address, seenAt: timestamp(5), replaces: old), now: timestamp(77))
    }

    static func browser(replaces: UInt8?) -> Change {
        func deviceToken(_ byte: UInt8) -> DeviceToken? { DeviceToken([UInt8](repeating: byte, count: 32)) }
        // Why try?: a constant that is not a subscription is found here.
        let subscription = try? WebPushSubscription(
            endpoint: "https://push.example.com/p?t=1%2f", publicKey: [4] + [UInt8](repeating: 5, count: 64),
            secret: [UInt8](repeating: 6, count: 16))
        guard let subscription, let new = deviceToken(3) else {
            preconditionFailure("a constant is not a subscription")
        }
        let address = DeviceAddress(environment: .production, kind: .web, token: new)
        return .register(
            Registration(
                app: game, address: address, seenAt: timestamp(5), replaces: replaces.flatMap(deviceToken),
                subscription: subscription), now: timestamp(77))
    }

    private static func forAndroid(_ android: AndroidContent?, forWeb web: WebContent? = nil) -> Message {
        var message = Message.sample(to: [byToken(1)], key: 7)
        message.content.android = android
        message.content.web = web
        return message
    }

    private static func attempt(
        _ position: UInt16, status: UInt16, reason: String, uniqueID: String? = nil
    ) -> OutcomeRecord.RecordedAttempt {
        OutcomeRecord.RecordedAttempt(
            position: position,
            attempt: TraceAttempt(
                endedAt: timestamp(8), connectionNumber: 3, status: status, reason: reason, uniqueID: uniqueID))
    }

    private static func many(topics count: Int) -> Change {
        Change.register(1, topics: (0..<count).map { "t/\($0)" }, groups: (0..<3).map { "g/\($0)" })
    }

    private static func content() -> MessageContent {
        MessageContent(
            app: game, pushType: .alert, priority: .powerAware, expiration: .at(seconds: .max), collapseID: "c",
            payload: Array(#"{"aps":{"alert":"hello"}}"#.utf8),
            bodies: [LanguageBody(language: "zh-Hant", payload: Array("{}".utf8))], idKey: "id", overBudget: .wait)
    }

    private static var tracedMessage: Message {
        var message = Message.sample(to: .topic("t"))
        message.traceParent = TraceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        return message
    }

    private static var fullMessage: Message {
        let text = "'t' in topics && !('g' in groups)"
        guard let condition = try? Condition(text) else { preconditionFailure("a constant is not a condition") }
        return Message(
            idempotencyKey: UUIDBytes(high: 1, low: .max), content: content(), audience: .condition(condition),
            excludedDevice: byToken(9),
            notAfter: timestamp(77), lane: .bulk, sendAt: timestamp(.max), pace: 1, label: "Raid at 21:00")
    }

    private static var fullRecord: OutcomeRecord {
        var bits = ChunkBits()
        for offset in [0, 7, 4_095] as [UInt16] { bits.insert(offset) }
        let deadToken = OutcomeRecord.DeadToken(since: timestamp(1), registeredAt: timestamp(2))
        return OutcomeRecord(
            message: messageID(.max), page: .max,
            endedRecipients: [
                OutcomeRecord.EndedRecipient(position: 0, outcome: .delivered),
                OutcomeRecord.EndedRecipient(position: 7, outcome: .tokenUnregistered, deadToken: deadToken),
                OutcomeRecord.EndedRecipient(
                    position: .max, outcome: Outcome(rawValue: .max), deadToken: deadToken, movedTo: .sandbox,
                    registeredAt: timestamp(.max)),
                OutcomeRecord.EndedRecipient(position: 0, outcome: Outcome(rawValue: .max), registeredAt: timestamp(3)),
            ],
            delays: [OutcomeRecord.Delay(position: 7, attempts: .max, dueAt: timestamp(.max))],
            attempts: [
                OutcomeRecord.RecordedAttempt(
                    position: 7,
                    attempt: TraceAttempt(
                        endedAt: timestamp(8), connectionNumber: .max, status: 503, reason: "ServiceUnavailable")),
                OutcomeRecord.RecordedAttempt(
                    position: 0,
                    attempt: TraceAttempt(endedAt: timestamp(8), connectionNumber: 0, status: 0, reason: "")),
            ],
            addressed: AddressedChunk(bits), firstPendingPage: 9, gaveUpWaitingCount: 300)
    }
}
