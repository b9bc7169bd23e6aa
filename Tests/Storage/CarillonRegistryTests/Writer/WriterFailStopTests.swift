import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Foundation
import Synchronization
import Testing

/// A registry stops at the first write that fails, and has then lost nothing that it had answered.
struct WriterFailStopTests {
    /// The process is one of its own, whose files may not grow: a write fails, as on a broken disk.
    @Test func `a failed write stops the registry and loses nothing answered`() async {
        await #expect(processExitsWith: .success) {
            try failAWrite(changesAtOnce: 1)
        }
    }

    /// The write that fails is one of the write-ahead log, with changes answered that nothing else holds.
    @Test func `a failed write of the log stops the registry and loses nothing answered`() async {
        await #expect(processExitsWith: .success) { try failAWrite(changesAtOnce: 1) { $0.ingestInBulk() } }
    }

    /// The write that fails is one of the checkpoint of bulk ingest.
    @Test func `a failed checkpoint stops the registry and loses nothing answered`() async {
        await #expect(processExitsWith: .success) {
            try failAWrite(changesAtOnce: 500) {
                $0.ingestInBulk()
                $0.checkpoints.logBytes = 100 << 10
            }
        }
    }

    /// The disk fails once and is well again: the process must not judge that, because it does not know what the disk
    /// has.
    @Test func `a checkpoint that fails once stops the registry`() async {
        await #expect(processExitsWith: .success) { try failACheckpointOnce() }
    }

    /// The change was dequeued, and is in no batch yet.
    @Test func `a change that waits for a commit that fails is answered`() async {
        await #expect(processExitsWith: .success) { try failTheCommitBeforeAChange() }
    }

    /// The process has no free descriptor left, like a server with many connections: the log is open from the start.
    @Test func `bulk ingest needs no further descriptor`() async {
        await #expect(processExitsWith: .success) {
            let scratch = RegistryDirectory()
            let registry = try scratch.open { $0.ingestInBulk() }
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = 0
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            try #require(open("/dev/null", O_RDONLY) < 0, "the process has a free descriptor")
            for token in 1...3 as ClosedRange<UInt8> { try registry.apply(.register(token)) }
            #expect(try registry.device(byToken(3), of: game) != nil)
            registry.close()
        }
    }
}

private func failACheckpointOnce() throws {
    // The write that exceeds the limit gets the signal and an error, and the next one has no limit.
    signal(SIGXFSZ) { _ in limitFiles(to: rlim_t.max) }
    // The threads of an exit test block it, and the writer is their child.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGXFSZ)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    let scratch = RegistryDirectory()
    let failures = Mutex<[RegistryError]>([])
    var options = LMDBRegistry.Options()
    options.ingestInBulk()
    let registry = try LMDBRegistry(
        path: scratch.path, options: options, onFailure: { error in failures.withLock { $0.append(error) } })
    // Only the pages of the checkpoint are written under the limit.
    for start in stride(from: 1, to: 2_000 as UInt64, by: 500) {
        try registry.apply(registrations(start..<start + 500))
    }
    limitFiles(to: 4 << 10)
    expectStorageFailed { _ = try registry.devices(of: game, cursor: 0, limit: 1) }
    expectStorageFailed { _ = try registry.apply(.unregister(1)) }
    registry.close()
    #expect(failures.withLock { $0.count } == 1)
    let reopened = try scratch.open()
    for number in 1...2_000 as ClosedRange<UInt64> {
        #expect(try reopened.device(.id(deviceID(number)), of: game) != nil)
    }
    #expect(try reopened.verify() == [])
}

private func failTheCommitBeforeAChange() throws {
    signal(SIGXFSZ, SIG_IGN)
    let scratch = RegistryDirectory()
    let answers = Mutex(0)
    let hasFailed = DispatchSemaphore(value: 0)
    var options = LMDBRegistry.Options()
    options.ingestInBulk()
    // The memory of bulk ingest is released before the next batch, and everything is committed before that.
    options.bulkIngest.cacheLifetimeMilliseconds = 0
    let registry = try LMDBRegistry(path: scratch.path, options: options, onFailure: { _ in hasFailed.signal() })
    try registry.apply(registrations(1..<501))
    limitFiles(to: 4 << 10)
    registry.submit(.unregister(1), deadline: nil) { _ in answers.withLock { $0 += 1 } }
    hasFailed.wait()
    limitFiles(to: rlim_t.max)
    #expect(answers.withLock { $0 } == 1)
    registry.close()
}

/// Limits the size of each file of the process, in bytes.
private func limitFiles(to bytes: rlim_t) {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    limit.rlim_cur = min(bytes, limit.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
}

private func registrations(_ numbers: Range<UInt64>) -> [Change] {
    numbers.map { number in
        let bytes = UUIDBytes(high: number, low: number).bytes
        let address = DeviceAddress(environment: .sandbox, kind: .device, token: DeviceToken(bytes)!)
        return .register(Registration(app: game, address: address), now: timestamp(1_000))
    }
}

/// Registers devices until a file would be larger than 256 KiB.
private func failAWrite(
    changesAtOnce: UInt64, _ change: (inout LMDBRegistry.Options) -> Void = { _ in }
) throws {
    signal(SIGXFSZ, SIG_IGN)
    let scratch = RegistryDirectory()
    let failures = Mutex<[RegistryError]>([])
    var options = LMDBRegistry.Options()
    change(&options)
    let registry = try LMDBRegistry(
        path: scratch.path, options: options, onFailure: { error in failures.withLock { $0.append(error) } })
    limitFiles(to: 256 << 10)

    var answered: [UInt64] = []
    var failure: RegistryError?
    for first in stride(from: 1, to: 100_000 as UInt64, by: UInt64.Stride(changesAtOnce)) where failure == nil {
        let numbers = first..<first + changesAtOnce
        do {
            try registry.apply(registrations(numbers))
            answered += numbers
        } catch let error as RegistryError {
            failure = error
        }
    }
    expectStorageFailed { if let failure { throw failure } }
    expectStorageFailed { _ = try registry.apply(.unregister(1)) }
    expectStorageFailed { _ = try registry.sweep(now: timestamp(1)) }
    registry.close()
    #expect(failures.withLock { $0.count } == 1)
    #expect(!answered.isEmpty)

    limitFiles(to: rlim_t.max)
    let reopened = try scratch.open()
    for number in answered { #expect(try reopened.device(.id(deviceID(number)), of: game) != nil) }
    #expect(try reopened.verify() == [])
}

private func expectStorageFailed(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
    #expect(sourceLocation: sourceLocation) {
        try body()
    } throws: { error in
        if case RegistryError.storageFailed = error { true } else { false }
    }
}
