import CarillonCore
import CarillonRegistryTestKit
import Foundation
import Synchronization
import Testing

@testable import CarillonRegistry

/// A registry whose changes are durable in the log and not yet committed: what reads, messages and a crash see of them.
struct LMDBRegistryUncommittedTests {
    private let scratch = RegistryDirectory()

    /// The bytes of the header of a log, and of a sector, at whose border each record begins.
    private static let headerBytes = 56
    private static let sectorBytes = 4_096

    /// The number of bytes of the records. The sector of the header counts for an empty log as well.
    private var logged: Int { get throws { try logContents(at: scratch.path).count - Self.headerBytes } }

    @Test func `an answered change survives a crash before its commit`() throws {
        let registry = try scratch.openWithBulkIngest()
        let answers = try (1...200 as ClosedRange<UInt8>).map { try registry.apply(.register($0, topics: ["t"])) }
        try registry.apply([.unregister(7), .subscribe(["u"], devices: [byToken(8)])])
        try #require(try logged > 0)

        let crashed = try scratch.crashed()
        let again = try crashed.openWithBulkIngest()
        for (index, answer) in answers.enumerated() {
            #expect(answer == .registered(deviceID(UInt64(index) + 1), .created, ended: nil))
        }
        #expect(try again.device(byToken(200), of: game)?.id == deviceID(200))
        #expect(try again.device(byToken(7), of: game) == nil)
        #expect(try again.devices(in: .topic("t"), of: game, cursor: 0, limit: 1_000).devices.count == 199)
        #expect(try again.devices(in: .topic("u"), of: game, cursor: 0, limit: 10).devices == [deviceID(8)])
        #expect(try again.verify() == [])
        // Ids go on after those that were given.
        #expect(try again.apply(.register(201)) == .registered(deviceID(201), .created, ended: nil))
    }

    @Test func `a read sees every answered change`() throws {
        let registry = try scratch.openWithBulkIngest()
        for token in 1...50 as ClosedRange<UInt8> {
            try registry.apply(.register(token))
            if token.isMultiple(of: 5) {
                #expect(try registry.device(byToken(token), of: game) != nil)
            }
        }
    }

