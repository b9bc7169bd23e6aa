package import CarillonCore

extension Opcode {
    package static let devices = Opcode(rawValue: 0x0081)
}

/// DEVICES (Protocol 8c.2).
package struct DevicesRequest: ListingOperation, PagedOperation {
    package typealias Answer = DeviceRecordPage

    package static let opcode = Opcode.devices

    /// The app.
    package var app: AppID
    /// 0 = from the start, else as the last page gave it.
    package var cursor: UInt64
    /// Rows wanted, 1 to 1,000.
    package var limit: UInt32

    /// Makes a DEVICES.
    package init(app: AppID, cursor: UInt64 = 0, limit: UInt32) {
        self.app = app
        self.cursor = cursor
        self.limit = limit
    }

    package func read(from registry: any ListingReads) throws(RegistryError) -> Result<DeviceRecordPage, ErrorReply> {
        .success(try registry.devices(of: app, cursor: cursor, limit: Int(limit)))
    }
}

// MARK: Codec (Protocol 8c.2)

extension DevicesRequest {
    package init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(app: try reader.app(), cursor: try reader.u64("cursor"), limit: try reader.pageLimit())
        try common.finish(&reader)
    }

    package func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.u64(cursor)
        writer.u32(limit)
        writer.tags(common)
    }
}

extension DeviceRecordPage: PayloadAnswer {
    /// Bytes of a row at most: a token of 255 bytes, a locale, a time zone, 16 attributes.
    static let rowBytes = 2_007

    package init(_ reader: inout PayloadReader) throws(WireFault) {
        self.init(next: try reader.u64("next"), devices: [])
        var devices: [Device] = []
        try reader.list("devices", elementBytes: 4) { reader, _ throws(WireFault) in
            var row = PayloadReader(try reader.blob("devices"))
            devices.append(try Device(&row))
        }
        self.devices = devices
        try reader.finishAnswer()
    }

    package func write(_ writer: inout FrameWriter) {
        writer.u64(next)
        writer.list(devices) { writer, device in writer.nested { device.write(&$0) } }
    }
}
