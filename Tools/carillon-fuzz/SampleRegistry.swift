import CarillonCore

/// The registry before it is corrupted: the changes that make it have rows in each table.
enum SampleRegistry {
    static let app: AppID = {
        guard let app = AppID("com.example.game") else { preconditionFailure("a constant is not an app id") }
        return app
    }()

    static let topic: TopicName = {
        guard let topic = TopicName("t") else { preconditionFailure("a constant is not a topic") }
        return topic
    }()

    static let group: GroupName = {
        guard let group = GroupName("g") else { preconditionFailure("a constant is not a group") }
        return group
    }()

    /// The subscriber that has acknowledged events.
    static let subscriber = EventSubscriber(principal: "p", name: "s")

    static func address(_ token: UInt8) -> DeviceAddress {
        guard let token = DeviceToken([token, token]) else { preconditionFailure("two bytes are no token") }
        return DeviceAddress(environment: .production, kind: .device, token: token)
    }

    /// Returns the changes that make the registry. They are applied again to the corrupted one.
    static func changes(now: Timestamp) -> [Change] {
        let registrations = (UInt8(1)...3).map { token in
            Change.register(
                Registration(app: app, address: address(token), locale: "en", timeZone: "Europe/Berlin"),
                now: now
            )
        }
        return registrations + memberships(now: now) + messages(now: now) + [
            .unregister(UnregisterRequest(app: app, device: .address(address(4)), at: .zero), now: now),
            .register(Registration(app: app, address: address(7), replaces: address(2).token), now: now),
            browser(now: now),
            .restore(RestoreRequest(app: app, device: .id(DeviceID(rawValue: 1))), now: now),
            .releaseScheduled(now: now), .setAudienceCount(MessageID(rawValue: 2), devices: 3),
            .appendEvent(Event(at: now, kind: .deliveryFailed, app: app, message: MessageID(rawValue: 3), count: 65)),
            .acknowledge(subscriber, upTo: 1, now: now),
            .forgetSubscriber(EventSubscriber(principal: "p", name: "gone")),
        ]
    }

    private static func browser(now: Timestamp) -> Change {
        // Why try?: a constant that is not a subscription is found here.
        let subscription = try? WebPushSubscription(
            endpoint: "https://push.example.com/p/1", publicKey: [4] + [UInt8](repeating: 5, count: 64),
            secret: [UInt8](repeating: 6, count: 16))
        guard let subscription, let token = DeviceToken([UInt8](repeating: 3, count: 32)) else {
            preconditionFailure("a constant is not a subscription")
        }
        let address = DeviceAddress(environment: .production, kind: .web, token: token)
        return .register(Registration(app: app, address: address, subscription: subscription), now: now)
    }

    /// Returns changes of the kinds that arrive by the million: of known devices and of new ones.
    static func bulkIngest(now: Timestamp) -> [Change] {
        (UInt8(1)...9).flatMap { token in
            let device = DeviceReference.address(address(token))
            return [
                Change.register(Registration(app: app, address: address(token)), now: now),
                .subscribe(TopicSubscription(app: app, topics: [topic], devices: [device], groups: [])),
                .join(JoinRequest(app: app, group: group, devices: [device]), now: now),
            ]
        } + [
            .unregister(UnregisterRequest(app: app, device: .address(address(8)), at: .zero), now: now),
            .register(Registration(app: app, address: address(10), replaces: address(9).token), now: now),
            .subscribe(TopicSubscription(app: app, topics: [topic], devices: [.address(address(9))], groups: [])),
        ]
    }

    /// Returns the changes that make messages 1 to 5, and a resend.
    private static func messages(now: Timestamp) -> [Change] {
        let silent = MessageContent(app: app, pushType: .background, payload: Array(#"{"aps":{}}"#.utf8))
        var later = Message(content: silent, audience: .topic(topic))
        later.sendAt = now.later(byMilliseconds: 1_000)
        let retry = OutcomeRecord.Delay(position: 1, attempts: 1, dueAt: now.later(byMilliseconds: 500))
        return [
            .accept(Message(content: silent, audience: .condition(condition), label: "l"), sender: "s", now: now),
            .accept(later, sender: "s", now: now),
            .accept(message(key: 1, devices: [device(1), device(2)]), now: now),
            .accept(message(key: 2, devices: [device(3), .address(address(9))]), now: now),
            .accept(Message(content: silent, audience: .devices([device(1), device(2)])), now: now),
            .updateMessage(UpdateMessageRequest(app: app, id: MessageID(rawValue: 1), messageUpdate: .pause), now: now),
            .recordOutcomes(outcome(of: 3, position: 0, .delivered, retry), now: now),
            .recordOutcomes(outcome(of: 4, position: 1, .tokenUnregistered), now: now),
            .recordOutcomes(outcome(of: 5, position: 0, .delivered), now: now),
            .countReceipts(
                ReceiptsRequest(
                    app: app,
                    receipts: [
                        Receipt(
                            message: MessageID(rawValue: 3), device: DeviceReference.id(DeviceID(rawValue: 1)),
                            kind: .opened)
                    ]), now: now),
            .resend(
                ResendRequest(app: app, id: MessageID(rawValue: 4), outcomes: [.tokenUnregistered]), sender: "s",
                now: now
            ),
        ]
    }

    private static func device(_ number: UInt64) -> DeviceReference { .id(DeviceID(rawValue: number)) }

    /// A condition over the sample. It is made anew each time, because the sanitizer reports an object that a global
    /// holds by a tagged pointer as a leak.
    static var condition: Condition {
        // Why try?: the condition is a constant.
        guard let condition = try? Condition("'t' in topics && !('g' in groups) && locale == 'en'") else {
            preconditionFailure("a constant is not a condition")
        }
        return condition
    }

    private static func memberships(now: Timestamp) -> [Change] {
        [
            .subscribe(TopicSubscription(app: app, topics: [topic], devices: [device(2)], groups: [group])),
            .join(JoinRequest(app: app, group: group, devices: [device(1)]), now: now),
            .updateGroup(UpdateGroupRequest(app: app, group: group, isMuted: true)),
            .updateDevice(
                UpdateDeviceRequest(
                    app: app, device: device(1), update: DeviceUpdate(locale: "zh-Hant-TW", isMuted: true))),
        ]
    }

    private static func message(key: UInt64, devices: [DeviceReference]) -> Message {
        var content = MessageContent(app: app, pushType: .alert, payload: Array(#"{"aps":{"alert":"x"}}"#.utf8))
        content.collapseID = "c"
        content.expiration = .at(seconds: 9)
        return Message(idempotencyKey: UUIDBytes(high: 0, low: key), content: content, audience: .devices(devices))
    }

    private static func outcome(
        of message: UInt64, position: UInt16, _ outcome: Outcome, _ delays: OutcomeRecord.Delay...
    ) -> OutcomeRecord {
        let deadToken =
            outcome == .tokenUnregistered
            ? OutcomeRecord.DeadToken(
                since: Timestamp(milliseconds: 9_000),
                registeredAt: Timestamp(milliseconds: 1_000)
            ) : nil
        let recipient = OutcomeRecord.EndedRecipient(position: position, outcome: outcome, deadToken: deadToken)
        let attempt = OutcomeRecord.RecordedAttempt(
            position: position,
            attempt: TraceAttempt(
                endedAt: Timestamp(milliseconds: 9_000), connectionNumber: 1, status: 503, reason: "ServiceUnavailable")
        )
        return OutcomeRecord(
            message: MessageID(rawValue: message), page: 0, endedRecipients: [recipient], delays: delays,
            attempts: [attempt])
    }
}
