package import CarillonCore

/// The request JOIN (Protocol 8.1): the value without `leaving`. A request that also leaves a group is a
/// `SwitchGroupRequest`.
extension JoinRequest: ChangeOperation {
    package typealias Answer = JoinAnswer

    package static let opcode = Opcode.join

    package var sendsMessage: Bool { announcement != nil }

    package consuming func serverRequest(at now: Timestamp) -> ServerRequest {
        if announcement != nil { return .individual(.join(self)) }
        let app = app
        return .change(.join(self, now: now), of: app)
    }

    package func change(at now: Timestamp) -> Change { .join(self, now: now) }

    /// True if a JOIN that is one change can contain all of the value.
    var isRequestable: Bool {
        leaving == nil && announcement == nil && (1...WireLimits.batchItems).contains(devices.count)
            && devices.allSatisfy { $0.isRequestable }
    }

    package static func answer(_ answer: ChangeAnswer) -> JoinAnswer? {
        if case .membership(let answer) = answer { JoinAnswer(answer) } else { nil }
    }

    package static func requestField(_ field: String) -> String {
        switch field {
        case "groups": "group"
        case "payload": "announcement"
        default: field
        }
    }
}

/// The answer to JOIN (Protocol 8.1).
package struct JoinAnswer: Hashable, Sendable {
    /// The number of devices that were not members before.
    package var joined: UInt32
    /// The announcement that was accepted; nil if no announcement was sent.
    package var announcement: MessageID?
    /// The indices of devices of the request that are not registered.
    package var unknown: [UInt32]

    package init(joined: UInt32, announcement: MessageID?, unknown: [UInt32]) {
        self.joined = joined
        self.announcement = announcement
        self.unknown = unknown
    }

    package init(_ answer: ChangeAnswer.MembershipChange) {
        self.init(joined: answer.changed, announcement: answer.announcement?.id, unknown: answer.unknown)
    }
}

extension Opcode {
    package static let join = Opcode(rawValue: 0x0020)
}

// MARK: Codec (Protocol 8.1)

extension JoinRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(
            app: try reader.app(),
            group: try reader.group("group"),
            devices: try reader.devices(1...WireLimits.batchItems)
        )
        announcement = try reader.announcement(for: app, common: &common)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.string(group.name)
        writer.list(devices) { $0.device($1) }
        writer.tags(common.fields + FrameWriter.fields(of: announcement))
    }
}

extension JoinAnswer: PayloadAnswer {
    package init(from reader: inout PayloadReader) throws(WireError) {
        self.init(
            joined: try reader.u32("joined"),
            announcement: try reader.announcementID(),
            unknown: try reader.indices("unknown")
        )
        try reader.finishAnswer()
    }

    package func write(to writer: inout FrameWriter) {
        writer.u32(joined)
        writer.u64(announcement?.rawValue ?? 0)
        writer.list(unknown) { $0.u32($1) }
    }
}
