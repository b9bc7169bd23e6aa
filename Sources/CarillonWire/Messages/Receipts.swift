package import CarillonCore

/// RECEIPTS (Protocol 8b.1).
package struct ReceiptBatch: Hashable, Sendable {
    /// The app.
    package var app: AppID
    /// What has arrived or was opened, 1 to 1,000.
    package var receipts: [Receipt]

    /// Makes a RECEIPTS.
    package init(app: AppID, receipts: [Receipt]) {
        self.app = app
        self.receipts = receipts
    }
}

/// RECEIPT_DEVICES (Protocol 8b.2).
package struct ReceiptsQuery: Hashable, Sendable {
    /// The app.
    package var app: AppID
    /// The message.
    package var id: MessageID
    /// Which receipts.
    package var kind: ReceiptKind
    /// 0 = from the start, else as the last page gave it.
    package var cursor: UInt64
    /// Rows wanted, 1 to 1,000.
    package var limit: UInt32

    /// Makes a RECEIPT_DEVICES.
    package init(app: AppID, id: MessageID, kind: ReceiptKind, cursor: UInt64 = 0, limit: UInt32) {
        self.app = app
        self.id = id
        self.kind = kind
        self.cursor = cursor
        self.limit = limit
    }
}

/// What a RECEIPTS did (Protocol 8b.1).
package struct ReceiptCount: Hashable, Sendable {
    /// Receipts that are new.
    package var counted: UInt32
    /// Which receipts of the request name no message, or no device of it, by index.
    package var unknown: [UInt32]

    /// Makes an answer.
    package init(counted: UInt32, unknown: [UInt32]) {
        self.counted = counted
        self.unknown = unknown
    }
}

extension PayloadReader {
    fileprivate mutating func receiptKind(_ field: String) throws(WireFault) -> ReceiptKind {
        let value = try u8(field)
        if let kind = ReceiptKind(rawValue: value) { return kind }
        note(field, "a receipt of kind \(value) is neither received nor opened")
        return .received
    }
}

extension ReceiptBatch {
    /// The least bytes of a receipt: a message id, a `device` and a kind.
    private static let leastReceiptBytes = 8 + PayloadReader.leastDeviceBytes + 1

    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        let app = try reader.app()
        let counts = 1...WireLimits.batch
        let receipts = try reader.items("receipts", counts, elementBytes: Self.leastReceiptBytes) {
            reader throws(WireFault) in
            Receipt(
                message: MessageID(rawValue: try reader.u64("message_id")),
                device: try reader.deviceHere(),
                kind: try reader.receiptKind("kind"))
        }
        self.init(app: app, receipts: receipts)
        try common.finish(&reader)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.list(receipts) { writer, receipt in
            writer.u64(receipt.message.rawValue)
            writer.device(receipt.device)
            writer.u8(receipt.kind.rawValue)
        }
        writer.tags(common)
    }
}

extension ReceiptsQuery {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(
            app: try reader.app(),
            id: MessageID(rawValue: try reader.u64("message_id")),
            kind: try reader.receiptKind("kind"),
            cursor: try reader.u64("cursor"),
            limit: try reader.pageLimit()
        )
        try common.finish(&reader)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.u64(id.rawValue)
        writer.u8(kind.rawValue)
        writer.u64(cursor)
        writer.u32(limit)
        writer.tags(common)
    }
}

extension ReceiptCount {
    init(_ reader: inout PayloadReader) throws(WireFault) {
        self.init(counted: try reader.u32("counted"), unknown: try reader.indices("unknown"))
        try reader.finish(ignoringUnknown: true) { _, _, _ in false }
    }

    func write(_ writer: inout FrameWriter) {
        writer.u32(counted)
        writer.list(unknown) { $0.u32($1) }
    }
}
