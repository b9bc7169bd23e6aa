package import CarillonCore

/// The request TOPICS (Protocol 9.2).
package struct TopicsRequest: NamedSetOperation {
    package static let opcode = Opcode.topics

    package var listing: NamedSetListing

    package init(_ listing: NamedSetListing) {
        self.listing = listing
    }

    package func read(from registry: any ListingReads) throws(RegistryError) -> Result<NamedSetPage, RequestError> {
        .success(
            try registry.topics(of: app, prefix: listing.prefix, after: listing.after, limit: Int(limit)))
    }
}

extension Opcode {
    package static let topics = Opcode(rawValue: 0x0032)
}

// MARK: Codec (Protocol 9.2)

extension TopicsRequest {
    package static func readAnswer(from reader: inout PayloadReader) throws(WireError) -> NamedSetPage {
        let next = try reader.nextName()
        var rows: [NamedSetPage.Row] = []
        try reader.list("topics", elementBytes: 2 + 8) { reader, _ throws(WireError) in
            rows.append(NamedSetPage.Row(name: try reader.topic("topic").name, devices: try reader.u64("devices")))
        }
        try reader.finishAnswer()
        return NamedSetPage(next: next, rows: rows)
    }

    package static func write(_ answer: NamedSetPage, to writer: inout FrameWriter) {
        writer.string(answer.next ?? "")
        writer.list(answer.rows) { writer, row in
            writer.string(row.name)
            writer.u64(row.devices)
        }
    }
}
