import CarillonCore
import CarillonWire
import Foundation
import Testing

@testable import CarillonRegistry

/// The file alone.
struct WriteAheadLogFileTests {
    private let scratch = Scratch()
    private let epoch = UUIDBytes(high: 1, low: 2)

    init() throws {
        try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
    }

    private func journal(epoch: UUIDBytes? = nil, stored: UInt64 = 0) throws -> WriteAheadLog {
        try WriteAheadLog(directory: scratch.path, epoch: epoch ?? self.epoch, storedLSN: stored)
    }

    private func frames(_ tokens: UInt8...) -> [UInt8] {
        var frames = FrameWriter()
        for token in tokens { ChangeRecordCodec.append(.change(register(token)), to: &frames) }
        return frames.bytes
    }

    /// The tokens of the records after `stored`, record by record.
    private func replayed(_ journal: WriteAheadLog, after stored: UInt64 = 0) throws -> [[UInt8]] {
        var records: [[UInt8]] = []
        try journal.replay(after: stored) { changes in
            records.append(
                changes.compactMap { change in
                    guard case .register(let registration, _) = change else { return nil }
                    return registration.address.token.bytes.first
                })
        }
        return records
    }

    private var file: URL { URL(fileURLWithPath: scratch.path + "/journal") }

    @Test func recordsComeBackInOrder() throws {
        let writer = try journal()
        try writer.append(frames(1, 2))
        try writer.append(frames(3))
        #expect(try replayed(try journal()) == [[1, 2], [3]])
        // Those that the database holds do not.
        #expect(try replayed(try journal(), after: 1) == [[3]])
        #expect(try replayed(try journal(), after: 2) == [])
    }

    @Test func afterACheckpointTheNextRecordIsWrittenOverTheFirst() throws {
        let writer = try journal()
        for token in 1...5 as ClosedRange<UInt8> { try writer.append(frames(token)) }
        let bytes = writer.byteCount
        writer.checkpointed()
        #expect(writer.byteCount == 0)
        try writer.append(frames(6))
        // Behind it those of before lie whole, but for the first.
        #expect(try Data(contentsOf: file).count == 32 + bytes)
        #expect(try replayed(try journal(), after: 5) == [[6]])
    }

    @Test func aLogContinuesBehindItsReplay() throws {
        try journal().append(frames(1))
        let next = try journal()
        #expect(try replayed(next) == [[1]])
        try next.append(frames(2))
        #expect(try replayed(try journal()) == [[1], [2]])
    }

    /// The files that a process leaves that ends in the middle.
    @Test func aRecordThatIsCutAnywhereIsNone() throws {
        let writer = try journal()
        try writer.append(frames(1))
        let first = try Data(contentsOf: file).count
        try writer.append(frames(2, 3))
        let whole = try Data(contentsOf: file)
        for count in first..<whole.count {
            try whole.prefix(count).write(to: file)
            #expect(try replayed(try journal()) == [[1]], "\(count) bytes")
        }
    }

    @Test func aRecordWithAnyByteWrongIsNone() throws {
        let writer = try journal()
        try writer.append(frames(1))
        let first = try Data(contentsOf: file).count
        try writer.append(frames(2))
        let whole = try Data(contentsOf: file)
        for index in first..<whole.count {
            var corrupt = whole
            corrupt[index] ^= 0x41
            try corrupt.write(to: file)
            #expect(try replayed(try journal()) == [[1]], "byte \(index)")
        }
    }

    /// A length that nothing stands behind takes no memory.
    @Test(arguments: [0, 15, 0x7FFF_FFFF, 0xFFFF_FFFF] as [UInt32])
    func aRecordOfALengthThatCannotBeIsNone(length: UInt32) throws {
        try journal().append(frames(1))
        var bytes = try Data(contentsOf: file)
        bytes.replaceSubrange(32..<36, with: withUnsafeBytes(of: length.bigEndian) { Array($0) })
        try bytes.write(to: file)
        #expect(try replayed(try journal()) == [])
    }

    /// The bytes behind the last record were sent by clients: a client that forges a record there does not know the
    /// secret.
    @Test func aRecordThatAClientMadeUpIsNone() throws {
        try journal().append(frames(1))
        let whole = try Data(contentsOf: file)
        let block = [UInt8](repeating: 0, count: 15) + [2] + frames(66)
        let hash = MurmurHash3(hashing: block)
        var bytes: [UInt8] = []
        for number in [UInt64(block.count) << 32, hash.high, hash.low] {
            bytes += withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }
        try (whole + bytes + block).write(to: file)
        #expect(try replayed(try journal()) == [[1]])
        // With it, it would be one.
        let secret = Array(whole[24..<32]), known = secret + block[8...]
        let right = MurmurHash3(hashing: known)
        var good: [UInt8] = []
        for number in [UInt64(block.count) << 32, right.high, right.low] {
            good += withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }
        try (whole + good + known).write(to: file)
        #expect(try replayed(try journal()) == [[1], [66]])
    }

