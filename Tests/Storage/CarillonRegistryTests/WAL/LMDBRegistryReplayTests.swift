import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import CarillonWire
import Foundation
import Testing

@testable import CarillonRegistry

/// Replays answered changes where there is hardly any room, little memory, or a damaged page.
struct LMDBRegistryReplayTests {
    private let scratch = RegistryDirectory()

    private func openSmall(_ scratch: RegistryDirectory) throws -> LMDBRegistry {
        try scratch.openWithBulkIngest { ($0.mapBytes, $0.maximumMapBytes) = (1 << 20, 2 << 20) }
    }

    @Test func `a long log is applied in pieces`() throws {
        let registry = try scratch.open { $0.ingestInBulk() }
        for token in 1...50 as ClosedRange<UInt8> { try registry.apply([.register(token), .register(token)]) }
        let crashed = try scratch.crashed()
        let again = try crashed.open { $0.checkpoints.changedDatabasePages = 1 }
        #expect(try again.statistics().commits > 50)
        #expect(try again.device(byToken(50), of: game)?.id == deviceID(50))
        #expect(try again.verify() == [])
    }

    /// A process that ends while the halves are stored: applied twice, the second device would get the topic of the
    /// first.
    @Test(arguments: 1...3) func `no change is applied twice`(stored: Int) throws {
        let registry = try scratch.open { $0.ingestInBulk() }
        let changes = [
            Change.register(1, now: 1_000), .subscribe(["t"], devices: [byToken(1)]),
            .unregister(1, at: 2_000, now: 2_000),
            .register(1, seenAt: 3_000, now: 3_000),
        ]
        for result in registry.applyEach(changes.map { ($0, nil) }) { _ = try result.get() }
        let crashed = try scratch.crashed()
        do {
            let writer = try TestWriter(crashed)
            var results: [Writer.SubmissionResult] = []
            try writer.writer.storeByBisection(try writer.writer.loggedMutations()[..<stored], into: &results)
            #expect(results.count == stored)
            for result in results { _ = try result.get() }
        }
        let again = try crashed.open()
        #expect(try again.device(byToken(1), of: game)?.id == deviceID(2))
        #expect(try again.devices(in: .topic("t"), of: game, cursor: 0, limit: 10).devices == [])
        #expect(try again.verify() == [])
    }

    /// Random tokens change pages all over the file, and each changed page is a copy until the commit.
    @Test func `bulk ingest into a nearly full database does not stop it`() throws {
        let registry = try openSmall(scratch)
        let (answered, refusal) = try registry.applyUntilRefused { Change.registrations(100, round: $0) }
        #expect(refusal == .storageFull)
        #expect(answered > 1_000)
        // The registry goes on: it reads, accepts changes that make room, and refuses the others.
        let crashed = try scratch.crashed()
        for registry in [registry, try openSmall(crashed)] {
            #expect(try registry.device(.id(deviceID(UInt64(answered))), of: game) != nil)
            #expect(try registry.apply(.unregister(id: 1)) == .unregistered(deviceID(1)))
            #expect(try registry.verify() == [])
        }
    }

    /// Makes the files of a server that is killed with 10,000 changes in its log, and whose map has 1 MiB. The program
    /// before wrote such logs; a limit that is lowered has the same effect.
    private func crashedWithMoreThanTheMapHolds() throws -> RegistryDirectory {
        let small = try openSmall(scratch)
        let large = try scratch.crashed()
        small.close()
        let registry = try large.open {
            $0.ingestInBulk()
        }
        for round in 0..<20 { try registry.apply(Change.registrations(500, round: round)) }
        return try large.crashed()
    }

    @Test func `answered changes are applied beyond the limit`() throws {
        let crashed = try crashedWithMoreThanTheMapHolds()
        let registry = try crashed.open { ($0.mapBytes, $0.maximumMapBytes) = (1 << 20, 1 << 20) }
        #expect(try registry.statistics().bytes > 1 << 20)
        #expect(try registry.device(.id(deviceID(10_000)), of: game) != nil)
        #expect(throws: RegistryError.storageFull) { try registry.apply(Change.registrations(1, round: 99_999)) }
        #expect(try registry.apply(.unregister(id: 1)) == .unregistered(deviceID(1)))
        #expect(try registry.verify() == [])
    }

