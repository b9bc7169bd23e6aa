package import CarillonCore

/// The messages of a test.
extension Message {
    /// Makes a message to devices.
    ///
    /// - Parameter key: the low half of its idempotency key; 0 if it has none.
    package static func sample(
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

    package static func sample(
        to audience: Audience,
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

    /// Makes a message with a label for the device with token 1. A nil label is none.
    package static func labelled(_ label: String?, key: UInt64 = 0) -> Message {
        var message = sample(to: [byToken(1)], key: key)
        message.label = label
        return message
    }

    package static func broadcast(to channel: ChannelAddress = .sample(), key: UInt64 = 0) -> Message {
        let payload = #"{"aps":{"timestamp":1,"event":"update","content-state":{}}}"#
        return Message(
            idempotencyKey: UUIDBytes(high: 0, low: key).nonzero,
            content: MessageContent(
                app: game, pushType: .liveactivity, expiration: .once, payload: Array(payload.utf8)),
            audience: .channel(channel))
    }
}

extension ChannelAddress {
    package static func sample(
        _ id: String = "dHN0LXNyY2gtY2hubA==", environment: APNsEnvironment = .production
    ) -> ChannelAddress {
        guard let id = ChannelID(id) else { preconditionFailure("a constant is not a channel") }
        return ChannelAddress(environment: environment, id: id)
    }
}
