/// A request that ends a registration (UNREGISTER, Protocol 7.3).
package struct UnregisterRequest: Hashable, Sendable {
    package var app: AppID
    package var device: DeviceReference
    /// The time at which the app unregistered; zero = now.
    package var at: Timestamp

    package init(app: AppID, device: DeviceReference, at: Timestamp = .zero) {
        self.app = app
        self.device = device
        self.at = at
    }
}

/// A request that changes fields of a device (UPDATE_DEVICE, Protocol 7.5).
package struct UpdateDeviceRequest: Hashable, Sendable {
    package var app: AppID
    package var device: DeviceReference
    package var update: DeviceUpdate

    package init(app: AppID, device: DeviceReference, update: DeviceUpdate) {
        self.app = app
        self.device = device
        self.update = update
    }
}

/// A request that lets a device leave quarantine (RESTORE, Protocol 7.7).
package struct RestoreRequest: Hashable, Sendable {
    package var app: AppID
    package var device: DeviceReference

    package init(app: AppID, device: DeviceReference) {
        self.app = app
        self.device = device
    }
}

/// Devices that join a group together: the fields of JOIN (Protocol 8.1), and of the change that SWITCH asks for
/// (Protocol 8.3). Only the latter has `leaving`; on the wire SWITCH is a `SwitchGroupRequest`.
package struct JoinRequest: Hashable, Sendable {
    package var app: AppID
    package var group: GroupName
    package var devices: [DeviceReference]
    /// The group that the devices leave in the same step; nil in a JOIN.
    package var leaving: GroupName?
    /// The alert to the *other* devices of the group, sent if a device joins that was not in it; nil for none.
    package var announcement: MessageContent?

    package init(
        app: AppID,
        group: GroupName,
        devices: [DeviceReference],
        leaving: GroupName? = nil,
        announcement: MessageContent? = nil
    ) {
        self.app = app
        self.group = group
        self.devices = devices
        self.leaving = leaving
        self.announcement = announcement
    }
}

/// A request that lets devices leave a group (LEAVE, Protocol 8.2).
package struct LeaveRequest: Hashable, Sendable {
    package var app: AppID
    package var group: GroupName
    package var devices: [DeviceReference]
    /// True if the devices' own subscriptions end as well, as at a sign-out.
    package var clearsTopics: Bool

    package init(app: AppID, group: GroupName, devices: [DeviceReference], clearsTopics: Bool = false) {
        self.app = app
        self.group = group
        self.devices = devices
        self.clearsTopics = clearsTopics
    }
}

/// A request that mutes or unmutes a group (UPDATE_GROUP, Protocol 8.6).
package struct UpdateGroupRequest: Hashable, Sendable {
    package var app: AppID
    package var group: GroupName
    /// True to mute the group, false to unmute it; nil changes nothing.
    package var isMuted: Bool?

    package init(app: AppID, group: GroupName, isMuted: Bool? = nil) {
        self.app = app
        self.group = group
        self.isMuted = isMuted
    }
}

/// A message update and its message (UPDATE_MESSAGE, Protocol 10.6).
package struct UpdateMessageRequest: Hashable, Sendable {
    package var app: AppID
    package var id: MessageID
    package var messageUpdate: MessageUpdate

    package init(app: AppID, id: MessageID, messageUpdate: MessageUpdate) {
        self.app = app
        self.id = id
        self.messageUpdate = messageUpdate
    }
}

/// A request for a new message with the content of an old one, to those of its devices that ended in one of `outcomes`
/// (RESEND, Protocol 10.7).
package struct ResendRequest: Hashable, Sendable {
    package var app: AppID
    /// The old message, which must be finished.
    package var id: MessageID
    /// The idempotency key of the new message; nil for none.
    package var idempotencyKey: UUIDBytes?
    /// The outcomes of the devices to send to, up to 64 in any order; empty selects the outcomes worth retrying.
    package var outcomes: [Outcome]
    /// The time after which no attempt starts; nil for the time of the old message.
    package var notAfter: Timestamp?

    package init(
        app: AppID, id: MessageID, idempotencyKey: UUIDBytes? = nil, outcomes: [Outcome] = [],
        notAfter: Timestamp? = nil
    ) {
        self.app = app
        self.id = id
        self.idempotencyKey = idempotencyKey
        self.outcomes = outcomes
        self.notAfter = notAfter
    }
}

/// A request to count receipts (RECEIPTS, Protocol 12.1).
package struct ReceiptsRequest: Hashable, Sendable {
    package var app: AppID
    /// The receipts of pushes that have arrived or were opened, 1 to 1,000.
    package var receipts: [Receipt]

    package init(app: AppID, receipts: [Receipt]) {
        self.app = app
        self.receipts = receipts
    }
}
