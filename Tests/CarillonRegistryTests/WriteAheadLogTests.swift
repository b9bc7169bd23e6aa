import CarillonCore
import Foundation
import Synchronization
import Testing

@testable import CarillonRegistry

/// When a batch is committed and when the journal is enough.
struct CheckpointPolicyTests {
    private func policy(_ change: (inout LMDBRegistry.WALLimits) -> Void = { _ in }) -> CheckpointPolicy {
        var limits = LMDBRegistry.WALLimits()
        change(&limits)
        return CheckpointPolicy(limits: limits)
    }

    @Test func aFewChangesAreCommittedAndBulkIngestIsLogged() {
        let policy = policy()
        #expect(!policy.admits(changes: 255, bytes: 0, pages: 0, at: 0))
        #expect(policy.admits(changes: 256, bytes: 0, pages: 0, at: 0))
        #expect(policy.idleTimeoutMilliseconds == nil)
    }

    @Test func duringBulkIngestFewChangesAreLoggedToo() {
        var policy = policy()
        policy.appended(changes: 256, at: 0)
        #expect(policy.admits(changes: 1, bytes: 0, pages: 0, at: 0))
        #expect(policy.idleTimeoutMilliseconds == 5)
        policy.checkpointed()
        #expect(!policy.admits(changes: 1, bytes: 0, pages: 0, at: 0))
        #expect(policy.idleTimeoutMilliseconds == nil)
    }

    @Test func soManyChangesBytesAndMillisecondsWaitAndNoMore() {
        var policy = policy {
            ($0.mostChanges, $0.mostBytes, $0.maximumDelayMilliseconds) = (40_000, 8 << 20, 500)
        }
        policy.appended(changes: 39_000, at: 100)
        #expect(policy.admits(changes: 1_000, bytes: 8 << 20, pages: 0, at: 599))
        #expect(!policy.admits(changes: 1_001, bytes: 0, pages: 0, at: 100))
        #expect(!policy.admits(changes: 1, bytes: 8 << 20 + 1, pages: 0, at: 100))
        #expect(!policy.admits(changes: 1, bytes: 0, pages: 0, at: 600))
        #expect(policy.admits(changes: 1, bytes: 0, pages: 65_536, at: 100))
        #expect(!policy.admits(changes: 1, bytes: 0, pages: 65_537, at: 100))
    }

    @Test func forASecondAfterAReadEveryBatchIsCommitted() {
        var policy = policy()
        policy.otherWorkSeen(at: 5_000)
        #expect(!policy.admits(changes: 1_000, bytes: 0, pages: 0, at: 5_999))
        #expect(policy.admits(changes: 1_000, bytes: 0, pages: 0, at: 6_000))
        policy.otherWorkSeen(at: .max)
        #expect(!policy.admits(changes: 1_000, bytes: 0, pages: 0, at: .max - 1))
    }

    @Test func nothingIsLoggedForTenSecondsAfterOtherWorkHadToWait() {
        var policy = policy()
        policy.appended(changes: 1_000, at: 5_000)
        policy.otherWorkSeen(at: 5_000)
        policy.checkpointed()
        policy.otherWorkSeen(at: 6_000)
        #expect(!policy.admits(changes: 1_000, bytes: 0, pages: 0, at: 14_999))
        #expect(policy.admits(changes: 1_000, bytes: 0, pages: 0, at: 15_000))
    }

    @Test func aMinuteAfterBulkIngestItsCachesAreReleasedOnce() {
        var policy = policy()
        func rested(at times: UInt64...) -> [Bool] { times.map { policy.bulkIngestHasEnded(at: $0) } }
        #expect(rested(at: 100_000) == [false])
        policy.appended(changes: 1_000, at: 100_000)
        #expect(rested(at: 200_000) == [false], "it waits for its commit")
        policy.checkpointed()
        #expect(rested(at: 159_999, 160_000, 300_000) == [false, true, false])
    }

    @Test func aLimitThatIsNeverReachedTurnsTheLogOff() {
        #expect(!policy { $0.leastChanges = .max }.admits(changes: 40_000, bytes: 0, pages: 0, at: 0))
    }
}

/// A registry that journals whatever it may.
struct LoggedRegistryTests {
    private let scratch = Scratch()

    private func open(_ scratch: Scratch, _ change: (inout LMDBRegistry.Options) -> Void = { _ in }) throws
        -> LMDBRegistry
    {
        try scratch.open {
            $0.wal = .eager
            change(&$0)
        }
    }

