package import CarillonCore

/// The request UNREGISTER (Protocol 7.3).
extension UnregisterRequest: ChangeOperation {
    package static let opcode = Opcode.unregister

    package func change(at now: Timestamp) -> Change { .unregister(self, now: now) }

    package static func answer(_ answer: ChangeAnswer) -> Answer? {
        if case .unregistered(let device) = answer { .some(device) } else { nil }
    }

    /// True if the request has a time of its own: without one, a repetition would be newer than a registration in
    /// between.
    package var isRepeatable: Bool { at != .zero }

    /// True if a request can contain all of the unregistration.
    var isRequestable: Bool { device.isRequestable }
}

extension Opcode {
    package static let unregister = Opcode(rawValue: 0x0012)
}

// MARK: Codec (Protocol 7.3)

extension UnregisterRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(app: try reader.app(), device: try reader.device(), at: try reader.time("at"))
        try common.finish(&reader)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.device(device)
        writer.u64(at.milliseconds)
        writer.tags(common)
    }

    /// Reads the device that was removed; nil if no device was removed.
    package static func readAnswer(from reader: inout PayloadReader) throws(WireError) -> DeviceID? {
        let device = try reader.deviceID()
        let result = try reader.u8("result")
        if !(1...2).contains(result) { reader.recordInvalid("result", because: "result \(result) is not known") }
        try reader.finishAnswer()
        return result == 1 ? device : nil
    }

    package static func write(_ answer: DeviceID?, to writer: inout FrameWriter) {
        writer.u64(answer?.rawValue ?? 0)
        writer.u8(answer == nil ? 2 : 1)
    }
}
