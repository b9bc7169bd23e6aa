import CarillonThread
import Foundation
import Testing

@testable import CarillonLMDB

/// The order in which reads, writes and a change of the map wait for each other.
struct TransactionGateTests {
    private let scratch = LMDBDirectory()

    /// An event loop that answers point reads would wait for the longest read of all.
    @Test func `brief reads do not wait for a long one when the map grows`() throws {
        let environment = try scratch.open(mapBytes: 1 << 20)
        let database = try environment.openDatabase("plain", ifMissing: .create)
        try environment.write { try $0.put([7].span, for: [1].span, in: database) }
        let (isReading, mayEnd, hasGrown) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        start("a long read") {
            _ = try? environment.read { (_) throws in
                isReading.signal()
                mayEnd.wait()
            }
        }
        isReading.wait()
        start("the writer") {
            try? environment.growMap(to: 8 << 20)
            hasGrown.signal()
        }
        while !environment.gate.isChangeWaiting { sched_yield() }
        for _ in 0..<100 {
            #expect(try environment.read(isBrief: true) { try $0.get([1].span, in: database) } == [7])
        }
        #expect(environment.gate.isChangeWaiting, "the long read is still open")
        mayEnd.signal()
        hasGrown.wait()
        #expect(try environment.space().mapBytes == 8 << 20)
        #expect(try environment.read(isBrief: true) { try $0.get([1].span, in: database) } == [7])
    }

    @Test func `a change of the map waits for brief reads`() throws {
        let environment = try scratch.open(mapBytes: 1 << 20)
        let (isReading, mayEnd, hasGrown) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        start("a brief read") {
            _ = try? environment.read(isBrief: true) { (_) throws in
                isReading.signal()
                mayEnd.wait()
                // A thread that has an open transaction is always admitted.
                _ = try environment.space()
            }
        }
        isReading.wait()
        start("the writer") {
            try? environment.growMap(to: 8 << 20)
            hasGrown.signal()
        }
        while !environment.gate.isChangeWaiting { sched_yield() }
        #expect(hasGrown.wait(timeout: .now()) == .timedOut)
        mayEnd.signal()
        hasGrown.wait()
        #expect(try environment.space().mapBytes == 8 << 20)
    }

    /// Runs a closure on a queue of its own: the threads of the global queue may all wait in other tests.
    private func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
        DispatchQueue(label: name, qos: .userInteractive).async(execute: body)
    }
}

extension TransactionGate {
    /// True while a change of the map waits or runs.
    fileprivate var isChangeWaiting: Bool { lock.withLock { isMapChanging } }
}
