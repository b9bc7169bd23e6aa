import CarillonCore
import CarillonRegistryTestKit
import CarillonTestKit
import Testing

@testable import CarillonRegistry

/// The gate, and lookups on a snapshot that lacks answered changes: it answers those of devices that have not changed.
struct ReadGateTests {
    private let scratch = RegistryDirectory()

    /// Returns the answers of a snapshot; nil for each read that it may lack a change of.
    private func answers(
        from registry: LMDBRegistry, to reads: [PointRead], of app: AppID = game
    ) -> [Result<PointReadResult?, RegistryError>?] {
        var answers: [Result<PointReadResult?, RegistryError>?] = []
        registry.pointRead(reads[...], of: app) {
            answers.append($1)
            return true
        }
        return answers
    }

    /// Returns the tokens, of 1 to 3, whose devices a snapshot shows.
    private func shown(_ registry: LMDBRegistry) -> [UInt8] {
        let tokens: [UInt8] = [1, 2, 3]
        let answers = answers(from: registry, to: tokens.map { .device(byToken($0)) })
        return zip(tokens, answers).compactMap { $1 == nil ? nil : $0 }
    }

    @Test(arguments: [
        Change.register(1, seenAt: 1_500, now: 2_000), .register(9, replaces: 1, now: 2_000),
        .unregister(1, now: 2_000),
        .updateDevice(1, locale: "de"), .updateDevice(1, isMuted: true),
    ])
    func `a snapshot shows all devices but the changed one`(change: Change) throws {
        let registry = try scratch.openWithBulkIngest()
        try registry.apply([.register(1), .register(2), .register(3)])
        #expect(shown(registry) == [], "they are new")
        try registry.checkpoint()
        #expect(shown(registry) == [1, 2, 3])
        try registry.apply(change)
        #expect(!registry.isSnapshotCurrent)
        #expect(shown(registry) == [2, 3])
        try registry.checkpoint()
        #expect(shown(registry) == [1, 2, 3])
    }

    @Test func `a change that no lookup shows hides no device`() throws {
        let registry = try scratch.openWithBulkIngest()
        try registry.apply([.register(1, groups: ["g"]), .register(2), .register(3)])
        try registry.checkpoint()
        try registry.apply([
            .subscribe(["t"], devices: [byToken(1)]), .join("h", devices: [byToken(2)]), .mute("g"), .register(4),
        ])
        #expect(!registry.isSnapshotCurrent)
        #expect(shown(registry) == [1, 2, 3])
    }

    @Test func `unknown devices and message statuses are not shown`() throws {
        let registry = try scratch.openWithBulkIngest()
        try registry.apply(.register(1))
        try registry.checkpoint()
        let other = try #require(AppID("com.example.other"))
        let reads: [PointRead] = [.device(byToken(9)), .device(.id(deviceID(9))), .status(messageID(1))]
        #expect(answers(from: registry, to: reads) == [.success(nil), .success(nil), .success(nil)])
        try registry.apply(.register(2))
        #expect(answers(from: registry, to: reads) == [nil, nil, nil])
        #expect(answers(from: registry, to: reads, of: other) == [nil, nil, nil])
    }

    /// After an abort the changes have other numbers.
    @Test func `after an abort no device is shown until all changes are committed`() {
        let gate = ReadGate()
        func state() -> [Bool] { [gate.isOpen, gate.knowsChangedDevices] }
        gate.closeForChangedDevices()
        #expect(state() == [false, true])
        gate.closeForAllReads()
        gate.closeForChangedDevices()
        #expect(state() == [false, false])
        gate.open()
        #expect(state() == [true, true])
    }

    @Test(arguments: TestSeeds.of(1...40))
    func `the devices of a snapshot are those that the writer sees`(seed: UInt64) throws {
        var run = RandomRun(seed: seed)
        let registry = try run.open(scratch) { $0.ingestInBulk() }
        var addresses: Set<DeviceAddress> = []
        for step in 1...12 {
            for change in run.nextChanges() { try registry.apply(change) }
            for number in 1...30 as ClosedRange<UInt64> {
                if let device = try registry.device(.id(deviceID(number)), of: game) {
                    addresses.insert(device.address)
                }
            }
            let references = addresses.map(DeviceReference.address) + (1...30).map { .id(deviceID($0)) }
            for (reference, answer) in zip(references, answers(from: registry, to: references.map { .device($0) })) {
                guard let answer else { continue }
                let device = try registry.device(reference, of: game)
                #expect(answer == .success(device.map(PointReadResult.device)), "seed \(seed), step \(step)")
            }
            if step.isMultiple(of: 3) { try registry.checkpoint() }
        }
    }
}
