import CarillonCore
import CarillonTestKit

/// The statistics of a server that sends a message, at two times two seconds apart.
enum SampleStatistics {
    static func empty(at seconds: UInt64, began: UInt64 = 0) -> ServerStatistics {
        ServerStatistics(
            at: Timestamp(milliseconds: 1_790_000_000_000 + seconds * 1_000),
            startedAt: Timestamp(milliseconds: 1_790_000_000_000 + began * 1_000), software: "carillond/1.0")
    }

    static let before: ServerStatistics = {
        var statistics = empty(at: 90)
        statistics.requests = [.init(opcode: 0x50, error: nil, count: 100, microseconds: 50_000)]
        statistics.outcomes = [.delivered: 1_000]
        statistics.batches.count = 10
        statistics.batches.changes = 500
        statistics.pools = [.init(credential: "main", environment: .production)]
        statistics.pools[0].attempts = 1_000
        return statistics
    }()

    static let now: ServerStatistics = {
        var statistics = empty(at: 92)
        statistics.clients = 3
        statistics.requests = [
            .init(opcode: 0x50, error: nil, count: 140, microseconds: 90_000),
            .init(opcode: 0x13, error: .notFound, count: 10, microseconds: 10_000),
        ]
        statistics.outcomes = [.delivered: 5_800, .tokenUnregistered: 6]
        statistics.batches.count = 90
        statistics.batches.changes = 4_500
        statistics.batches.latest = [1_000, 9_000, 2_100]
        statistics.lanes = [
            .init(lane: .interactive, messages: 0, waiting: 0, delayed: 0, inFlight: 0),
            .init(lane: .bulk, messages: 1, waiting: 3_896, delayed: 4, inFlight: 100),
        ]
        statistics.unrecorded = 17
        statistics.sending = [
            .init(
                id: MessageID(rawValue: 9), app: TestApps.game, lane: .bulk, acceptedAt: .zero, total: 10_000,
                ended: 5_000, inFlight: 100, rate: 2_500)
        ]
        var parked = ServerStatistics.Pool(credential: "old", environment: .sandbox)
        parked.isParked = true
        statistics.pools = [before.pools[0], parked]
        statistics.pools[0].attempts = 5_900
        statistics.pools[0].open = 2
        statistics.pools[0].opening = 1
        statistics.pools[0].inFlight = 100
        statistics.pools[0].streams = 2_000
        statistics.pools[0].answers = [
            .init(status: 200, reason: "", count: 5_800), .init(status: 410, reason: "Unregistered", count: 6),
        ]
        var database = ServerStatistics.Database()
        database.bytes = 3 << 30
        database.freeBytes = 12 << 20
        database.limitBytes = 64 << 30
        database.readers = 1
        database.readerAgeCommits = 1_200
        statistics.database = database
        statistics.registryCounts = .init(
            at: .zero,
            apps: [
                .init(
                    app: TestApps.game, devices: 1_000_000, quarantined: 12, groups: 800_000, topics: 7,
                    devicesByProvider: [.apns: 600_000, .fcm: 400_000, .web: 0])
            ])
        return statistics
    }()
}
