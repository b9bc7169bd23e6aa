package import CarillonCore

/// The request SWITCH (Protocol 8.3): a device leaves one group and joins another in one step.
package struct SwitchGroupRequest: IndividualOperation, AppOperation {
    package typealias Answer = SwitchGroupAnswer

    package static let opcode = Opcode.switchGroup

    /// The effect of a switch.
    package struct Changes: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The device was in the group that it left.
        package static let left = Changes(rawValue: 1)
        /// The device was not in the group that it joined.
        package static let joined = Changes(rawValue: 2)
    }

    package var app: AppID
    package var device: DeviceReference
    package var from: GroupName
    package var to: GroupName
    /// The alert for the other devices of the group that the device joins; nil for none. Only its payload and bodies
    /// are sent.
    package var announcement: MessageContent?

    package init(
        app: AppID, device: DeviceReference, from: GroupName, to: GroupName, announcement: MessageContent? = nil
    ) {
        self.app = app
        self.device = device
        self.from = from
        self.to = to
        self.announcement = announcement
    }

    /// The fields of the change that the switch asks for: a join that also leaves a group.
    package var join: JoinRequest {
        JoinRequest(app: app, group: to, devices: [device], leaving: from, announcement: announcement)
    }

    package var sendsMessage: Bool { announcement != nil }

    package consuming func individualRequest() -> IndividualRequest { .switchGroup(self) }

    package static func requestField(_ field: String) -> String {
        switch field {
        case "groups": "to"
        case "payload": "announcement"
        default: field
        }
    }
}

/// The answer to SWITCH (Protocol 8.3).
package struct SwitchGroupAnswer: Hashable, Sendable {
    package var device: DeviceID
    package var changes: SwitchGroupRequest.Changes
    /// The announcement that was accepted; nil if no announcement was sent.
    package var announcement: MessageID?

    package init(device: DeviceID, changes: SwitchGroupRequest.Changes, announcement: MessageID?) {
        self.device = device
        self.changes = changes
        self.announcement = announcement
    }

    /// Makes the answer from what the registry answers; returns nil if the device is not registered.
    package init?(_ answer: ChangeAnswer.MembershipChange) {
        guard let device = answer.device else { return nil }
        var changes: SwitchGroupRequest.Changes = []
        if answer.left > 0 { changes.insert(.left) }
        if answer.changed > 0 { changes.insert(.joined) }
        self.init(device: device, changes: changes, announcement: answer.announcement?.id)
    }
}

extension Opcode {
    package static let switchGroup = Opcode(rawValue: 0x0022)
}

// MARK: Codec (Protocol 8.3)

extension SwitchGroupRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(
            app: try reader.app(),
            device: try reader.device(),
            from: try reader.group("from"),
            to: try reader.group("to")
        )
        if from == to { reader.recordInvalid("to", because: "to is the group that is left") }
        announcement = try reader.announcement(for: app, common: &common)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.device(device)
        writer.string(from.name)
        writer.string(to.name)
        writer.tags(common.fields + FrameWriter.fields(of: announcement))
    }
}

extension SwitchGroupAnswer: PayloadAnswer {
    package init(from reader: inout PayloadReader) throws(WireError) {
        self.init(
            device: try reader.deviceID(),
            changes: SwitchGroupRequest.Changes(rawValue: try reader.u8("changed")),
            announcement: try reader.announcementID()
        )
        try reader.finishAnswer()
    }

    package func write(to writer: inout FrameWriter) {
        writer.u64(device.rawValue)
        writer.u8(changes.rawValue)
        writer.u64(announcement?.rawValue ?? 0)
    }
}
