package import CarillonCore

/// The request STATISTICS (Protocol 13.1).
package struct StatisticsRequest: PagedOperation {
    package typealias Answer = ServerStatistics

    package static let opcode = Opcode.statistics

    /// The most rows of each list, 1 to 1,000.
    package var limit: UInt32

    package init(limit: UInt32) {
        self.limit = limit
    }
}

extension Opcode {
    package static let statistics = Opcode(rawValue: 0x0080)
}

// MARK: Codec (Protocol 13.1)

extension StatisticsRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(limit: try reader.pageLimit())
        try common.finish(&reader)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.u32(limit)
        writer.tags(common)
    }
}
