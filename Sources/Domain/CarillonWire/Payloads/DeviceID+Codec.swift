package import CarillonCore

/// The answer of RESTORE and UPDATE_DEVICE (Protocol 7.5, 7.7).
extension DeviceID: PayloadAnswer {
    package init(from reader: inout PayloadReader) throws(WireError) {
        self = try reader.deviceID()
        try reader.finishAnswer()
    }

    package func write(to writer: inout FrameWriter) {
        writer.u64(rawValue)
    }
}

extension ChangeOperation where Answer == DeviceID {
    package static func answer(_ answer: ChangeAnswer) -> DeviceID? {
        if case .updated(let device) = answer { device } else { nil }
    }
}