    /// Bytes of records.
    private var logged: Int { get throws { try FileManager.default.bytes(of: scratch.path + "/journal") - 56 } }

    /// Those whose rows are still to be written are found although the tokenIndex has lost them: there is room for
    /// four.
    @Test(arguments: [false, true])
    func aBufferedRowIsFoundWithoutTheTokenIndexCache(isSubscribed: Bool) throws {
        let registry = try open(scratch) { $0.wal.tokenIndexSets = 1 }
        // It learns that no address is known.
        _ = try registry.apply(update(250))
        for token in 1...16 as ClosedRange<UInt8> {
            #expect(try registry.apply(register(token)) == .registered(id(UInt64(token)), .created, ended: nil))
        }
        if isSubscribed {
            for token in 1...16 as ClosedRange<UInt8> {
                var expected = MembershipAnswer()
                expected.device = id(UInt64(token))
                (expected.changed, expected.affected) = (1, .devices([id(UInt64(token))]))
                let answer = try registry.apply(subscribe(["t"], devices: [CarillonRegistryTests.token(token)]))
                #expect(answer == .membership(expected))
            }
        }
        for token in 1...16 as ClosedRange<UInt8> {
            #expect(try registry.apply(register(token)) == .registered(id(UInt64(token)), .refreshed, ended: nil))
        }
        #expect(try registry.verify() == [])
    }

    @Test func whatWasAnsweredSurvivesACrashBeforeItsCommit() throws {
        let registry = try open(scratch)
        let answers = try (1...200 as ClosedRange<UInt8>).map { try registry.apply(register($0, topics: ["t"])) }
        _ = try registry.apply([unregister(7), subscribe(["u"], devices: [token(8)])])
        try #require(try logged > 0)

        let crashed = try scratch.crashed()
        let again = try open(crashed)
        for (index, answer) in answers.enumerated() {
            #expect(answer == .registered(id(UInt64(index) + 1), .created, ended: nil))
        }
        #expect(try again.device(token(200), of: game)?.id == id(200))
        #expect(try again.device(token(7), of: game) == nil)
        #expect(try again.devices(in: .topic(topic("t")), of: game, cursor: 0, limit: 1_000).devices.count == 199)
        #expect(try again.devices(in: .topic(topic("u")), of: game, cursor: 0, limit: 10).devices == [id(8)])
        #expect(try again.verify() == [])
        // Ids go on behind those that were given.
        #expect(try again.apply(register(201)) == .registered(id(201), .created, ended: nil))
    }

    @Test func aReadSeesEveryAnsweredChange() throws {
        let registry = try open(scratch)
        for token in 1...50 as ClosedRange<UInt8> {
            _ = try registry.apply(register(token))
            if token.isMultiple(of: 5) {
                #expect(try registry.device(CarillonRegistryTests.token(token), of: game) != nil)
            }
        }
    }

    @Test func aReadThatCannotBlockIsCalledWhenTheDatabaseIsCurrent() throws {
        let registry = try open(scratch)
        _ = try registry.apply(register(1))
        let isCurrent = DispatchSemaphore(value: 0)
        #expect(!registry.whenCurrent { isCurrent.signal() })
        isCurrent.wait()
        #expect(registry.whenCurrent { Issue.record("it was reported already") })
    }

    @Test func whatWaitsIsCommittedWhenNothingComes() throws {
        let registry = try open(scratch) { $0.wal.idleCommitMilliseconds = 1 }
        _ = try registry.apply(register(1))
        // A reader beside it sees it, without asking this one for anything.
        var isThere = false
        while !isThere {
            let copy = try scratch.copy(without: ["journal"])
            isThere = try LMDBRegistry(reading: copy.path).device(token(1), of: game) != nil
        }
        registry.close()
    }

    @Test func closingCommitsWhatWaits() throws {
        let registry = try open(scratch)
        _ = try registry.apply(register(1))
        registry.close()
        let copy = try scratch.copy(without: ["journal"])
        #expect(try LMDBRegistry(reading: copy.path).device(token(1), of: game) != nil)
    }

    @Test func otherChangesAreCommittedWithWhatWaits() throws {
        let registry = try open(scratch)
        _ = try registry.apply(register(1))
        _ = try registry.apply(.accept(message(to: [token(1)]), now: time(1_000)))
        let copy = try scratch.copy(without: ["journal"])
        #expect(try LMDBRegistry(reading: copy.path).device(token(1), of: game) != nil)
        _ = registry
    }

