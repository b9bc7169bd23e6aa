package import CarillonCore

/// A request GROUPS or TOPICS: they have the same payload (Protocol 8.5, 9.2).
package protocol NamedSetOperation: LongReadOperation, PagedOperation where Answer == NamedSetPage {
    var listing: NamedSetListing { get set }
    init(_ listing: NamedSetListing)
}

/// The fields of a request for a page of groups or topics.
package struct NamedSetListing: Hashable, Sendable {
    package var app: AppID
    /// The prefix of the names; empty = all.
    package var prefix: String
    /// The name after which the page begins; empty = from the start.
    package var after: String
    /// The number of rows wanted, 1 to 1,000.
    package var limit: UInt32
}

extension NamedSetOperation {
    package var app: AppID { listing.app }
    package var limit: UInt32 {
        get { listing.limit }
        set { listing.limit = newValue }
    }

    package init(app: AppID, prefix: String = "", after: String = "", limit: UInt32) {
        self.init(NamedSetListing(app: app, prefix: prefix, after: after, limit: limit))
    }

    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(
            app: try reader.app(),
            prefix: try reader.searchText("prefix"),
            after: try reader.searchText("after"),
            limit: try reader.pageLimit()
        )
        try common.finish(&reader)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(listing.app.name)
        writer.string(listing.prefix)
        writer.string(listing.after)
        writer.u32(listing.limit)
        writer.tags(common)
    }
}
