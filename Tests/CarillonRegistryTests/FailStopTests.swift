import CarillonCore
import CarillonRegistry
import Foundation
import Synchronization
import Testing

struct FailStopTests {
    /// In a process of its own, whose files may not grow: a write fails, as on a broken disk.
    @Test func aFailedWriteStopsTheRegistryAndLosesNothingAnswered() async {
        await #expect(processExitsWith: .success) {
            try failAWrite(journal: LMDBRegistry.WALLimits(), changesAtOnce: 1)
        }
    }

    /// The write that fails is one of the journal's, with changes answered that nothing else holds.
    @Test func aFailedWriteOfTheLogStopsTheRegistryAndLosesNothingAnswered() async {
        await #expect(processExitsWith: .success) { try failAWrite(journal: .eager, changesAtOnce: 1) }
    }

    /// The write that fails is one of the checkpoint of bulk ingest.
    @Test func aFailedCheckpointStopsTheRegistryAndLosesNothingAnswered() async {
        await #expect(processExitsWith: .success) {
            var limits = LMDBRegistry.WALLimits.eager
            limits.mostChanges = 1_500
            try failAWrite(journal: limits, changesAtOnce: 500)
        }
    }
}

/// Registers devices until a file would be larger than 256 KiB; ends the process if anything is not as it should be.
private func failAWrite(journal: LMDBRegistry.WALLimits, changesAtOnce: UInt64) throws {
    signal(SIGXFSZ, SIG_IGN)
    let scratch = Scratch()
    let failures = Mutex<[RegistryError]>([])
    var options = LMDBRegistry.Options()
    options.wal = journal
    let registry = try LMDBRegistry(
        path: scratch.path, options: options, onFailure: { error in failures.withLock { $0.append(error) } })
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    limit.rlim_cur = 256 << 10
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)

    var answered: [UInt64] = []
    var failure: RegistryError?
    for first in stride(from: 1, to: 100_000 as UInt64, by: UInt64.Stride(changesAtOnce)) where failure == nil {
        let numbers = first..<first + changesAtOnce
        do {
            _ = try registry.apply(
                numbers.map { number -> Change in
                    let bytes = UUIDBytes(high: number, low: number).bytes
                    let address = DeviceAddress(environment: .sandbox, kind: .device, token: DeviceToken(bytes)!)
                    return .register(Registration(app: game, address: address), now: time(1_000))
                })
            answered += numbers
        } catch let error as RegistryError {
            failure = error
        }
    }
    guard case .storageFailed? = failure else { exit(1) }
    guard throwsStorageFailed({ _ = try registry.apply(unregister(1)) }) else { exit(2) }
    guard throwsStorageFailed({ _ = try registry.sweep(now: time(1)) }) else { exit(3) }
    registry.close()
    guard failures.withLock({ $0.count }) == 1, !answered.isEmpty else { exit(4) }

    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    let reopened = try scratch.open()
    for number in answered where try reopened.device(.id(id(number)), of: game) == nil { exit(5) }
    guard try reopened.verify() == [] else { exit(6) }
}

private func throwsStorageFailed(_ body: () throws -> Void) -> Bool {
    do {
        try body()
        return false
    } catch RegistryError.storageFailed {
        return true
    } catch {
        return false
    }
}
