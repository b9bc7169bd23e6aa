package import CarillonCore

/// The request RESTORE (Protocol 7.7).
extension RestoreRequest: ChangeOperation {
    package typealias Answer = DeviceID

    package static let opcode = Opcode.restore

    package func change(at now: Timestamp) -> Change { .restore(self, now: now) }
}

extension Opcode {
    package static let restore = Opcode(rawValue: 0x0016)
}

// MARK: Codec (Protocol 7.7)

extension RestoreRequest {
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
