import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import CarillonWire
import Testing

/// Lists of devices, page by page. Pages of DEVICES fill what the client takes.
struct DeviceReaderTests {
    private let scratch = RegistryDirectory()

    @Test func `devices of a topic are listed page by page`() throws {
        let registry = try scratch.openListed()
        let page = try registry.devices(in: .topic("ba"), of: game, cursor: 0, limit: 1)
        #expect(page == DeviceIDPage(next: 2, devices: [deviceID(1)]))
        let last = try registry.devices(in: .topic("ba"), of: game, cursor: 2, limit: 1)
        let none = try registry.devices(in: .topic("none"), of: game, cursor: 0, limit: 1)
        #expect([last.devices, none.devices] == [[deviceID(2)], []])
    }

    private func page(of registry: LMDBRegistry, within bytes: UInt32) throws -> (bytes: Int, rows: Int) {
        let answer = try LongReadRequest(DevicesRequest(app: game, limit: 1_000)).read(from: registry, within: bytes)
            .get()
        // The cursor of eight bytes, then the number of rows.
        let rows = answer.payload[8..<12].reduce(0) { $0 << 8 | Int($1) }
        return (answer.payload.count, rows)
    }

    @Test func `an answer that is no page is not shortened`() throws {
        let explain = LongReadRequest(ExplainRequest(app: game, condition: .all))
        let answer = try explain.read(from: scratch.openListed(), within: 1).get()
        #expect(answer.payload.count > 1)
    }

    @Test func `a page of short rows has an eighth of its limit at least`() throws {
        let registry = try scratch.open()
        let devices = try (0..<1_000).map { number in
            let token = try #require(DeviceToken([UInt8(number >> 8), UInt8(number & 0xFF)]))
            let address = DeviceAddress(environment: .production, kind: .device, token: token)
            return Change.register(Registration(app: game, address: address), now: timestamp(1_000))
        }
        try registry.apply(devices)
        for limit in [4_096, 8_192, 65_536, 1_048_576] as [UInt32] {
            let (bytes, rows) = try page(of: registry, within: limit)
            #expect(bytes <= Int(limit))
            // The last page has all rows, and need not be full.
            guard limit < 1_048_576 else { continue }
            #expect(bytes > Int(limit) / 8, "\(rows) rows, \(bytes) of \(limit) bytes")
        }
        #expect(try page(of: registry, within: 1_048_576).rows == 1_000)
        registry.close()
    }
}