    /// The transaction must be given up and made again from the journal, with a larger map.
    @Test func aMapThatFillsUpDuringBulkIngestGrows() throws {
        let registry = try open(scratch) {
            $0.mapBytes = 1 << 20
            $0.wal.mostChanges = 100_000
        }
        let many = 20_000
        for start in stride(from: 0, to: many, by: 500) {
            let changes = (start..<start + 500).map { number -> Change in
                let token = DeviceToken(UUIDBytes(high: 7, low: UInt64(number)).bytes)!
                let address = DeviceAddress(environment: .production, kind: .device, token: token)
                return .register(Registration(app: game, address: address), now: time(1_000))
            }
            _ = try registry.apply(changes)
        }
        #expect(try registry.device(.id(id(UInt64(many))), of: game) != nil)
        #expect(try registry.verify() == [])
    }

    /// A read on an event loop must not wait: it asks, and is called.
    @Test func aPointReadDoesNotWaitForACheckpoint() throws {
        let registry = try open(scratch)
        _ = try registry.apply(register(1))
        // The writer, which would commit, is held.
        let isHolding = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        registry.submit(register(2), deadline: nil) { _ in
            isHolding.signal()
            mayGoOn.wait()
        }
        isHolding.wait()
        let isCurrent = DispatchSemaphore(value: 0)
        #expect(!registry.whenCurrent { isCurrent.signal() })
        #expect(try registry.pointRead(token(1)) == nil, "of the last commit")
        mayGoOn.signal()
        isCurrent.wait()
        #expect(try registry.pointRead(token(1))?.id == id(1))
        #expect(try registry.pointRead(token(2))?.id == id(2))
    }

    /// The tokens of devices that have been unregistered do not stay in it.
    @Test func afterBulkIngestAndAtTheEndTheLogIsEmpty() throws {
        let uptime = Mutex<UInt64>(0)
        var options = LMDBRegistry.Options()
        options.wal = .eager
        options.wal.cacheLifetimeMilliseconds = 60_000
        let registry = try LMDBRegistry(
            path: scratch.path, options: options, uptimeMilliseconds: { uptime.withLock { $0 } })
        _ = try registry.apply(register(1))
        #expect(try registry.device(token(1), of: game) != nil)
        #expect(try logged > 4_000)
        uptime.withLock { $0 = 60_000 }
        _ = try registry.apply(.accept(message(to: [token(1)]), now: time(1_000)))
        #expect(try logged == 4_040)
        _ = try registry.apply(register(2))
        #expect(try logged > 4_040)
        registry.close()
        #expect(try logged == 4_040)
    }
}

extension LMDBRegistry {
    /// Reads one device as an event loop does.
    fileprivate func pointRead(_ reference: DeviceReference) throws -> Device? {
        var answer: Result<PointReadResult?, RegistryError>?
        pointRead([.device(reference)], of: game) {
            answer = $1
            return true
        }
        guard case .device(let device)? = try #require(answer).get() else { return nil }
        return device
    }
}

extension LMDBRegistry.WALLimits {
    /// Whatever may be is logged, and nothing is committed by time.
    static var eager: Self {
        var limits = Self()
        (limits.leastChanges, limits.quietMilliseconds, limits.backoffMilliseconds) = (1, 0, 0)
        (limits.idleCommitMilliseconds, limits.maximumDelayMilliseconds) = (3_600_000, 3_600_000)
        return limits
    }
}

extension Scratch {
    /// A copy of the files, as a process leaves them that ends now. No write may be under way.
    func crashed() throws -> Scratch { try copy(without: []) }

    /// A copy of the directory without some of its files.
    func copy(without names: Set<String>) throws -> Scratch {
        let copy = Scratch()
        try FileManager.default.createDirectory(atPath: copy.path, withIntermediateDirectories: true)
        for name in ["data.mdb", "journal"] where !names.contains(name) {
            guard FileManager.default.fileExists(atPath: "\(path)/\(name)") else { continue }
            try FileManager.default.copyItem(atPath: "\(path)/\(name)", toPath: "\(copy.path)/\(name)")
        }
        return copy
    }
}

extension FileManager {
    /// Bytes of a file.
    func bytes(of path: String) throws -> Int {
        try attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }
}
