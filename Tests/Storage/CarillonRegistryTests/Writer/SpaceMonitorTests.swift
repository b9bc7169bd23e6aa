import CarillonCore
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// The room of the map and of the disk, and the changes that are refused when it is scarce.
struct SpaceMonitorTests {
    private let scratch = RegistryDirectory()

    @Test func `the map grows under load`() throws {
        let registry = try scratch.open {
            $0.mapBytes = 1 << 20
            $0.maximumMapBytes = 64 << 20
        }
        for round in 0..<20 { try registry.apply(Change.registrations(500, round: round)) }
        #expect(try registry.device(.id(deviceID(10_000)), of: game) != nil)
        #expect(try registry.verify() == [])
    }

    private let large = Message.sample(to: [byToken(1)], payload: String(repeating: "x", count: 4_000))

    /// Opens a registry whose map has 4 MiB, with device 1, and sends large messages to it until one is refused.
    private func registryWithoutRoomForMessages() throws -> (registry: LMDBRegistry, accepted: Int) {
        let registry = try scratch.open { ($0.mapBytes, $0.maximumMapBytes) = (4 << 20, 4 << 20) }
        try registry.apply(.register(1))
        let end = try registry.applyUntilRefused { _ in [.accept(large, now: timestamp(1_000))] }
        #expect(end.refusal == .storageFull)
        return (registry, end.applied)
    }

    @Test func `registrations have more room than messages`() throws {
        let (registry, _) = try registryWithoutRoomForMessages()
        #expect(try registry.apply(.register(2)) == .created(2))
        let end = try registry.applyUntilRefused { Change.registrations(50, round: $0) }
        #expect(end.refusal == .storageFull)
        #expect(try registry.verify() == [])
    }

    @Test func `changes that make room are taken by a full map`() throws {
        let (registry, accepted) = try registryWithoutRoomForMessages()
        _ = try registry.applyUntilRefused { Change.registrations(50, round: $0) }
        #expect(try registry.apply(.unregister(1)) == .unregistered(deviceID(1)))
        for number in 1...UInt64(accepted) {
            #expect(
                try registry.apply(.recordOutcomes(of: number, [(0, .delivered)]))
                    == .outcomesRecorded(isFinished: true))
        }
        while try registry.sweep(now: timestamp(10_000_000_000)) == .incomplete {}
        #expect(try registry.accept(large) != nil)
        #expect(try registry.verify() == [])
    }

    /// The map does not shrink, but the writer accepts no more changes than the new limit has room for.
    @Test func `a lowered limit of the map is enforced`() throws {
        let first = try scratch.open()
        try first.apply(.register(1))
        for _ in 0..<300 { try first.apply(.accept(large, now: timestamp(1_000))) }
        first.close()
        let registry = try scratch.open {
            $0.mapBytes = 1 << 20
            $0.maximumMapBytes = 1 << 20
        }
        #expect(throws: RegistryError.storageFull) { try registry.apply(.accept(large, now: timestamp(1_000))) }
        #expect(throws: RegistryError.storageFull) { try registry.apply(.register(2)) }
        #expect(try registry.apply(.unregister(1)) == .unregistered(deviceID(1)))
    }

    @Test func `a disk below its reserve refuses changes that grow`() throws {
        let registry = try scratch.open { $0.reservedDiskBytes = .max }
        #expect(throws: RegistryError.storageFull) { try registry.apply(.register(1)) }
        #expect(throws: RegistryError.storageFull) {
            try registry.apply(.accept(.sample(to: []), now: timestamp(1)))
        }
        #expect(try registry.apply(.unregister(1)) == .unregistered(nil))
    }
}
