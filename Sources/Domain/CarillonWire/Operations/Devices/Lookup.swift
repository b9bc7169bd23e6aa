package import CarillonCore

/// The request LOOKUP (Protocol 7.4).
package struct LookupRequest: PointReadOperation {
    package typealias Answer = DeviceRecord

    package static let opcode = Opcode.lookup

    package var app: AppID
    package var device: DeviceReference

    package init(app: AppID, device: DeviceReference) {
        self.app = app
        self.device = device
    }
}

extension Opcode {
    package static let lookup = Opcode(rawValue: 0x0013)
}

// MARK: Codec (Protocol 7.4)

extension LookupRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(app: try reader.app(), device: try reader.device())
        try common.finish(&reader)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.device(device)
        writer.tags(common)
    }
}

extension DeviceRecord: PayloadAnswer {
    package init(from reader: inout PayloadReader) throws(WireError) {
        let id = try reader.deviceID()
        let address = try reader.address()
        let registeredAt = try reader.time("registered_at")
        let seenAt = try reader.time("seen_at")
        let state = try reader.u8("state")
        if DeviceState(rawValue: state) == nil { reader.recordInvalid("state", because: "state \(state) is not known") }
        self.init(
            id: id,
            address: address,
            registeredAt: registeredAt,
            seenAt: seenAt,
            state: DeviceState(rawValue: state) ?? .active
        )
        var locale: String?
        var timeZone: String?
        var attributes = Attributes()
        var isMuted = false
        try reader.finish(ignoringUnknown: true) { reader, tag, value throws(WireError) in
            switch tag {
            case 18: locale = try reader.text(value, field: "locale", limits: 0...35)
            case 20: timeZone = try reader.text(value, field: "time_zone", limits: 0...64)
            case 22: attributes = try reader.parse(value, as: "attributes", PayloadReader.attributes)
            case 24: isMuted = try reader.flag(value, field: "muted")
            default: return false
            }
            return true
        }
        self.locale = locale
        self.timeZone = timeZone
        self.attributes = attributes
        self.isMuted = isMuted
    }

    package func write(to writer: inout FrameWriter) {
        writer.u64(id.rawValue)
        writer.u8(address.environment.rawValue)
        writer.u8(address.kind.rawValue)
        writer.token(address.token)
        writer.u64(registeredAt.milliseconds)
        writer.u64(seenAt.milliseconds)
        writer.u8(state.rawValue)
        writer.section { writer in
            writer.tag(18, locale) + writer.tag(20, timeZone)
                + (attributes.entries.isEmpty ? 0 : writer.tag(FrameWriter.field(22, attributes)))
                + (isMuted ? writer.tag(24, [1]) : 0)
        }
    }
}
