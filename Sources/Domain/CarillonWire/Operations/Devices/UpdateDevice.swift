package import CarillonCore

/// The request UPDATE_DEVICE (Protocol 7.5).
extension UpdateDeviceRequest: ChangeOperation {
    package typealias Answer = DeviceID

    package static let opcode = Opcode.updateDevice

    package func change(at now: Timestamp) -> Change { .updateDevice(self) }

    /// True if a request can contain all of the update.
    var isRequestable: Bool { device.isRequestable && update.isRequestable }
}

extension Opcode {
    package static let updateDevice = Opcode(rawValue: 0x0014)
}

// MARK: Codec (Protocol 7.5)

extension UpdateDeviceRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        let app = try reader.app()
        let device = try reader.device()
        var update = DeviceUpdate()
        try reader.finish { reader, tag, value throws(WireError) in
            switch tag {
            case 18: update.locale = try reader.locale(value)
            case 20: update.timeZone = try reader.timeZone(value)
            case 23: update.attributes = try reader.parse(value, as: "attributes", PayloadReader.attributeChanges)
            case 25: update.isMuted = try reader.flag(value, field: "muted")
            default: return try common.read(tag, value: value, with: reader)
            }
            return true
        }
        self.init(app: app, device: device, update: update)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.device(device)
        writer.tags(
            common.fields + [
                FrameWriter.field(18, update.locale), FrameWriter.field(20, update.timeZone),
                FrameWriter.field(23, update.attributes), FrameWriter.field(25, update.isMuted),
            ]
        )
    }
}
