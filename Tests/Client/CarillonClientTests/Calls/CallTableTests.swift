import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

@testable import CarillonClient

/// The calls of a client without an event loop.
struct CallTableTests {
    private func makeTable(maximumWaiting: Int = 10, maximumBytes: Int = 1_000) -> CallTable {
        var configuration = CarillonClient.Configuration(address: .tcp(host: "127.0.0.1", port: 7474))
        configuration.maximumWaitingCalls = maximumWaiting
        configuration.maximumMemoryBytes = maximumBytes
        return CallTable(configuration)
    }

    /// Makes a call that no task waits for.
    private func call(_ kind: CallKind = .ping) async -> Call {
        var made: Call?
        _ = await withUnsafeContinuation { (continuation: Call.Continuation) in
            made = Call(
                kind, deadline: .max, options: CallOptions(), startedAtNanoseconds: 0, wasCancelled: false,
                continuation: continuation)
            continuation.resume(returning: .success(.connected))
        }
        return made!
    }

    private let lookup = CallKind.request(
        PreparedRequest(LookupRequest(app: TestApps.game, device: .id(DeviceID(rawValue: 7)))))

    @Test func `calls leave the queue in their order`() async {
        var table = makeTable()
        for id in 1...3 as ClosedRange<UInt64> {
            table.insert(await call(), id: id)
            table.enqueue(id)
        }
        #expect(table.remove(2) != nil)
        for id in [1, 3] as [UInt64] {
            #expect(table.firstWaiting()?.id == id)
            table.removeFirstWaiting()
            table.move(id, to: .pausing)
        }
        #expect(table.firstWaiting() == nil)
        #expect(table.count == 2)
    }

    @Test func `a call that returns to the front is the next one`() async {
        var table = makeTable()
        for id in 1...2 as ClosedRange<UInt64> {
            table.insert(await call(), id: id)
            table.enqueue(id)
        }
        table.removeFirstWaiting()
        table.move(1, to: .pausing)
        table.enqueue(1, atFront: true)
        #expect(table.waitingIDs == [1, 2])
    }

    /// A call that connects was once counted as a call that has left the queue, without having been in it.
    @Test func `a call that connects is never in the queue`() async {
        var table = makeTable(maximumWaiting: 1)
        table.insert(await call(.connect), id: 1)
        #expect(table.connectingIDs == [1])
        #expect(table.remove(1) != nil)
        #expect(!table.wantsConnection)
        table.insert(await call(), id: 2)
        #expect(table.wantsConnection)
        #expect(table.refusal(of: await call())?.code == .overloaded)
    }

    @Test func `calls that wait in no queue leave room for others`() async {
        var table = makeTable(maximumWaiting: 1)
        table.insert(await call(), id: 1)
        #expect(table.refusal(of: await call())?.code == .overloaded)
        table.move(1, to: .pausing)
        #expect(table.refusal(of: await call()) == nil)
        #expect(!table.wantsConnection)
    }

    @Test func `the requests of all calls are bounded`() async {
        let bytes = await call(lookup).byteCount
        var table = makeTable(maximumBytes: 2 * bytes)
        for id in 1...2 as ClosedRange<UInt64> {
            #expect(table.refusal(of: await call(lookup)) == nil)
            table.insert(await call(lookup), id: id)
        }
        #expect(table.refusal(of: await call(lookup))?.code == .overloaded)
        #expect(table.refusal(of: await call(.ping)) == nil)
        #expect(table.remove(1) != nil)
        #expect(table.refusal(of: await call(lookup)) == nil)
    }
}
