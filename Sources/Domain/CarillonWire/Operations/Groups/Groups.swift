package import CarillonCore

/// The request GROUPS (Protocol 8.5).
package struct GroupsRequest: NamedSetOperation {
    package static let opcode = Opcode.groups

    package var listing: NamedSetListing

    package init(_ listing: NamedSetListing) {
        self.listing = listing
    }

    package func read(from registry: any ListingReads) throws(RegistryError) -> Result<NamedSetPage, RequestError> {
        .success(
            try registry.groups(of: app, prefix: listing.prefix, after: listing.after, limit: Int(limit)))
    }
}

extension Opcode {
    package static let groups = Opcode(rawValue: 0x0024)
}

// MARK: Codec (Protocol 8.5)

extension GroupsRequest {
    package static func readAnswer(from reader: inout PayloadReader) throws(WireError) -> NamedSetPage {
        let next = try reader.nextName()
        var rows: [NamedSetPage.Row] = []
        try reader.list("groups", elementBytes: 2 + 8 + 1) { reader, _ throws(WireError) in
            let name = try reader.group("group").name
            rows.append(
                NamedSetPage.Row(name: name, devices: try reader.u64("devices"), isMuted: try reader.u8("muted") != 0))
        }
        try reader.finishAnswer()
        return NamedSetPage(next: next, rows: rows)
    }

    package static func write(_ answer: NamedSetPage, to writer: inout FrameWriter) {
        writer.string(answer.next ?? "")
        writer.list(answer.rows) { writer, row in
            writer.string(row.name)
            writer.u64(row.devices)
            writer.u8(row.isMuted ? 1 : 0)
        }
    }
}
