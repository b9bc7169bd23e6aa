package import CarillonCore
import CarillonTestKit

// Changes of a test: each function makes the change of its name, `register(1)` the REGISTER of a device with token 1.
// The others make their parts, and the messages that a change accepts.

/// The app of these changes.
package let game = TestApps.game

/// The time of a test: milliseconds since 1970.
package func timestamp(_ milliseconds: UInt64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

package func address(_ token: UInt8, kind: TokenKind = .device) -> DeviceAddress {
    DeviceAddress(environment: .production, kind: kind, token: DeviceToken([token, token, token])!)
}

package func register(
    _ token: UInt8,
    of app: AppID = game,
    seenAt: UInt64 = 0,
    replaces: UInt8? = nil,
    locale: String? = nil,
    kind: TokenKind = .device,
    attributes: [String: String] = [:],
    topics: [String] = [],
    groups: [String] = [],
    now: UInt64 = 1_000
) -> Change {
    let registration = Registration(
        app: app,
        address: address(token, kind: kind),
        seenAt: timestamp(seenAt),
        replaces: replaces.map { address($0).token },
        locale: locale,
        attributes: changes(attributes),
        topics: topics.map { TopicName($0)! },
        groups: groups.map { GroupName($0)! }
    )
    return .register(registration, now: timestamp(now))
}

package func unregister(_ token: UInt8, at: UInt64 = 0, now: UInt64 = 1_000) -> Change {
    .unregister(UnregisterRequest(app: game, device: .address(address(token)), at: timestamp(at)), now: timestamp(now))
}

package func unregister(id: UInt64, at: UInt64 = 0, now: UInt64 = 1_000) -> Change {
    .unregister(
        UnregisterRequest(app: game, device: .id(DeviceID(rawValue: id)), at: timestamp(at)), now: timestamp(now))
}

package func testMessage(
    to devices: [DeviceReference],
    key: UInt64 = 0,
    payload: String = #"{"aps":{"alert":"hello"}}"#
) -> Message {
    Message(
        idempotencyKey: UUIDBytes(high: 0, low: key).nonzero,
        content: MessageContent(app: game, pushType: .alert, payload: Array(payload.utf8)),
        audience: .devices(devices)
    )
}

package func channel(
    _ id: String = "dHN0LXNyY2gtY2hubA==", environment: APNsEnvironment = .production
) -> ChannelAddress {
    guard let id = ChannelID(id) else { preconditionFailure("a constant is not a channel") }
    return ChannelAddress(environment: environment, id: id)
}

/// Makes a broadcast push.
package func broadcast(to channel: ChannelAddress = channel(), key: UInt64 = 0) -> Message {
    let payload = #"{"aps":{"timestamp":1,"event":"update","content-state":{}}}"#
    return Message(
        idempotencyKey: UUIDBytes(high: 0, low: key).nonzero,
        content: MessageContent(app: game, pushType: .liveactivity, expiration: .once, payload: Array(payload.utf8)),
        audience: .channel(channel))
}

/// Makes a message to an audience that is taken while it is sent.
package func testMessage(
    toAll audience: Audience,
    excluding excludedDevice: DeviceReference? = nil,
    pushType: PushType = .alert,
    bodies: [LanguageBody] = []
) -> Message {
    Message(
        content: MessageContent(
            app: game, pushType: pushType, payload: Array(#"{"aps":{"alert":"hello"}}"#.utf8), bodies: bodies),
        audience: audience,
        excludedDevice: excludedDevice
    )
}

package func recordOutcomes(
    _ message: UInt64,
    _ entries: [(position: UInt16, outcome: Outcome)],
    deadSince: UInt64? = nil,
    registeredAt: UInt64 = 1_000,
    now: UInt64 = 2_000
) -> Change {
    let entries = entries.map {
        OutcomeRecord.RecipientEnd(
            position: $0.position,
            outcome: $0.outcome,
            death: deadSince.map {
                OutcomeRecord.TokenDeath(since: timestamp($0), registeredAt: timestamp(registeredAt))
            })
    }
    return .recordOutcomes(
        OutcomeRecord(message: MessageID(rawValue: message), page: 0, entries: entries), now: timestamp(now))
}

/// The id of a device.
package func deviceID(_ number: UInt64) -> DeviceID { DeviceID(rawValue: number) }

/// A device, named by its token.
package func byToken(_ number: UInt8) -> DeviceReference { .address(address(number)) }

package func changes(_ attributes: [String: String]) -> [AttributeChange] {
    attributes.map { AttributeChange(key: $0.key, value: $0.value)! }
}

package func topic(_ name: String) -> TopicName { TopicName(name)! }

package func group(_ name: String) -> GroupName { GroupName(name)! }

package func join(
    _ name: String, _ devices: [DeviceReference], leaving: String? = nil, announcing: String? = nil
) -> Change {
    let content = announcing.map { MessageContent(app: game, pushType: .alert, payload: Array($0.utf8)) }
    return .join(
        JoinRequest(
            app: game, group: group(name), devices: devices, leaving: leaving.map { group($0) },
            announcement: content),
        now: timestamp(1_000))
}

package func leave(_ name: String, _ devices: [DeviceReference], clearsTopics: Bool = false) -> Change {
    .leave(LeaveRequest(app: game, group: group(name), devices: devices, clearsTopics: clearsTopics))
}

package func subscribe(_ topics: [String], devices: [DeviceReference] = [], groups: [String] = []) -> Change {
    .subscribe(subscription(topics: topics, devices: devices, groups: groups))
}

package func unsubscribe(_ topics: [String], devices: [DeviceReference] = [], groups: [String] = []) -> Change {
    .unsubscribe(subscription(topics: topics, devices: devices, groups: groups))
}

private func subscription(topics: [String], devices: [DeviceReference], groups: [String]) -> TopicSubscription {
    TopicSubscription(app: game, topics: topics.map { topic($0) }, devices: devices, groups: groups.map { group($0) })
}

package func mute(_ name: String, _ isMuted: Bool? = true) -> Change {
    .updateGroup(UpdateGroupRequest(app: game, group: group(name), isMuted: isMuted))
}

package func update(
    _ token: UInt8, locale: String? = nil, attributes: [String: String] = [:], isMuted: Bool? = nil
) -> Change {
    let update = DeviceUpdate(locale: locale, attributes: changes(attributes), isMuted: isMuted)
    return .updateDevice(UpdateDeviceRequest(app: game, device: .address(address(token)), update: update))
}

package func condition(_ text: String) throws -> Condition { try Condition(text) }
