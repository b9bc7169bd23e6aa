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

/// A page of devices (Protocol 7.8).
extension DeviceIDPage: PayloadAnswer {
    package init(from reader: inout PayloadReader) throws(WireError) {
        self.init(next: try reader.u64("next"), devices: [])
        var devices: [DeviceID] = []
        try reader.list("devices", elementBytes: 8) { reader, _ throws(WireError) in
            devices.append(DeviceID(rawValue: try reader.u64("devices")))
        }
        self.devices = devices
        try reader.finishAnswer()
    }

    package func write(to writer: inout FrameWriter) {
        writer.u64(next)
        writer.list(devices) { $0.u64($1.rawValue) }
    }
}
