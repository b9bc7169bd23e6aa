package import CarillonCore

/// The changes of a test, with the usual values for what it does not name: `.register(1)` is the REGISTER of a device
/// with token 1.
extension Change {
    package static func register(
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
            attributes: [AttributeChange](attributes),
            topics: topics.map { TopicName($0)! },
            groups: groups.map { GroupName($0)! }
        )
        return .register(registration, now: timestamp(now))
    }

    package static func unregister(_ token: UInt8, at: UInt64 = 0, now: UInt64 = 1_000) -> Change {
        unregister(byToken(token), at: at, now: now)
    }

    package static func unregister(id: UInt64, at: UInt64 = 0, now: UInt64 = 1_000) -> Change {
        unregister(.id(deviceID(id)), at: at, now: now)
    }

    private static func unregister(_ device: DeviceReference, at: UInt64, now: UInt64) -> Change {
        .unregister(UnregisterRequest(app: game, device: device, at: timestamp(at)), now: timestamp(now))
    }

    package static func updateDevice(
        _ token: UInt8, locale: String? = nil, attributes: [String: String] = [:], isMuted: Bool? = nil
    ) -> Change {
        let update = DeviceUpdate(locale: locale, attributes: [AttributeChange](attributes), isMuted: isMuted)
        return .updateDevice(UpdateDeviceRequest(app: game, device: byToken(token), update: update))
    }

    package static func join(
        _ group: String, devices: [DeviceReference], leaving: String? = nil, announcing: String? = nil
    ) -> Change {
        let content = announcing.map { MessageContent(app: game, pushType: .alert, payload: Array($0.utf8)) }
        return .join(
            JoinRequest(
                app: game, group: GroupName(group)!, devices: devices, leaving: leaving.map { GroupName($0)! },
                announcement: content),
            now: timestamp(1_000))
    }

    package static func leave(_ group: String, devices: [DeviceReference], clearsTopics: Bool = false) -> Change {
        .leave(LeaveRequest(app: game, group: GroupName(group)!, devices: devices, clearsTopics: clearsTopics))
    }

    package static func subscribe(
        _ topics: [String], devices: [DeviceReference] = [], groups: [String] = []
    ) -> Change {
        .subscribe(TopicSubscription(topics: topics, devices: devices, groups: groups))
    }

    package static func unsubscribe(
        _ topics: [String], devices: [DeviceReference] = [], groups: [String] = []
    ) -> Change {
        .unsubscribe(TopicSubscription(topics: topics, devices: devices, groups: groups))
    }

    package static func mute(_ group: String) -> Change { updateGroup(group, isMuted: true) }

    package static func updateGroup(_ group: String, isMuted: Bool?) -> Change {
        .updateGroup(UpdateGroupRequest(app: game, group: GroupName(group)!, isMuted: isMuted))
    }

    /// Makes the record of the outcomes of recipients of the first page of a message.
    ///
    /// - Parameter deadSince: the time since which the provider calls the tokens of these recipients dead; nil if it
    ///   does not.
    package static func recordOutcomes(
        of message: UInt64,
        _ ended: [(position: UInt16, outcome: Outcome)],
        deadSince: UInt64? = nil,
        registeredAt: UInt64 = 1_000,
        now: UInt64 = 2_000
    ) -> Change {
        let deadToken = deadSince.map {
            OutcomeRecord.DeadToken(since: timestamp($0), registeredAt: timestamp(registeredAt))
        }
        let ended = ended.map {
            OutcomeRecord.EndedRecipient(position: $0.position, outcome: $0.outcome, deadToken: deadToken)
        }
        return .recordOutcomes(
            OutcomeRecord(message: messageID(message), page: 0, endedRecipients: ended), now: timestamp(now)
        )
    }
}

extension TopicSubscription {
    fileprivate init(topics: [String], devices: [DeviceReference], groups: [String]) {
        self.init(
            app: game, topics: topics.map { TopicName($0)! }, devices: devices, groups: groups.map { GroupName($0)! })
    }
}

extension [AttributeChange] {
    /// Makes changes that set attributes; an empty value removes one.
    package init(_ attributes: [String: String]) {
        self = attributes.map { AttributeChange(key: $0.key, value: $0.value)! }
    }
}
