package import CarillonCore

/// The request GROUP_DEVICES (Protocol 8.4).
package struct GroupDevicesRequest: LongReadOperation, PagedOperation {
    package typealias Answer = DeviceIDPage

    package static let opcode = Opcode.groupDevices

    package var app: AppID
    package var group: GroupName
    /// The cursor of the page: 0 for the first page, else as the last page gave it.
    package var cursor: UInt64
    /// The number of rows wanted, 1 to 1,000.
    package var limit: UInt32

    package init(app: AppID, group: GroupName, cursor: UInt64 = 0, limit: UInt32) {
        self.app = app
        self.group = group
        self.cursor = cursor
        self.limit = limit
    }

    package func read(from registry: any ListingReads) throws(RegistryError) -> Result<DeviceIDPage, RequestError> {
        .success(try registry.devices(in: .group(group), of: app, cursor: cursor, limit: Int(limit)))
    }
}

extension Opcode {
    package static let groupDevices = Opcode(rawValue: 0x0023)
}

// MARK: Codec (Protocol 8.4)

extension GroupDevicesRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(
            app: try reader.app(),
            group: try reader.group("group"),
            cursor: try reader.u64("cursor"),
            limit: try reader.pageLimit()
        )
        try common.finish(&reader)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.string(group.name)
        writer.u64(cursor)
        writer.u32(limit)
        writer.tags(common)
    }
}
