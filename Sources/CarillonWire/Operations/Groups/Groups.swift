package import CarillonCore

extension Opcode {
    package static let groups = Opcode(rawValue: 0x0024)
}

/// GROUPS (Protocol 7a.5).
package struct GroupsRequest: ListingOperation, PagedOperation {
    package static let opcode = Opcode.groups

    package var app: AppID
    /// The prefix of the names; empty = all.
    package var prefix: String
    /// The name after which the page begins; empty = from the start.
    package var after: String
    /// Rows wanted, 1 to 1,000.
    package var limit: UInt32

    /// Makes a GROUPS.
    package init(app: AppID, prefix: String = "", after: String = "", limit: UInt32) {
        self.app = app
        self.prefix = prefix
        self.after = after
        self.limit = limit
    }

    package func read(from registry: any ListingReads) throws(RegistryError) -> Result<NamedSetPage, ErrorReply> {
        .success(try registry.groups(of: app, prefix: prefix, after: after, limit: Int(limit)))
    }
}

// MARK: Codec (Protocol 7a.5)

extension GroupsRequest {
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
        try reader.list("groups", elementBytes: 11) { reader, _ throws(WireFault) in
            let name = try reader.group("group").name
            rows.append(
                NamedSetPage.Row(name: name, devices: try reader.u64("devices"), isMuted: try reader.u8("muted") != 0))
        }
        try reader.finishAnswer()
        return NamedSetPage(next: next, rows: rows)
    }

    package static func write(_ answer: NamedSetPage, _ writer: inout FrameWriter) {
        writer.string(answer.next ?? "")
        writer.list(answer.rows) { writer, row in
            writer.string(row.name)
            writer.u64(row.devices)
            writer.u8(row.isMuted ? 1 : 0)
        }
    }
}
