import CarillonCore
import Testing

@testable import CarillonRegistry

/// The changes of a replica's writer while its node takes none.
struct ReplicaContextTests {
    @Test func `changes wait once the node takes no more`() {
        let exchange = ReplicaExchange()
        let replica = ReplicaContext(exchange, record: ReplicaRecord(hasForeignData: false), at: 0)
        #expect(!replica.checkTakesBatch(at: 1_999))
        #expect(!replica.hasWaitedTooLong(at: 1_999))
        #expect(replica.hasWaitedTooLong(at: 2_000), "the node has not joined since the start")

        exchange.post([], takesBatch: true)
        #expect(replica.checkTakesBatch(at: 5_000))
        #expect(!replica.hasWaitedTooLong(at: 60_000))
        // For a minute there is nothing to write; then the node appends something of its own.
        exchange.post([], takesBatch: false)
        #expect(!replica.checkTakesBatch(at: 65_000))
        #expect(!replica.hasWaitedTooLong(at: 65_000))
        #expect(!replica.checkTakesBatch(at: 66_999))
        #expect(!replica.hasWaitedTooLong(at: 66_999))
        #expect(replica.hasWaitedTooLong(at: 67_000))
    }
}
