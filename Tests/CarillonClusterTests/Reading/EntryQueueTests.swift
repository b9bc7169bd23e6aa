import CarillonCore
import Testing

@testable import CarillonCluster

/// The entries that were read and wait to be applied: their order and their bounds, in entries and in bytes.
struct EntryQueueTests {
    private var queue = EntryQueue(after: 7, maximumEntries: 2, maximumBytes: 200)

    private func entry(_ content: LogEntry.Content, format: UInt16 = 1) throws -> LogEntry {
        let node = try #require(NodeName("a"))
        let id = LogEntry.ID(member: Member(node: node, incarnation: 1), sequence: 2)
        return try #require(LogEntry(id: id, format: format, content: content))
    }

    private mutating func append(_ content: LogEntry.Content, format: UInt16 = 1) throws {
        let isThere = try queue.append(entry(content, format: format))
        #expect(isThere)
    }

    @Test mutating func theQueueHasRoomUntilEitherBoundIsReached() throws {
        #expect(queue.hasRoom)
        try append(.left)
        #expect(queue.hasRoom)
        try append(.left)
        #expect(!queue.hasRoom)
    }

    @Test mutating func aLargeEntryMayExceedTheBytes() throws {
        try append(.changes(Array(repeating: 0, count: 136)))
        #expect(!queue.hasRoom)
        #expect(queue.bytes == 200)
    }

    @Test mutating func anEntryOfAnUnknownFormatStaysInTheQueue() throws {
        for format in [1, 2, 1] as [UInt16] {
            try append(.left, format: format)
        }
        let taken = queue.takeApplicable(newestKnown: 1)
        #expect(taken.map(\.format) == [1])
        let takenBehindIt = queue.takeApplicable(newestKnown: 1)
        #expect(takenBehindIt == [])
        #expect(queue.entries.map(\.format) == [2, 1])
        #expect(queue.fetched == 10)
    }

    @Test mutating func theQueueContinuesBehindASnapshot() throws {
        try append(.began(#require(InitialState(kind: .empty, parameters: []))))
        #expect(queue.hasInitialState)
        queue.removeAll()
        #expect(!queue.hasInitialState)
        #expect(queue.bytes == 0)
        queue.restart(after: 100)
        try append(.left)
        #expect(queue.fetched == 101)
    }

    @Test mutating func noEntryFollowsTheLastPosition() throws {
        queue.restart(after: .last)
        let isThere = try queue.append(entry(.left))
        #expect(!isThere)
        #expect(queue.entries == [])
    }
}
