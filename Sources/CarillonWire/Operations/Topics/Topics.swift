package import CarillonCore

extension Opcode {
    package static let topics = Opcode(rawValue: 0x0032)
}

/// TOPICS (Protocol 7b.2).
package struct TopicsRequest: ListingOperation, PagedOperation {
    package static let opcode = Opcode.topics

    package var app: AppID
    /// The prefix of the names; empty = all.
    package var prefix: String
    /// The name after which the page begins; empty = from the start.
    package var after: String
    /// Rows wanted, 1 to 1,000.
    package var limit: UInt32

    /// Makes a TOPICS.
    package init(app: AppID, prefix: String = "", after: String = "", limit: UInt32) {
        self.app = app
        self.prefix = prefix
        self.after = after
        self.limit = limit
    }

    package func read(from registry: any ListingReads) throws(RegistryError) -> Result<NamedSetPage, ErrorReply> {
        .success(try registry.topics(of: app, prefix: prefix, after: after, limit: Int(limit)))
    }
}

// MARK: Codec (Protocol 7b.2)

extension TopicsRequest {
    package init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(
            app: try reader.app(),
            prefix: try reader.searchText("prefix"),
            after: try reader.searchText("after"),
            limit: try reader.pageLimit()
        )
        try common.finish(&reader)
    }

    package func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.string(prefix)
        writer.string(after)
        writer.u32(limit)
        writer.tags(common)
    }

    package static func readAnswer(_ reader: inout PayloadReader) throws(WireFault) -> NamedSetPage {
        let next = try reader.nextName()
        var rows: [NamedSetPage.Row] = []
        try reader.list("topics", elementBytes: 10) { reader, _ throws(WireFault) in
            rows.append(NamedSetPage.Row(name: try reader.topic("topic").name, devices: try reader.u64("devices")))
        }
        try reader.finishAnswer()
        return NamedSetPage(next: next, rows: rows)
    }

    package static func write(_ answer: NamedSetPage, _ writer: inout FrameWriter) {
        writer.string(answer.next ?? "")
        writer.list(answer.rows) { writer, row in
            writer.string(row.name)
            writer.u64(row.devices)
        }
    }
}