    @Test func theLogOfAnotherRegistryIsOverwritten() throws {
        try journal().append(frames(1))
        let other = UUIDBytes(high: 9, low: 9)
        #expect(try replayed(try journal(epoch: other)) == [])
        // Not before there is something to write.
        #expect(try replayed(try journal()) == [[1]])
        try journal(epoch: other).append(frames(2))
        #expect(try replayed(try journal(epoch: other)) == [[2]])
        #expect(try replayed(try journal()) == [])
    }

    @Test func withoutARecordThereIsNoFile() throws {
        #expect(try replayed(try journal()) == [])
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func aReaderSeesWhetherTheLogIsAheadOfTheDatabase() throws {
        func isAhead(of stored: UInt64) throws -> Bool {
            try WriteAheadLog(directory: scratch.path, epoch: epoch, storedLSN: stored, isReadOnly: true).isAhead(
                of: stored)
        }
        #expect(try !isAhead(of: 0))
        let writer = try journal()
        try writer.append(frames(1))
        try writer.append(frames(2))
        #expect(try isAhead(of: 0))
        #expect(try isAhead(of: 1))
        #expect(try !isAhead(of: 2))
    }

    /// An older database beside a younger journal: changes between them are missing.
    @Test func aLogThatDoesNotFollowIsRefused() throws {
        let writer = try journal(stored: 7)
        try writer.append(frames(1))
        #expect(throws: RegistryError.corrupted("journal: it does not follow on what is stored")) {
            try replayed(try journal(), after: 3)
        }
    }

    @Test func aWholeRecordThatMakesNoSenseIsRefused() throws {
        var frames = frames(1)
        frames[7] = 0xEE
        try journal().append(frames)
        #expect(throws: RegistryError.corrupted("journal: a change that cannot be read")) {
            try replayed(try journal())
        }
    }

    @Test(arguments: [
        register(
            1, seenAt: 5, replaces: 2, locale: "de", attributes: ["a": "b"], topics: ["x", "y"], groups: ["g"], now: 77),
        register(1), unregister(1, at: 3, now: 9), unregister(id: 4),
        update(1, locale: "", attributes: ["k": "v"], isMuted: false), update(2),
        join("g", [token(1), .id(id(9))]), leave("g", [token(1)], clearsTopics: true),
        subscribe(["a", "b"], devices: [token(1)], groups: ["g"]), unsubscribe(["a"], groups: ["g"]),
    ])
    func aChangeComesBackAsItWas(change: Change) throws {
        try #require(ChangeRecordCodec.canEncode(change))
        var frames = FrameWriter()
        ChangeRecordCodec.append(.changes([change, register(9)]), to: &frames)
        let read = try ChangeRecordCodec.changes(in: frames.bytes[...])
        #expect(read.map { "\($0)" } == [change, register(9)].map { "\($0)" })
    }

    @Test func changesWithoutAFormInTheLogAreCommitted() throws {
        let changes = [
            mute("g"), join("g", [token(1)], leaving: "h"), join("g", [token(1)], announcing: "{}"),
            .accept(message(to: [token(1)]), now: time(1)), record(1, [(0, .delivered)]), .release(now: time(1)),
        ]
        for change in changes { #expect(!ChangeRecordCodec.canEncode(change), "\(change)") }
    }
}

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

    private var journaled: Int { get throws { try FileManager.default.attributes(of: scratch.path + "/journal") - 32 } }

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
        try #require(try journaled > 0)

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

    @Test func theRegistryThatReplacesAnotherDoesNotTakeItsLog() throws {
        _ = try open(scratch).apply(register(1))
        let crashed = try scratch.crashed()
        try FileManager.default.removeItem(atPath: crashed.path + "/data.mdb")
        let registry = try open(crashed)
        #expect(try registry.apply(register(2)) == .registered(id(1), .created, ended: nil))
        #expect(try registry.verify() == [])
    }
}

extension LMDBRegistry.WALLimits {
    /// Whatever may be is journaled, and nothing is committed by time.
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
    fileprivate func attributes(of path: String) throws -> Int {
        try attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }
}
