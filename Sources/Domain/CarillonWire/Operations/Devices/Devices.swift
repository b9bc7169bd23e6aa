package import CarillonCore

/// The request DEVICES (Protocol 13.2).
package struct DevicesRequest: DeviceListingOperation {
    package typealias Answer = DevicePage

    package static let opcode = Opcode.devices

    package var listing: DeviceListing

    package init(_ listing: DeviceListing) {
        self.listing = listing
    }

    package func read(from registry: any ListingReads) throws(RegistryError) -> Result<DevicePage, RequestError> {
        .success(try registry.devices(of: app, cursor: cursor, limit: Int(limit)))
    }
}

extension Opcode {
    package static let devices = Opcode(rawValue: 0x0081)
}

// MARK: Codec (Protocol 13.2)

extension DevicePage: PayloadAnswer {
    /// The most bytes of a row: a token of 255 bytes, a locale, a time zone, 16 attributes.
    static let rowBytes = 2_007

    package init(from reader: inout PayloadReader) throws(WireError) {
        self.init(next: try reader.u64("next"), devices: [])
        var devices: [DeviceRecord] = []
        try reader.list("devices", elementBytes: 4) { reader, _ throws(WireError) in
            var row = PayloadReader(try reader.blob("devices"))
            devices.append(try DeviceRecord(from: &row))
        }
        self.devices = devices
        try reader.finishAnswer()
    }

    package func write(to writer: inout FrameWriter) {
        writer.u64(next)
        writer.list(devices) { writer, device in writer.nested { device.write(to: &$0) } }
    }
}
