package import CarillonCore

/// The request MESSAGE_OUTCOMES (Protocol 10.3).
package struct MessageOutcomesRequest: LongReadOperation, PagedOperation {
    package typealias Answer = RecipientOutcomePage

    package static let opcode = Opcode.messageOutcomes

    package var app: AppID
    package var id: MessageID
    /// The cursor of the page: 0 for the first page, else as the last page gave it.
    package var cursor: UInt64
    /// The number of rows wanted, 1 to 1,000.
    package var limit: UInt32

    package init(app: AppID, id: MessageID, cursor: UInt64 = 0, limit: UInt32) {
        self.app = app
        self.id = id
        self.cursor = cursor
        self.limit = limit
    }

    package func read(from registry: any ListingReads) throws(RegistryError) -> Result<
        RecipientOutcomePage, RequestError
    > {
        guard let page = try registry.outcomes(of: id, app: app, cursor: cursor, limit: Int(limit)) else {
            return .failure(.noMessage)
        }
        return .success(page)
    }
}

extension Opcode {
    package static let messageOutcomes = Opcode(rawValue: 0x0052)
}

// MARK: Codec (Protocol 10.3)

extension MessageOutcomesRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(
            app: try reader.app(),
            id: try reader.messageID(),
            cursor: try reader.u64("cursor"),
            limit: try reader.pageLimit()
        )
        try common.finish(&reader)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.u64(id.rawValue)
        writer.u64(cursor)
        writer.u32(limit)
        writer.tags(common)
    }
}

extension RecipientOutcomePage: PayloadAnswer {
    package init(from reader: inout PayloadReader) throws(WireError) {
        self.init(next: try reader.u64("next"), recipients: [])
        var recipients: [RecipientOutcome] = []
        try reader.list("recipients", elementBytes: 8 + 1) { reader, _ throws(WireError) in
            let id = try reader.u64("device_id")
            recipients.append(
                RecipientOutcome(
                    device: id == 0 ? nil : DeviceID(rawValue: id),
                    outcome: Outcome(rawValue: try reader.u8("outcome"))))
        }
        self.recipients = recipients
        try reader.finishAnswer()
    }

    package func write(to writer: inout FrameWriter) {
        writer.u64(next)
        writer.list(recipients) { writer, row in
            writer.u64(row.device?.rawValue ?? 0)
            writer.u8(row.outcome.rawValue)
        }
    }
}
