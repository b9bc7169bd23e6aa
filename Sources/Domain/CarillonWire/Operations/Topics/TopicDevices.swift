package import CarillonCore

/// The request TOPIC_DEVICES (Protocol 9.3).
package struct TopicDevicesRequest: LongReadOperation, PagedOperation {
    package typealias Answer = DeviceIDPage

    package static let opcode = Opcode.topicDevices

    package var app: AppID
    package var topic: TopicName
    /// The cursor of the page: 0 for the first page, else as the last page gave it.
    package var cursor: UInt64
    /// The number of rows wanted, 1 to 1,000.
    package var limit: UInt32

    package init(app: AppID, topic: TopicName, cursor: UInt64 = 0, limit: UInt32) {
        self.app = app
        self.topic = topic
        self.cursor = cursor
        self.limit = limit
    }

    package func read(from registry: any ListingReads) throws(RegistryError) -> Result<DeviceIDPage, RequestError> {
        .success(try registry.devices(in: .topic(topic), of: app, cursor: cursor, limit: Int(limit)))
    }
}

extension Opcode {
    package static let topicDevices = Opcode(rawValue: 0x0033)
}

// MARK: Codec (Protocol 9.3)

extension TopicDevicesRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(
            app: try reader.app(),
            topic: try reader.topic("topic"),
            cursor: try reader.u64("cursor"),
            limit: try reader.pageLimit()
        )
        try common.finish(&reader)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.string(topic.name)
        writer.u64(cursor)
        writer.u32(limit)
        writer.tags(common)
    }
}
