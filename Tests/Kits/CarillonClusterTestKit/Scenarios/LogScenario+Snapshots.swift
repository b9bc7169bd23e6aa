import CarillonCluster
import CarillonCore

/// The scenarios of snapshots, and of the entries that are removed because a snapshot has them.
extension LogScenario {
    // MARK: Snapshots

    private static func snapshotHeader(of member: Member, at position: LogPosition) -> SnapshotHeader {
        SnapshotHeader(member: member, position: position, hash: UUIDBytes(high: 1, low: 2), format: 3)
    }

    static let snapshots: [LogScenario] = [
        LogScenario("a snapshot is there for all nodes when it is complete") { deployment in
            let a = try TestNode(deployment, "a")
            let b = try TestNode(deployment, "b")
            let header = snapshotHeader(of: try await a.join().member, at: 1)
            let chunks = [SnapshotHeader.maximumChunkBytes, SnapshotHeader.maximumChunkBytes, 17].enumerated().map {
                [UInt8](repeating: UInt8($0 + 1), count: $1)
            }
            let id = try await a.beginSnapshot(header).get()
            for (number, bytes) in chunks.enumerated() {
                try require(await a.putChunk(bytes, number: UInt32(number), of: id), is: nil)
            }
            try require(try await b.view().snapshots, is: [])
            try require(await b.chunk(0, of: id), is: .failure(.noSnapshot))

            try require(await a.completeSnapshot(id, chunks: 3), is: nil)
            let bytes = UInt64(chunks.joined().count)
            try require(try await b.view().snapshots, is: [Snapshot(id: id, header: header, chunks: 3, bytes: bytes)])
            for (number, bytes) in chunks.enumerated() {
                let found = try await b.chunk(UInt32(number), of: id).get()
                try require(found == bytes, is: true, "chunk \(number)")
            }
        },
        LogScenario("a chunk that is stored again replaces the first") { deployment in
            let node = try TestNode(deployment, "a")
            let id = try await node.beginSnapshot(snapshotHeader(of: try await node.join().member, at: 1)).get()
            try require(await node.putChunk([9, 9], number: 0, of: id), is: nil)
            try require(await node.putChunk([1], number: 0, of: id), is: nil)
            try require(await node.completeSnapshot(id, chunks: 1), is: nil)
            try require(await node.chunk(0, of: id), is: .success([1]))
        },
        LogScenario("a snapshot is completed only when it has all chunks") { deployment in
            let node = try TestNode(deployment, "a")
            let id = try await node.beginSnapshot(snapshotHeader(of: try await node.join().member, at: 1)).get()
            try require(await node.putChunk([1], number: 0, of: id), is: nil)
            try require(await node.putChunk([3], number: 2, of: id), is: nil)
            let failure = await node.completeSnapshot(id, chunks: 3)
            guard case .refused(_)? = failure else { throw ScenarioFailure(description: "\(failure as Any)") }
            try require(try await node.view().snapshots, is: [])
            try require(await node.putChunk([2], number: 1, of: id), is: nil)
            try require(await node.completeSnapshot(id, chunks: 3), is: nil)
            try require(try await node.view().snapshots.map(\.id), is: [id])
        },
        LogScenario("a snapshot whose completion had an unknown end is completed again") { deployment in
            let node = try TestNode(deployment, "a")
            let id = try await node.beginSnapshot(snapshotHeader(of: try await node.join().member, at: 1)).get()
            try require(await node.putChunk([1], number: 0, of: id), is: nil)
            try require(await node.completeSnapshot(id, chunks: 1), is: nil)
            try require(await node.completeSnapshot(id, chunks: 1), is: nil)
            try require(try await node.view().snapshots.map(\.id), is: [id])
        },
        LogScenario("a complete snapshot takes no chunk") { deployment in
            let node = try TestNode(deployment, "a")
            let id = try await node.putSnapshot(try await node.join().member, at: 1, chunks: [[1]])
            try require(await node.putChunk([2], number: 1, of: id), is: .noSnapshot)
        },
        LogScenario("one snapshot is made at a time") { deployment in
            let a = try TestNode(deployment, "a")
            let b = try TestNode(deployment, "b")
            let first = try await a.join().member
            let second = try await b.join().member
            _ = try await a.beginSnapshot(snapshotHeader(of: first, at: 2)).get()
            try require(
                await b.beginSnapshot(snapshotHeader(of: second, at: 2)), is: .failure(.snapshotUnderWay(by: first)))
        },
        LogScenario("the snapshot of a member that has left blocks no other") { deployment in
            let a = try TestNode(deployment, "a")
            let b = try TestNode(deployment, "b")
            let first = try await a.join().member
            let second = try await b.join().member
            let unfinished = try await a.beginSnapshot(snapshotHeader(of: first, at: 1)).get()
            try require(await a.putChunk([1], number: 0, of: unfinished), is: nil)
            _ = try await a.append(first, 2, .left).get()
            let complete = try await b.putSnapshot(second, at: 2, chunks: [[2]])
            try require(try await b.view().snapshots.map(\.id), is: [complete])
            try require(await a.putChunk([1], number: 1, of: unfinished), is: .noSnapshot)
        },
    ]

