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
        var it = empty(at: 90)
        it.requests = [.init(opcode: 0x50, error: nil, count: 100, microseconds: 50_000)]
        it.outcomes = [.delivered: 1_000]
        it.batches.count = 10
        it.batches.changes = 500
        it.pools = [.init(credential: "main", environment: .production)]
        it.pools[0].attempts = 1_000
        return it
    }()

    static let now: ServerStatistics = {
        var it = empty(at: 92)
        it.clients = 3
        it.requests = [
            .init(opcode: 0x50, error: nil, count: 140, microseconds: 90_000),
            .init(opcode: 0x13, error: .notFound, count: 10, microseconds: 10_000),
        ]
        it.outcomes = [.delivered: 5_800, .tokenUnregistered: 6]
        it.batches.count = 90
        it.batches.changes = 4_500
        it.batches.latest = [1_000, 9_000, 2_100]
        it.lanes = [
            .init(lane: .interactive, messages: 0, waiting: 0, delayed: 0, inFlight: 0),
            .init(lane: .bulk, messages: 1, waiting: 3_896, delayed: 4, inFlight: 100),
        ]
        it.unrecorded = 17
        it.sending = [
            .init(
                id: MessageID(rawValue: 9), app: TestApps.game, lane: .bulk, acceptedAt: .zero, total: 10_000,
                ended: 5_000,
                inFlight: 100, rate: 2_500)
        ]
        var parked = ServerStatistics.Pool(credential: "old", environment: .sandbox)
        parked.isParked = true
        it.pools = [before.pools[0], parked]
        it.pools[0].attempts = 5_900
        it.pools[0].open = 2
        it.pools[0].opening = 1
        it.pools[0].inFlight = 100
        it.pools[0].streams = 2_000
        it.pools[0].answers = [
            .init(status: 200, reason: "", count: 5_800), .init(status: 410, reason: "Unregistered", count: 6),
        ]
        var database = ServerStatistics.Database()
        database.bytes = 3 << 30
        database.freeBytes = 12 << 20
        database.limitBytes = 64 << 30
        database.readers = 1
        database.readerAgeCommits = 1_200
        it.database = database
        it.registryCounts = .init(
            at: .zero,
            apps: [
                .init(
                    app: TestApps.game, devices: 1_000_000, quarantined: 12, groups: 800_000, topics: 7,
                    devicesByProvider: [.apns: 600_000, .fcm: 400_000, .web: 0])
            ])
        return it
    }()
}