    /// The token index cache has room for four devices, and has lost the others.
    @Test(arguments: [false, true])
    func `a device is found without the token index cache`(isSubscribed: Bool) throws {
        let registry = try scratch.openWithBulkIngest { $0.bulkIngest.tokenIndexBuckets = 1 }
        // Bulk ingest begins with this change, which changes nothing: the filter of addresses is complete, and empty.
        try registry.apply(.updateDevice(250))
        for token in 1...16 as ClosedRange<UInt8> {
            #expect(try registry.apply(.register(token)) == .registered(deviceID(UInt64(token)), .created, ended: nil))
        }
        if isSubscribed {
            for token in 1...16 as ClosedRange<UInt8> {
                var expected = ChangeAnswer.MembershipChange()
                expected.device = deviceID(UInt64(token))
                (expected.changed, expected.affected) = (1, .devices([deviceID(UInt64(token))]))
                let answer = try registry.apply(.subscribe(["t"], devices: [byToken(token)]))
                #expect(answer == .membership(expected))
            }
        }
        for token in 1...16 as ClosedRange<UInt8> {
            #expect(
                try registry.apply(.register(token)) == .registered(deviceID(UInt64(token)), .refreshed, ended: nil))
        }
        #expect(try registry.verify() == [])
    }

    /// The small token index cache has lost most devices.
    @Test(arguments: [1, 1 << 10]) func `a new device is found by reads and messages`(tokenIndexBuckets: Int) throws {
        let registry = try scratch.openWithBulkIngest { $0.bulkIngest.tokenIndexBuckets = tokenIndexBuckets }
        try registry.apply(.updateDevice(250))
        for token in 1...16 as ClosedRange<UInt8> {
            let device = byToken(token)
            try registry.apply(.register(token))
            #expect(try registry.submittedPointRead(device)?.id == deviceID(UInt64(token)))
        }
        for token in 17...32 as ClosedRange<UInt8> { try registry.apply(.register(token)) }
        let devices = (17...33 as ClosedRange<UInt8>).map { byToken($0) }
        guard
            case .accepted(let acceptance, _) = try registry.apply(
                .accept(.sample(to: devices), now: timestamp(1_000)))
        else {
            Issue.record("refused")
            return
        }
        #expect(acceptance.total == 17)
        #expect(acceptance.ended == 1)
        for token in 34...49 as ClosedRange<UInt8> { try registry.apply(.register(token)) }
        let receipts = (34...50 as ClosedRange<UInt8>).map { token in
            Receipt(message: acceptance.id, device: byToken(token), kind: .opened)
        }
        let counted = try registry.apply(
            .countReceipts(ReceiptsRequest(app: game, receipts: receipts), now: timestamp(1_000)))
        #expect(counted == .receiptsCounted(0, unknown: (0...16).map { UInt32($0) }))
        #expect(try registry.verify() == [])
    }

    @Test func `a read of the writer shows that a device was muted`() throws {
        let registry = try scratch.openWithBulkIngest()
        try registry.apply([.register(1), .register(2)])
        for isMuted in [true, false, true] {
            try registry.apply(.updateDevice(1, isMuted: isMuted))
            #expect(!registry.isSnapshotCurrent)
            #expect(try registry.submittedPointRead(byToken(1))?.isMuted == isMuted)
            #expect(try registry.submittedPointRead(byToken(2))?.isMuted == false)
        }
    }

    @Test(.timeLimit(.minutes(1))) func `waiting changes are committed after a while without changes`() throws {
        let registry = try scratch.openWithBulkIngest { $0.checkpoints.idleCommitMilliseconds = 1 }
        try registry.apply(.register(1))
        // No read waits for the commit here, because it would make the commit due.
        while !registry.isSnapshotCurrent { sched_yield() }
        let copy = try scratch.copy(without: ["data.wal"])
        #expect(try LMDBRegistry(reading: copy.path).device(byToken(1), of: game)?.id == deviceID(1))
        registry.close()
    }

    @Test func `closing commits waiting changes`() throws {
        let registry = try scratch.openWithBulkIngest()
        try registry.apply(.register(1))
        registry.close()
        let copy = try scratch.copy(without: ["data.wal"])
        #expect(try LMDBRegistry(reading: copy.path).device(byToken(1), of: game) != nil)
    }

    @Test func `a device, a message and a group are durable without a commit`() throws {
        let registry = try scratch.openWithBulkIngest()
        try registry.apply(.register(1))
        try registry.apply(.accept(.sample(to: [byToken(1)]), now: timestamp(1_000)))
        try registry.apply(.updateGroup(UpdateGroupRequest(app: game, group: "g", isMuted: true)))
        let copy = try scratch.copy(without: ["data.wal"])
        #expect(try LMDBRegistry(reading: copy.path).device(byToken(1), of: game) == nil)
        let again = try scratch.crashed().openWithBulkIngest()
        #expect(try again.status(of: messageID(1), app: game)?.total == 1)
        #expect(try again.groups(of: game, prefix: "", after: "", limit: 1).rows.map(\.isMuted) == [true])
        #expect(try again.verify() == [])
        withExtendedLifetime(registry) {}
    }

    @Test func `a long read waits for a checkpoint and sees every answered change`() throws {
        let registry = try scratch.openWithBulkIngest()
        for token in 1...20 as ClosedRange<UInt8> {
            try registry.apply(.register(token, topics: ["t"]))
            let page = try registry.devices(in: .topic("t"), of: game, cursor: 0, limit: 100)
            #expect(page.devices.count == Int(token))
        }
    }

    /// The writer must abort the transaction and apply its changes again from the write-ahead log, with a larger map.
    @Test func `a map that fills up during bulk ingest grows`() throws {
        let registry = try scratch.openWithBulkIngest {
            $0.mapBytes = 1 << 20
        }
        let many = 20_000
        for start in stride(from: 0, to: many, by: 500) {
            let changes = (start..<start + 500).map { number -> Change in
                let registration = Registration(app: game, address: address(numbered: UInt64(number)))
                return .register(registration, now: timestamp(1_000))
            }
            try registry.apply(changes)
        }
        #expect(try registry.device(.id(deviceID(UInt64(many))), of: game) != nil)
        #expect(try registry.verify() == [])
    }

    /// A read on an event loop must not wait: it is run between two slices of changes.
    @Test func `a point read is run by the writer while no snapshot is current`() throws {
        let registry = try scratch.openWithBulkIngest()
        #expect(registry.isSnapshotCurrent)
        try registry.apply(.register(1))
        #expect(!registry.isSnapshotCurrent)
        #expect(try registry.pointRead(byToken(1)) == nil, "no snapshot shows a new device")
        #expect(try registry.submittedPointRead(byToken(1))?.id == deviceID(1))
        _ = try registry.verify()
        #expect(registry.isSnapshotCurrent)
        #expect(try registry.pointRead(byToken(1))?.id == deviceID(1))
        #expect(try registry.submittedPointRead(byToken(1))?.id == deviceID(1))
        registry.close()
        #expect(throws: RegistryError.closed) { try registry.submittedPointRead(byToken(1)) }
    }

    @Test func `reads of many threads beside bulk ingest see what was answered before`() throws {
        let registry = try scratch.openWithBulkIngest()
        let known = Mutex<UInt64>(0)
        DispatchQueue.concurrentPerform(iterations: 4) { worker in
            guard worker > 0 else {
                for number in 1...400 as ClosedRange<UInt64> {
                    let registration = Registration(app: game, address: address(numbered: number))
                    let change = Change.register(registration, now: timestamp(1_000))
                    #expect(throws: Never.self) { _ = try registry.apply(change) }
                    known.withLock { $0 = number }
                }
                return
            }
            var newest: UInt64 = 0
            while newest < 400 {
                newest = known.withLock { $0 }
                guard newest > 0 else { continue }
                #expect(throws: Never.self) { _ = try #require(try registry.device(.id(deviceID(newest)), of: game)) }
            }
        }
    }

    /// The tokens of devices that have been unregistered do not stay in the log.
    @Test func `after bulk ingest the log has only the last change`() throws {
        let uptime = Mutex<Uptime>(0)
        var options = LMDBRegistry.Options()
        options.ingestInBulk()
        options.bulkIngest.cacheLifetimeMilliseconds = 60_000
        options.settings = nil
        let registry = try LMDBRegistry(
            path: scratch.path, options: options, uptime: { uptime.withLock { $0 } })
        try registry.apply(.register(1))
        #expect(try registry.device(byToken(1), of: game) != nil)
        #expect(try logged > Self.sectorBytes - Self.headerBytes)
        uptime.withLock { $0 = 60_000 }
        try registry.apply(.updateGroup(UpdateGroupRequest(app: game, group: "g", isMuted: nil)))
        let oneRecord = Self.sectorBytes - Self.headerBytes...2 * Self.sectorBytes - Self.headerBytes
        #expect(try oneRecord.contains(logged))
        registry.close()
        #expect(try logged == Self.sectorBytes - Self.headerBytes, "the log of a closed registry has no record")
    }

    /// A reader beside the server does not take an old state for the present one.
    @Test func `a reader beside the server is told of uncommitted changes`() throws {
        let registry = try scratch.openWithBulkIngest()
        func isCurrent() throws -> Bool {
            // A process opens a registry only once, so a copy is read.
            let copy = try scratch.crashed()
            return try ServedLog(at: copy.path).waitUntilStored(timeout: .milliseconds(1))
        }
        #expect(try isCurrent())
        try registry.apply(.register(1))
        #expect(try !isCurrent())
        _ = try registry.verify()
        #expect(try isCurrent())
    }
}

extension LMDBRegistry {
    /// Reads one device as an event loop does.
    fileprivate func pointRead(_ reference: DeviceReference) throws -> DeviceRecord? {
        var answer: Result<PointReadResult?, RegistryError>?
        pointRead([.device(reference)], of: game) {
            answer = $1
            return true
        }
        guard case .device(let device)? = try answer?.get() else { return nil }
        return device
    }

    /// Reads one device as an event loop does while no snapshot is current.
    fileprivate func submittedPointRead(_ reference: DeviceReference) throws -> DeviceRecord? {
        let answered = DispatchSemaphore(value: 0)
        let answer = Mutex<Result<PointReadResult?, RegistryError>?>(nil)
        submitPointReads([.device(reference)], of: game, for: "reader") { results in
            answer.withLock { $0 = results.first }
            answered.signal()
        }
        answered.wait()
        guard case .device(let device)? = try #require(answer.withLock { $0 }).get() else { return nil }
        return device
    }
}
