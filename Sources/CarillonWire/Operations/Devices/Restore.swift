package import CarillonCore

extension Opcode {
    package static let restore = Opcode(rawValue: 0x0016)
}

/// RESTORE (Protocol 7.7).
package struct RestoreRequest: ChangeOperation {
    package static let opcode = Opcode.restore

    /// The app.
    package var app: AppID
    /// The device.
    package var device: DeviceReference

    /// Makes a RESTORE.
    package init(app: AppID, device: DeviceReference) {
        self.app = app
        self.device = device
    }

    package static func request(for change: Change) -> RestoreRequest? {
        guard case .restore(let device, let app, _) = change else { return nil }
        return RestoreRequest(app: app, device: device)
    }

    package func change(at now: Timestamp) -> Change { .restore(device, app: app, now: now) }

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
