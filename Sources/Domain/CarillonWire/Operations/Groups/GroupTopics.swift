package import CarillonCore

/// The request GROUP_TOPICS (Protocol 8.7).
package struct GroupTopicsRequest: LongReadOperation, PagedOperation {
    package typealias Answer = GroupTopicsAnswer

    package static let opcode = Opcode.groupTopics

    package var app: AppID
    package var group: GroupName
    /// The topic after which the page begins; empty = from the start.
    package var after: String
    /// The number of rows wanted, 1 to 1,000.
    package var limit: UInt32

    package init(app: AppID, group: GroupName, after: String = "", limit: UInt32) {
        self.app = app
        self.group = group
        self.after = after
        self.limit = limit
    }

    package func read(from registry: any ListingReads) throws(RegistryError) -> Result<GroupTopicsAnswer, RequestError>
    {
        let page = try registry.topics(of: group, app: app, after: after, limit: Int(limit))
        return .success(GroupTopicsAnswer(next: page.next, topics: page.rows.compactMap { TopicName($0.name) }))
    }
}

/// A page of the topics that a group is subscribed to (Protocol 8.7).
package struct GroupTopicsAnswer: Hashable, Sendable {
    /// The topic after which the next page begins; nil if this was the last.
    package var next: String?
    /// The topics, ascending.
    package var topics: [TopicName]

    package init(next: String?, topics: [TopicName]) {
        self.next = next
        self.topics = topics
    }
}

extension Opcode {
    package static let groupTopics = Opcode(rawValue: 0x0026)
}

// MARK: Codec (Protocol 8.7)

extension GroupTopicsRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(
            app: try reader.app(),
            group: try reader.group("group"),
            after: try reader.searchText("after"),
            limit: try reader.pageLimit()
        )
        try common.finish(&reader)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.string(group.name)
        writer.string(after)
        writer.u32(limit)
        writer.tags(common)
    }
}

extension GroupTopicsAnswer: PayloadAnswer {
    package init(from reader: inout PayloadReader) throws(WireError) {
        self.init(next: try reader.nextName(), topics: [])
        var topics: [TopicName] = []
        try reader.list("topics", elementBytes: 2) { reader, _ throws(WireError) in
            topics.append(try reader.topic("topics"))
        }
        self.topics = topics
        try reader.finishAnswer()
    }

    package func write(to writer: inout FrameWriter) {
        writer.string(next ?? "")
        writer.list(topics) { $0.string($1.name) }
    }
}
