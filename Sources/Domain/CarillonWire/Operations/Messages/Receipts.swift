package import CarillonCore

/// The request RECEIPTS (Protocol 12.1).
extension ReceiptsRequest: IndividualOperation, AppOperation {
    package typealias Answer = ReceiptsAnswer

    package static let opcode = Opcode.receipts

    package consuming func individualRequest() -> IndividualRequest { .receipts(self) }
}

/// The answer to RECEIPTS (Protocol 12.1).
package struct ReceiptsAnswer: Hashable, Sendable {
    /// The number of receipts that are new.
    package var counted: UInt32
    /// The indices of receipts of the request that name no message, or no device of it.
    package var unknown: [UInt32]

    package init(counted: UInt32, unknown: [UInt32]) {
        self.counted = counted
        self.unknown = unknown
    }
}

extension Opcode {
    package static let receipts = Opcode(rawValue: 0x0070)
}

// MARK: Codec (Protocol 12.1)

extension ReceiptsRequest {
    /// The least bytes of a receipt: a message id, a `device` and a kind.
    private static let minimumReceiptBytes = 8 + PayloadReader.minimumDeviceBytes + 1

    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        let app = try reader.app()
        let counts = 1...WireLimits.batchItems
        let receipts = try reader.items("receipts", counts: counts, elementBytes: Self.minimumReceiptBytes) {
            reader throws(WireError) in
            Receipt(
                message: try reader.messageID(),
                device: try reader.deviceItem(),
                kind: try reader.receiptKind("kind"))
        }
        self.init(app: app, receipts: receipts)
        try common.finish(&reader)
    }

    /// The most bytes of a request besides its receipts: the length and the name of the app, the number of receipts,
    /// and the common fields.
    package static let maximumBytesWithoutReceipts = 2 + AppID.maximumBytes + 4 + CommonFields.maximumBytes

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.list(receipts) { writer, receipt in
            writer.u64(receipt.message.rawValue)
            writer.device(receipt.device)
            writer.u8(receipt.kind.rawValue)
        }
        writer.tags(common)
    }
}

extension Receipt {
    /// The bytes of the receipt on the wire: a message id, a `device` and a kind.
    package var byteCount: Int {
        let deviceBytes =
            switch device {
            case .id: 1 + 8
            case .address(let address): 1 + 1 + 1 + (1 + address.token.bytes.count)
            }
        return 8 + deviceBytes + 1
    }
}

extension ReceiptsAnswer: PayloadAnswer {
    package init(from reader: inout PayloadReader) throws(WireError) {
        self.init(counted: try reader.u32("counted"), unknown: try reader.indices("unknown"))
        try reader.finishAnswer()
    }

    package func write(to writer: inout FrameWriter) {
        writer.u32(counted)
        writer.list(unknown) { $0.u32($1) }
    }
}

extension PayloadReader {
    mutating func receiptKind(_ field: String) throws(WireError) -> ReceiptKind {
        let value = try u8(field)
        if let kind = ReceiptKind(rawValue: value) { return kind }
        recordInvalid(field, because: "a receipt of kind \(value) is neither received nor opened")
        return .received
    }
}
