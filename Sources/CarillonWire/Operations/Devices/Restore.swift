package import CarillonCore

extension Opcode {
    package static let restore = Opcode(rawValue: 0x0016)
}

/// RESTORE (Protocol 7.7).
extension RestoreRequest: ChangeOperation {
    package static let opcode = Opcode.restore

    package static func request(for change: Change) -> Self? {
        if case .restore(let request, _) = change { request } else { nil }
    }

    package func change(at now: Timestamp) -> Change { .restore(self, now: now) }

    package static func answer(_ answer: ChangeAnswer) -> Answer? {
        if case .updated(let device) = answer { device } else { nil }
    }
}

// MARK: Codec (Protocol 7.7)

extension RestoreRequest {
    package init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(app: try reader.app(), device: try reader.device())
        try common.finish(&reader)
    }

    package func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.device(device)
        writer.tags(common)
    }

    package static func readAnswer(_ reader: inout PayloadReader) throws(WireFault) -> DeviceID {
        let device = try reader.deviceID()
        try reader.finishAnswer()
        return device
    }

    package static func write(_ answer: DeviceID, _ writer: inout FrameWriter) {
        writer.u64(answer.rawValue)
    }
}
