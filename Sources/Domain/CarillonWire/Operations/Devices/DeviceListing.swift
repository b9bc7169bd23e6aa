package import CarillonCore

/// A request DEVICES or QUARANTINE: they have the same payload (Protocol 13.2, 7.8).
package protocol DeviceListingOperation: LongReadOperation, PagedOperation {
    var listing: DeviceListing { get set }
    init(_ listing: DeviceListing)
}

/// The fields of a request for a page of devices of an app.
package struct DeviceListing: Hashable, Sendable {
    package var app: AppID
    /// The cursor of the page: 0 for the first page, else as the last page gave it.
    package var cursor: UInt64
    /// The number of rows wanted, 1 to 1,000.
    package var limit: UInt32
}

extension DeviceListingOperation {
    package var app: AppID { listing.app }
    package var cursor: UInt64 { listing.cursor }
    package var limit: UInt32 {
        get { listing.limit }
        set { listing.limit = newValue }
    }

    package init(app: AppID, cursor: UInt64 = 0, limit: UInt32) {
        self.init(DeviceListing(app: app, cursor: cursor, limit: limit))
    }

    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(app: try reader.app(), cursor: try reader.u64("cursor"), limit: try reader.pageLimit())
        try common.finish(&reader)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.u64(cursor)
        writer.u32(limit)
        writer.tags(common)
    }
}