    /// The overdraft is bounded too.
    @Test func `a start without room for the log says what to do`() throws {
        let crashed = try crashedWithMoreThanTheMapHolds()
        let error = #expect(throws: RegistryError.self) {
            try crashed.open { ($0.mapBytes, $0.maximumMapBytes, $0.overdraftBytes) = (1 << 20, 1 << 20, 0) }
        }
        #expect("\(try #require(error))".contains("raise data.limitMebibytes"))
        #expect(try crashed.open().device(.id(deviceID(10_000)), of: game) != nil)
    }

    /// LMDB has the same error for a full disk as for a broken one.
    @Test func `an error of a full disk says so`() {
        let note = SpaceMonitor.fullDiskNote(path: "/data", freeBytes: 300 << 10)
        #expect(note.contains("The file system of /data is full (300 KiB free)"))
        #expect(SpaceMonitor.fullDiskNote(path: "/data", freeBytes: 1 << 30) == "")
        #expect(SpaceMonitor.fullDiskNote(path: "/data", freeBytes: nil) == "")
    }

    /// A damaged row costs one change. A damaged page is met by any number of changes: the start is refused, and the
    /// log stays.
    @Test func `a damaged page stops the replay and loses no answered change`() throws {
        let first = try scratch.open()
        for round in 0..<4 { try first.apply(Change.registrations(500, round: round)) }
        first.close()
        let registry = try scratch.open { $0.ingestInBulk() }
        for number in 1...100 as ClosedRange<UInt64> {
            let update = DeviceUpdate(locale: "de", attributes: [], isMuted: nil)
            try registry.apply(
                .updateDevice(UpdateDeviceRequest(app: game, device: .id(deviceID(number)), update: update)))
        }
        let crashed = try scratch.crashed()
        var data = try Data(contentsOf: crashed.file("data.mdb"))
        // All pages with rows of devices lose their kind.
        let row = Change.registrations(1, round: 0).compactMap { change -> [UInt8]? in
            guard case .register(let registration, _) = change else { return nil }
            return registration.address.token.bytes
        }[0]
        var damaged = 0
        for page in stride(from: 8_192, to: data.count, by: 4_096)
        where data[page..<page + 4_096].firstRange(of: row) != nil {
            data[page + 10] = 0
            damaged += 1
        }
        try #require(damaged > 0)
        try data.write(to: crashed.file("data.mdb"))
        let reported = UnreadableReports()
        let error = #expect(throws: RegistryError.self) { try crashed.open { $0.onUnreadable = reported.record } }
        #expect("\(try #require(error))".contains("they stay in the write-ahead log. Restore a backup"))
        #expect(reported.take() == [])
        #expect(try WALReport(at: crashed.path).changeCount == 100)
    }
}

/// A writer without its thread.
private final class TestWriter {
    let writer: Writer

    init(_ scratch: RegistryDirectory) throws {
        let options = LMDBRegistry.Options()
        var environmentOptions = LMDBEnvironment.Options()
        environmentOptions.mapBytes = 16 << 20
        environmentOptions.maximumDatabases = Tables.databaseCount
        let lock = try DirectoryLock(path: scratch.path)
        let environment = try LMDBEnvironment(path: scratch.path, options: environmentOptions)
        let identity = try RegistryIdentity(of: environment)
        let tables = try Tables(environment, identity: identity, ifMissing: .fail)
        let stored = try environment.read { (transaction) throws in try tables.meta.storedWAL(in: transaction) }
        let wal = try WriteAheadLog(
            directory: WALDirectory(path: scratch.path), epoch: identity.epoch, stored: stored)
        let storage = Writer.Storage(
            lock: lock, environment: environment, tables: tables, wal: wal, queue: WriteQueue(options: options),
            readGate: ReadGate(), replica: nil)
        writer = Writer(storage, options: options, uptime: { 0 }, onEvents: { _ in }, onFailure: { _ in })
    }
}
