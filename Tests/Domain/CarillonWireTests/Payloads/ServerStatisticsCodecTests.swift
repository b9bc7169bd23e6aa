import CarillonCore
import CarillonWire
import Testing

/// The limits of STATISTICS that the vectors do not cover.
struct ServerStatisticsCodecTests {
    /// The statistics with the longest row of every list, many times.
    private static let full: ServerStatistics = {
        let app = AppID(String(repeating: "a", count: AppID.maximumBytes))!
        let long = String(repeating: "ü", count: 400)
        var statistics = ServerStatistics(at: Timestamp(milliseconds: .max), startedAt: .zero, software: long)
        statistics.requests = Array(
            repeating: .init(opcode: .max, error: .internal, count: .max, microseconds: .max), count: 1_000)
        statistics.batches.latest = Array(repeating: .max, count: 64)
        statistics.lanes = Lane.allCases.map { .init(lane: $0, messages: 1, waiting: 2, delayed: 3, inFlight: 4) }
        statistics.sending = Array(
            repeating: .init(
                id: MessageID(rawValue: .max), app: app, lane: .bulk, acceptedAt: .zero, total: .max, ended: .max,
                inFlight: .max, rate: .max), count: 1_000)
        for number in 0...UInt8.max { statistics.outcomes[Outcome(rawValue: number)] = .max }
        var pool = ServerStatistics.Pool(credential: long, environment: .sandbox)
        pool.answers = Array(repeating: .init(status: 503, reason: long, count: .max), count: 64)
        pool.isUnreachable = true
        pool.failures = .max
        pool.lastFailure = .init(at: .zero, reason: long)
        pool.outage = .init(since: .zero, nextAttemptAt: nil, cause: .certificateNotYetValid)
        statistics.pools = Array(repeating: pool, count: 1_000)
        statistics.database = ServerStatistics.Database()
        statistics.registryCounts = .init(
            at: .zero,
            apps: Array(
                repeating: .init(
                    app: app, devices: .max, quarantined: .max, groups: .max, topics: .max,
                    devicesByProvider: [.apns: .max, .fcm: .max, .web: .max]),
                count: 1_000))
        var node = ServerStatistics.Node(name: String(repeating: "n", count: 63), incarnation: .max)
        node.version = long
        node.address = long
        node.claims = .init(messages: .max, blocks: .max, pages: .max)
        statistics.cluster = .init(
            position: .max, entries: .max, snapshot: .max, nodes: Array(repeating: node, count: 256))
        return statistics
    }()

    private func payload(_ statistics: ServerStatistics) -> [UInt8] {
        var writer = FrameWriter()
        writer.answer(statistics, to: StatisticsRequest.self, id: 1)
        return Array(writer.bytes.dropFirst(FrameHeader.byteCount))
    }

    private func decode(_ payload: [UInt8]) throws -> ServerStatistics {
        try payload.withUnsafeBytes { try StatisticsRequest.decodeAnswer($0) }
    }

    @Test(arguments: [4_096, 65_536, 1_048_576] as [UInt32])
    func `the fullest answer fits what the client takes`(_ receiveLimit: UInt32) throws {
        let query = StatisticsRequest(limit: 1_000).boundingPage(toBytes: receiveLimit)
        let bytes = payload(Self.full.cut(to: Int(query.limit)))
        #expect(bytes.count <= Int(receiveLimit))
        let (rowBytes, otherBytes): (UInt32, UInt32) = (1_280, 768)
        #expect(query.limit == min(1_000, (receiveLimit - otherBytes) / rowBytes))
        #expect(try decode(bytes).registryCounts?.apps.count == Int(query.limit))
        #expect(try decode(bytes).cluster?.nodes.count == min(256, Int(query.limit)))
    }

    @Test func `a shortened answer keeps the first rows and the answers of their pools`() {
        var statistics = Self.full
        statistics.pools[0].answers = [.init(status: 200, reason: "", count: 7)]
        let cut = statistics.cut(to: 3)
        #expect(cut.pools.map(\.answers.count) == [1, 2, 0])
        #expect(cut.outcomes.keys.sorted() == [.pending, .delivered, .unregistered])
        #expect([cut.requests.count, cut.sending.count, cut.registryCounts?.apps.count] == [3, 3, 3])
        #expect(cut.lanes.count == 2)
        #expect(cut.batches.latest.count == 64)
    }

    @Test func `long names are cut between characters`() throws {
        let found = try decode(payload(Self.full.cut(to: 1)))
        #expect(found.software == String(repeating: "ü", count: 32))
        #expect(found.pools[0].credential == found.software)
        #expect(found.pools[0].answers[0].reason == found.software)
    }

    @Test func `an answer of a pool that is not there cannot be read`() throws {
        var statistics = ServerStatistics(at: .zero, startedAt: .zero, software: "")
        statistics.pools = [.init(credential: "main", environment: .production)]
        statistics.pools[0].answers = [.init(status: 200, reason: "", count: 1)]
        var bytes = payload(statistics)
        // The last bytes are those of the answer: pool `u32`, status `u16`, length of the reason `u16`, count `u64`.
        let lastByteOfPool = bytes.count - (8 + 2 + 2) - 1
        bytes[lastByteOfPool] = 1
        let fault = #expect(throws: WireError.self) { try decode(bytes) }
        #expect(fault?.field == "answers")
    }

    @Test func `devices by provider are those of the apps or of none`() throws {
        var statistics = ServerStatistics(at: .zero, startedAt: .zero, software: "")
        let app = try #require(AppID("com.example.game"))
        statistics.registryCounts = .init(
            at: .zero, apps: [.init(app: app, devices: 3, quarantined: 0, groups: 0, topics: 0)])
        #expect(try decode(payload(statistics)).registryCounts?.apps[0].devicesByProvider == nil)
        statistics.registryCounts?.apps[0].devicesByProvider = [.apns: 2, .fcm: 1, .web: 0]
        #expect(try decode(payload(statistics)) == statistics)
        // The last field has its tag, its size, and a list: the number of rows, and one row of three `u64`.
        let (tag, countBytes, rowBytes): (UInt8, Int, Int) = (54, 4, 3 * 8)
        let size = UInt8(countBytes + rowBytes)
        var bytes = payload(statistics)
        #expect(bytes.dropLast(rowBytes).suffix(6) == [tag, size, 0, 0, 0, 1])
        // The same list without a row.
        bytes.removeLast(1 + countBytes + rowBytes)
        bytes += [UInt8(countBytes), 0, 0, 0, 0]
        let fault = #expect(throws: WireError.self) { try decode(bytes) }
        #expect(fault?.field == "devices_by_provider")
    }

    @Test func `parts that the server could not read are nil`() throws {
        let statistics = ServerStatistics(at: .zero, startedAt: .zero, software: "x")
        #expect(try decode(payload(statistics)) == statistics)
        #expect(statistics.database == nil)
        #expect(statistics.registryCounts == nil)
        #expect(statistics.cluster == nil)
    }
}
