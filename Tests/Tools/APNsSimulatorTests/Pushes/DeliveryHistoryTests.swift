import Testing

@testable import apns_simulator

/// The counts of pushes, and of duplicates, which are pushes that arrive twice.
struct DeliveryHistoryTests {
    private static func token(_ number: Int) throws -> RawToken {
        let hex = String(number, radix: 16)
        return try #require(RawToken(hex: String(repeating: "0", count: 64 - hex.count) + hex))
    }

    private static func record(_ id: String?, for token: RawToken, in history: inout DeliveryHistory) {
        guard let id else { return history.record(token, id: nil) }
        Array(id.utf8).withUnsafeBytes { history.record(token, id: $0) }
    }

    @Test(
        arguments: [
            (["a"], 0), (["a", "a"], 1), (["a", "b"], 0), (["a", "b", "a"], 1), (["a", "b", "b"], 1),
            (["a", "a", "b", "b", "b"], 3), ([nil, nil], 0), ([nil, "a", "a"], 1), (["a", nil, "a"], 1),
        ] as [([String?], Int)])
    func `the same id twice for one device is a duplicate`(ids: [String?], expected: Int) throws {
        var history = DeliveryHistory()
        let device = try Self.token(1)
        for id in ids { Self.record(id, for: device, in: &history) }
        let accepted = history.acceptedCount
        let duplicates = history.duplicateCount
        let devices = history.deviceCount
        #expect(accepted == ids.count)
        #expect(duplicates == expected)
        #expect(devices == 1)
    }

    @Test func `the same id for two devices is no duplicate`() throws {
        var history = DeliveryHistory()
        Self.record("a", for: try Self.token(1), in: &history)
        Self.record("a", for: try Self.token(2), in: &history)
        let duplicates = history.duplicateCount
        #expect(duplicates == 0)
    }

    @Test func `a history that grows keeps every device`() throws {
        var history = DeliveryHistory()
        let tokens = try (0..<5000).map(Self.token)
        for id in ["a", "b", "c", "b", "a"] {
            for token in tokens { Self.record(id, for: token, in: &history) }
        }
        let duplicates = history.duplicateCount
        let devices = history.deviceCount
        #expect(devices == 5000)
        #expect(duplicates == 10_000)
        for token in tokens {
            let record = history.record(of: token)
            #expect(record == DeliveryHistory.Record(acceptedCount: 5))
        }
        let unknown = history.record(of: try Self.token(5001))
        #expect(unknown == DeliveryHistory.Record())
    }

    @Test func `a refused push is counted and its token is no device`() throws {
        var history = DeliveryHistory()
        let refused = try Self.token(1)
        let accepting = try Self.token(2)
        history.recordRefusal(refused, status: 503)
        history.recordRefusal(refused, status: 410)
        history.recordRefusal(accepting, status: 429)
        for _ in 0..<2 { Self.record("a", for: accepting, in: &history) }
        let records = (history.record(of: refused), history.record(of: accepting))
        #expect(records.0 == DeliveryHistory.Record(acceptedCount: 0, refusedCount: 2, lastRefusalStatus: 410))
        #expect(records.1 == DeliveryHistory.Record(acceptedCount: 2, refusedCount: 1, lastRefusalStatus: 429))
        let accepted = history.acceptedCount
        let duplicates = history.duplicateCount
        let devices = history.deviceCount
        #expect(accepted == 2)
        #expect(duplicates == 1)
        #expect(devices == 1)
    }

    @Test func `all ranges together contain all devices`() throws {
        var history = DeliveryHistory()
        let tokens = try (0..<5000).map(Self.token)
        for token in tokens { Self.record("a", for: token, in: &history) }
        var found: [RawToken] = []
        let slots = history.slotCount
        for start in stride(from: 0, to: slots, by: 1000) {
            history.forEachDevice(in: start..<start + 1000) { token, _ in found.append(token) }
        }
        #expect(found.count == tokens.count)
        #expect(Set(found) == Set(tokens))
    }

    @Test func `a reset forgets all devices`() throws {
        var history = DeliveryHistory()
        let tokens = try (1...3000).map { try Self.token($0) }
        for id in ["a", "b"] {
            for token in tokens { Self.record(id, for: token, in: &history) }
        }
        history.enqueue(tokens[0], id: nil)
        history.removeAll()
        history.flush()
        var found = 0
        history.forEachDevice(in: 0..<history.slotCount) { _, _ in found += 1 }
        let counts = [found, history.acceptedCount, history.duplicateCount, history.deviceCount]
        #expect(counts == [0, 0, 0, 0])
        for _ in 0..<2 {
            for token in tokens { Self.record("b", for: token, in: &history) }
        }
        let duplicates = history.duplicateCount
        let devices = history.deviceCount
        #expect(duplicates == 3000)
        #expect(devices == 3000)
    }

    /// Enqueued pushes are counted together, with duplicates among them.
    @Test func `enqueued pushes count like recorded ones`() throws {
        // The step has no common divisor with the number of devices, so that the pushes to one device are far apart.
        let pushes = 5_000
        let devices = 3_001
        let step = 7_919
        var recorded = DeliveryHistory()
        var enqueued = DeliveryHistory()
        for number in 0..<pushes {
            let token = try Self.token(number * step % devices)
            let id = "\(number % devices % 3)"
            Self.record(id, for: token, in: &recorded)
            Array(id.utf8).withUnsafeBytes { enqueued.enqueue(token, id: $0) }
        }
        enqueued.flush()
        let counts = [recorded.acceptedCount, recorded.duplicateCount, recorded.deviceCount]
        let others = [enqueued.acceptedCount, enqueued.duplicateCount, enqueued.deviceCount]
        #expect(counts == others)
        #expect(counts[0] == pushes)
        #expect(counts[1] > 0)
        for token in try (0..<devices).map(Self.token) {
            let records = [recorded.record(of: token), enqueued.record(of: token)]
            #expect(records[0] == records[1])
        }
    }
}
