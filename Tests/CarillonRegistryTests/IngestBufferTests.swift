import CarillonCore
import CarillonLMDB
import CarillonTestKit
import Testing

@testable import CarillonRegistry

/// Rows of bulk ingest in memory, and their way to the tables.
struct IngestBufferTests {
    private let scratch = Scratch()

    /// So many addresses, a few of which differ in one part only.
    private func addresses(_ count: Int, seed: UInt64) -> [(app: AppNumber, digest: AddressDigest)] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { index in
            let head = index % 10 == 0 ? UInt64(index % 500) : generator.next()
            return (UInt32(index % 3), AddressDigest(head: head, tail: UInt32(index)))
        }
    }

    @Test(arguments: TestSeeds.of(1...5)) func aDeviceIsFoundUntilItsRowIsWritten(seed: UInt64) throws {
        let registry = try scratch.open()
        defer { registry.close() }
        let addresses = addresses(20_000, seed: seed)
        try registry.withEnvironment { environment, layout in
            var buffer = IngestBuffer()
            for (index, address) in addresses.enumerated() {
                #expect(buffer.device(at: address.digest, app: address.app) == nil)
                buffer.add(address.digest, of: id(UInt64(index + 1)), app: address.app)
            }
            func device(_ index: Int, in transaction: borrowing WriteTransaction) throws -> DeviceID? {
                let (app, digest) = addresses[index]
                if let device = buffer.device(at: digest, app: app) { return device }
                guard case .device(let device) = try layout.addresses.get(digest, app: app, in: transaction) else {
                    return nil
                }
                return device
            }
            #expect(buffer.device(at: addresses[0].digest, app: 9) == nil, "of another app")
            try environment.write { transaction in
                var pieces = 0
                while try buffer.writePiece(to: layout, in: &transaction) {
                    pieces += 1
                    for index in stride(from: 0, to: addresses.count, by: 997) {
                        #expect(try device(index, in: transaction) == id(UInt64(index + 1)), "seed \(seed)")
                    }
                }
                #expect(pieces > 3)
                #expect(buffer.isEmpty)
                for index in addresses.indices {
                    #expect(buffer.device(at: addresses[index].digest, app: addresses[index].app) == nil)
                    #expect(try device(index, in: transaction) == id(UInt64(index + 1)))
                }
            }
        }
    }
}