    // MARK: Trimming

    /// Joins, and appends the entries at the positions 2 to 9.
    private static func nineEntries(_ node: TestNode) async throws -> Member {
        let member = try await node.join().member
        for sequence in 2...9 as ClosedRange<UInt64> { _ = try await node.append(member, sequence, "x").get() }
        return member
    }

    static let trimming: [LogScenario] = [
        LogScenario("only entries before the newest snapshot are trimmed") { deployment in
            let node = try TestNode(deployment, "a")
            let member = try await nineEntries(node)
            let early = await node.trim(through: 1)
            guard case .refused(_)? = early else { throw ScenarioFailure(description: "no snapshot: \(early as Any)") }
            _ = try await node.putSnapshot(member, at: 6, chunks: [[1]])
            let beyond = await node.trim(through: 7)
            guard case .refused(_)? = beyond else { throw ScenarioFailure(description: "beyond: \(beyond as Any)") }
            try require(await node.trim(through: 6), is: nil)
            try require(try await node.view().ends, is: LogEnds(head: 9, trimmed: 6))
        },
        LogScenario("a read of what is trimmed says so") { deployment in
            let node = try TestNode(deployment, "a")
            let member = try await nineEntries(node)
            _ = try await node.putSnapshot(member, at: 6, chunks: [[1]])
            try require(await node.trim(through: 3), is: nil)
            try require(await node.read(after: 2), is: .failure(.trimmed(through: 3)))
            try require(try await node.readAll(after: 3).count, is: 6)
            let page = try await node.answer {
                node.log.awaitEntries(after: 2, withinMilliseconds: TestNode.callMilliseconds, $0)
            }
            try require(page, is: LogPage(ends: LogEnds(head: 9, trimmed: 3)))
        },
        LogScenario("snapshots before the position of a trim are removed") { deployment in
            let node = try TestNode(deployment, "a")
            let member = try await nineEntries(node)
            let old = try await node.putSnapshot(member, at: 4, chunks: [[1], [2]])
            let new = try await node.putSnapshot(member, at: 6, chunks: [[3]])
            try require(await node.trim(through: 3), is: nil)
            try require(try await node.view().snapshots.map(\.id), is: [new, old])
            try require(await node.trim(through: 6, snapshotsBefore: 6), is: nil)
            try require(try await node.view().snapshots.map(\.id), is: [new])
            try require(await node.read(after: 5), is: .failure(.trimmed(through: 6)))
        },
        LogScenario("a trimmed log goes on, and its entries are settled") { deployment in
            let node = try TestNode(deployment, "a")
            let member = try await nineEntries(node)
            _ = try await node.putSnapshot(member, at: 6, chunks: [[1]])
            try require(await node.trim(through: 6), is: nil)
            try require(await node.append(member, 10, "y"), is: .success(10))
            try require(try await node.readAll(after: 6).count, is: 4)
            try require(try await node.settle(member, 10), is: .appended(10))
            try require(try await node.settle(member, 11), is: .never)
        },
    ]
}
