package import CarillonCore

/// The request RECEIPT_DEVICES (Protocol 12.2).
package struct ReceiptDevicesRequest: LongReadOperation, PagedOperation {
    package typealias Answer = DeviceIDPage

    package static let opcode = Opcode.receiptDevices

    package var app: AppID
    package var id: MessageID
    package var kind: ReceiptKind
    /// The cursor of the page: 0 for the first page, else as the last page gave it.
    package var cursor: UInt64
    /// The number of rows wanted, 1 to 1,000.
    package var limit: UInt32

    package init(app: AppID, id: MessageID, kind: ReceiptKind, cursor: UInt64 = 0, limit: UInt32) {
        self.app = app
        self.id = id
        self.kind = kind
        self.cursor = cursor
        self.limit = limit
    }

    package func read(from registry: any ListingReads) throws(RegistryError) -> Result<DeviceIDPage, RequestError> {
        let page = try registry.receipts(of: id, app: app, kind: kind, cursor: cursor, limit: Int(limit))
        return page.map { .success($0) } ?? .failure(.noMessage)
    }
}

extension Opcode {
    package static let receiptDevices = Opcode(rawValue: 0x0071)
}

// MARK: Codec (Protocol 12.2)

extension ReceiptDevicesRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(
            app: try reader.app(),
            id: try reader.messageID(),
            kind: try reader.receiptKind("kind"),
            cursor: try reader.u64("cursor"),
            limit: try reader.pageLimit()
        )
        try common.finish(&reader)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.u64(id.rawValue)
        writer.u8(kind.rawValue)
        writer.u64(cursor)
        writer.u32(limit)
        writer.tags(common)
    }
}
