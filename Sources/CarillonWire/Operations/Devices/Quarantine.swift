package import CarillonCore

extension Opcode {
    package static let quarantine = Opcode(rawValue: 0x0017)
}

/// QUARANTINE (Protocol 7.8).
package struct QuarantineRequest: ListingOperation, PagedOperation {
    package typealias Answer = DevicePage

    package static let opcode = Opcode.quarantine

    package var app: AppID
    /// 0 = from the start, else as the last page gave it.
    package var cursor: UInt64
    /// Rows wanted, 1 to 1,000.
    package var limit: UInt32

    /// Makes a QUARANTINE.
    package init(app: AppID, cursor: UInt64 = 0, limit: UInt32) {
        self.app = app
        self.cursor = cursor
        self.limit = limit
    }

    package func read(from registry: any ListingReads) throws(RegistryError) -> Result<DevicePage, ErrorReply> {
        .success(try registry.quarantine(of: app, cursor: cursor, limit: Int(limit)))
    }
}

// MARK: Codec (Protocol 7.8)

extension QuarantineRequest {
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
