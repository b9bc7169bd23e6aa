import CarillonCore
import Testing

@testable import CarillonCluster

/// A replica may need a snapshot, and loads one of those in the log database.
struct SnapshotLoadingTests {
    private var loading = SnapshotLoading.notNeeded

    private func makeSnapshot(at position: LogPosition, format: UInt16 = 1) throws -> Snapshot {
        let member = Member(node: try #require(NodeName("b")), incarnation: 2)
        let header = SnapshotHeader(member: member, position: position, hash: .zero, format: format)
        return Snapshot(id: SnapshotID(position.number), header: header, chunks: 1, bytes: 1)
    }

    @Test mutating func `no snapshot is chosen unless one is needed`() throws {
        let snapshots = [try makeSnapshot(at: 9)]
        #expect(loading.choose(among: snapshots, beyond: 3, newestKnown: 1) == nil)
        loading.awaitSnapshot()
        #expect(loading.choose(among: snapshots, beyond: 3, newestKnown: 1) == .load(snapshots[0]))
        loading.begin(snapshots[0])
        #expect(loading.choose(among: snapshots, beyond: 3, newestKnown: 1) == nil)
    }

    @Test mutating func `the newest snapshot of a known format beyond the replica is chosen`() throws {
        loading.awaitSnapshot()
        let snapshots = try [makeSnapshot(at: 9, format: 2), makeSnapshot(at: 8), makeSnapshot(at: 7)]
        #expect(loading.choose(among: snapshots, beyond: 3, newestKnown: 1) == .load(snapshots[1]))
        #expect(loading.choose(among: snapshots, beyond: 8, newestKnown: 1) == .unknownFormat(snapshots[0].header))
        #expect(loading.choose(among: snapshots, beyond: 9, newestKnown: 1) == nil)
        #expect(loading.choose(among: [], beyond: 3, newestKnown: 1) == nil)
    }

    @Test mutating func `a snapshot is needed until one is loaded`() throws {
        let snapshot = try makeSnapshot(at: 9)
        loading.awaitSnapshot()
        loading.begin(snapshot)
        // The log is trimmed further in the meantime.
        loading.awaitSnapshot()
        #expect(loading.snapshot == snapshot)
        loading.end(isLoaded: false)
        #expect(loading == .awaited)
        loading.begin(snapshot)
        loading.end(isLoaded: true)
        #expect(!loading.isNeeded)
        #expect(loading.snapshot == nil)
    }
}
