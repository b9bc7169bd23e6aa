package import CarillonCore

/// The statistics of a server as the payload of an answer.
extension ServerStatistics: PayloadAnswer {
    /// The most bytes of the server's software, and of the reason of an answer; longer ones are cut.
    private static let maximumTextBytes = 64
    /// The most bytes of the reason of a failure; longer ones are cut.
    private static let maximumFailureReasonBytes = 128

    /// The tags of the fields that this file reads and writes. Those of `RegistryCounts` and `Cluster` are with them.
    private enum Tag {
        static let databaseBytes: UInt32 = 16
        static let freeBytes: UInt32 = 18
        static let mapBytes: UInt32 = 20
        static let limitBytes: UInt32 = 22
        static let readers: UInt32 = 24
        static let readerAgeCommits: UInt32 = 26
        static let messages: UInt32 = 28
        static let unfinished: UInt32 = 30
        static let scheduled: UInt32 = 32
        static let countedAt: UInt32 = 34
        static let failures: UInt32 = 38
        static let outages: UInt32 = 40
    }

    /// Returns these statistics with at most `limit` rows in each list. If a pool is left out, so are its answers.
    package func cut(to limit: Int) -> ServerStatistics {
        var cut = self
        cut.requests = Array(requests.prefix(limit))
        cut.sending = Array(sending.prefix(limit))
        cut.outcomes = Dictionary(uniqueKeysWithValues: outcomes.sorted { $0.key < $1.key }.prefix(limit).map { $0 })
        cut.pools = Array(pools.prefix(limit))
        var room = limit
        for index in cut.pools.indices {
            cut.pools[index].answers = Array(cut.pools[index].answers.prefix(room))
            room -= cut.pools[index].answers.count
        }
        cut.registryCounts?.apps = Array(registryCounts?.apps.prefix(limit) ?? [])
        cut.cluster?.nodes = Array(cluster?.nodes.prefix(limit) ?? [])
        return cut
    }

    package init(from reader: inout PayloadReader) throws(WireError) {
        self.init(
            at: try reader.time("at"), startedAt: try reader.time("started_at"),
            software: try reader.string("software"))
        clients = try reader.u32("clients")
        halfOpen = try reader.u32("half_open")
        requests = try reader.rows("requests", ofAtLeast: RequestCount.byteCount) { reader throws(WireError) in
            try RequestCount(from: &reader)
        }
        batches = try Batches(from: &reader)
        lanes = try reader.rows("lanes", ofAtLeast: LaneLoad.byteCount) { reader throws(WireError) in
            try LaneLoad(from: &reader)
        }
        unrecorded = try reader.u32("unrecorded")
        sending = try reader.rows("sending", ofAtLeast: SendingMessage.minimumBytes) { reader throws(WireError) in
            try SendingMessage(from: &reader)
        }
        var outcomes: [Outcome: UInt64] = [:]
        try reader.list("outcomes", elementBytes: 1 + 8) { reader, _ throws(WireError) in
            outcomes[Outcome(rawValue: try reader.u8("outcome"))] = try reader.u64("devices")
        }
        self.outcomes = outcomes
        pools = try reader.rows("pools", ofAtLeast: Pool.minimumBytes) { reader throws(WireError) in
            try Pool(from: &reader)
        }
        try readAnswers(&reader)
        try readTags(&reader)
    }

    private mutating func readAnswers(_ reader: inout PayloadReader) throws(WireError) {
        var pools = pools
        try reader.list("answers", elementBytes: 4 + 2 + 2 + 8) { reader, _ throws(WireError) in
            let pool = Int(try reader.u32("pool"))
            let answer = AnswerCount(
                status: try reader.u16("status"), reason: try reader.string("reason"), count: try reader.u64("count"))
            guard pools.indices.contains(pool) else {
                return reader.recordInvalid("answers", because: "pool \(pool) is not there")
            }
            pools[pool].answers.append(answer)
        }
        self.pools = pools
    }

    private static func readFailures(
        _ reader: inout PayloadReader, into pools: inout [Pool]
    ) throws(WireError) {
        var read = pools
        try reader.list("failures", elementBytes: 4 + 1 + 8 + 8 + 2) { reader, _ throws(WireError) in
            let index = Int(try reader.u32("pool"))
            let isUnreachable = try reader.u8("unreachable") != 0
            let (count, at) = (try reader.u64("count"), try reader.time("last_at"))
            let reason = try reader.string("reason")
            guard read.indices.contains(index) else {
                return reader.recordInvalid("failures", because: "pool \(index) is not there")
            }
            (read[index].isUnreachable, read[index].failures) = (isUnreachable, count)
            read[index].lastFailure = at == .zero ? nil : ConnectionFailure(at: at, reason: reason)
        }
        pools = read
    }

    private func writeFailures(of row: (index: Int, pool: Pool), to writer: inout FrameWriter) {
        writer.u32(UInt32(row.index))
        writer.u8(row.pool.isUnreachable ? 1 : 0)
        writer.u64(row.pool.failures)
        writer.u64(row.pool.lastFailure?.at.milliseconds ?? 0)
        writer.string(row.pool.lastFailure?.reason.cut(toBytes: Self.maximumFailureReasonBytes) ?? "")
    }

    private static func readOutages(
        _ reader: inout PayloadReader, into pools: inout [Pool]
    ) throws(WireError) {
        var read = pools
        try reader.list("outages", elementBytes: 4 + 8 + 8 + 2) { reader, _ throws(WireError) in
            let index = Int(try reader.u32("pool"))
            let (since, next) = (try reader.time("began_at"), try reader.time("next_attempt_at"))
            let cause = ConnectionFailureCause(rawValue: try reader.string("cause"))
            guard read.indices.contains(index) else {
                return reader.recordInvalid("outages", because: "pool \(index) is not there")
            }
            read[index].outage = Outage(since: since, nextAttemptAt: next == .zero ? nil : next, cause: cause)
        }
        pools = read
    }

    private func writeOutage(of row: (index: Int, outage: Outage), to writer: inout FrameWriter) {
        writer.u32(UInt32(row.index))
        writer.u64(row.outage.since.milliseconds)
        writer.u64(row.outage.nextAttemptAt?.milliseconds ?? 0)
        writer.string(row.outage.cause.rawValue)
    }

    /// Reads the tags. Database and counts are nil without their first tag, the cluster is nil without all of its tags.
    private mutating func readTags(_ reader: inout PayloadReader) throws(WireError) {
        var database = Database()
        var registryCounts = RegistryCounts(at: .zero, apps: [])
        var cluster = Cluster(position: 0, entries: 0, snapshot: nil, nodes: [])
        var (hasDatabase, hasRegistryCounts, hasCluster) = (false, false, false)
        var pools = pools
        try reader.finish(ignoringUnknown: true) { reader, tag, value throws(WireError) in
            func number() throws(WireError) -> UInt64 {
                try reader.integer(UInt64.self, of: value, field: "tag \(tag)")
            }
            switch tag {
            case Tag.databaseBytes:
                database.bytes = try number()
                hasDatabase = true
            case Tag.freeBytes: database.freeBytes = try number()
            case Tag.mapBytes: database.mapBytes = try number()
            case Tag.limitBytes: database.limitBytes = try number()
            case Tag.readers: database.readers = try reader.integer(UInt32.self, of: value, field: "readers")
            case Tag.readerAgeCommits: database.readerAgeCommits = try number()
            case Tag.messages: database.messages = try number()
            case Tag.unfinished: database.unfinished = try number()
            case Tag.scheduled: database.scheduled = try number()
            case Tag.countedAt:
                registryCounts.at = Timestamp(milliseconds: try number())
                hasRegistryCounts = true
            case Tag.failures:
                try reader.parse(value, as: "failures") { reader throws(WireError) in
                    try Self.readFailures(&reader, into: &pools)
                }
            case Tag.outages:
                try reader.parse(value, as: "outages") { reader throws(WireError) in
                    try Self.readOutages(&reader, into: &pools)
                }
            default:
                if try registryCounts.read(tag, value: value, with: &reader) { return true }
                guard try cluster.read(tag, value: value, with: &reader) else { return false }
                hasCluster = true
            }
            return true
        }
        self.pools = pools
        self.cluster = hasCluster ? cluster : nil
        self.database = hasDatabase ? database : nil
        self.registryCounts = hasRegistryCounts ? registryCounts : nil
    }

    package func write(to writer: inout FrameWriter) {
        writer.u64(at.milliseconds)
        writer.u64(startedAt.milliseconds)
        writer.string(software.cut(toBytes: Self.maximumTextBytes))
        writer.u32(clients)
        writer.u32(halfOpen)
        writer.list(requests) { $1.write(to: &$0) }
        batches.write(to: &writer)
        writer.list(lanes) { $1.write(to: &$0) }
        writer.u32(unrecorded)
        writer.list(sending) { $1.write(to: &$0) }
        writer.list(outcomes.sorted { $0.key < $1.key }) { writer, row in
            writer.u8(row.key.rawValue)
            writer.u64(row.value)
        }
        writer.list(pools) { $1.write(to: &$0) }
        let answers = pools.enumerated().flatMap { index, pool in pool.answers.map { (pool: UInt32(index), count: $0) }
        }
        writer.list(answers) { writer, row in
            writer.u32(row.pool)
            writer.u16(row.count.status)
            writer.string(row.count.reason.cut(toBytes: Self.maximumTextBytes))
            writer.u64(row.count.count)
        }
        writer.tags(tags + (cluster?.tags ?? []) + [registryCounts?.providersField])
    }

    /// The tagged fields before those of the cluster, ascending.
    private var tags: [FrameWriter.TaggedField?] {
        let failing = pools.enumerated().map { (index: $0, pool: $1) }.filter {
            $0.pool.failures > 0 || $0.pool.isUnreachable
        }
        let unreachable = pools.enumerated().compactMap { index, pool in
            pool.outage.map { (index: index, outage: $0) }
        }
        return [
            FrameWriter.field(Tag.databaseBytes, database?.bytes),
            FrameWriter.field(Tag.freeBytes, database?.freeBytes),
            FrameWriter.field(Tag.mapBytes, database?.mapBytes),
            FrameWriter.field(Tag.limitBytes, database?.limitBytes),
            FrameWriter.field(Tag.readers, database?.readers),
            FrameWriter.field(Tag.readerAgeCommits, database?.readerAgeCommits),
            FrameWriter.field(Tag.messages, database?.messages),
            FrameWriter.field(Tag.unfinished, database?.unfinished),
            FrameWriter.field(Tag.scheduled, database?.scheduled),
            FrameWriter.field(Tag.countedAt, registryCounts?.at.milliseconds),
            registryCounts?.appsField,
            FrameWriter.field(Tag.failures, list: failing) { writeFailures(of: $1, to: &$0) },
            FrameWriter.field(Tag.outages, list: unreachable) { writeOutage(of: $1, to: &$0) },
        ]
    }
}

extension PayloadReader {
    /// Reads a `list` of rows that have at least `minimumBytes` bytes each.
    fileprivate mutating func rows<T>(
        _ field: String, ofAtLeast minimumBytes: Int, _ row: (inout PayloadReader) throws(WireError) -> T
    ) throws(WireError) -> [T] {
        var rows: [T] = []
        try list(field, elementBytes: minimumBytes) { reader, _ throws(WireError) in rows.append(try row(&reader)) }
        return rows
    }

    fileprivate mutating func lane() throws(WireError) -> Lane {
        let number = try u8("lane")
        if let lane = Lane(rawValue: number) { return lane }
        recordInvalid("lane", because: "lane \(number) is not known")
        return .interactive
    }
}

extension ServerStatistics.RequestCount {
    fileprivate static let byteCount = 2 + 2 + 8 + 8

    fileprivate init(from reader: inout PayloadReader) throws(WireError) {
        let opcode = try reader.u16("opcode")
        let code = try reader.u16("code")
        self.init(
            opcode: opcode, error: code == 0 ? nil : ErrorCode(rawValue: code), count: try reader.u64("count"),
            microseconds: try reader.u64("micros"))
    }

    fileprivate func write(to writer: inout FrameWriter) {
        writer.u16(opcode)
        writer.u16(error?.rawValue ?? 0)
        writer.u64(count)
        writer.u64(microseconds)
    }
}

extension ServerStatistics.Batches {
    fileprivate init(from reader: inout PayloadReader) throws(WireError) {
        self.init()
        waiting = try reader.u32("queued_changes")
        count = try reader.u64("batches")
        changes = try reader.u64("changes")
        microseconds = try reader.u64("batch_micros")
        latest = try reader.rows("latest_batches", ofAtLeast: 4) { reader throws(WireError) in
            try reader.u32("latest_batches")
        }
    }

    fileprivate func write(to writer: inout FrameWriter) {
        writer.u32(waiting)
        writer.u64(count)
        writer.u64(changes)
        writer.u64(microseconds)
        writer.list(latest) { $0.u32($1) }
    }
}

extension ServerStatistics.LaneLoad {
    fileprivate static let byteCount = 1 + 4 * 4

    fileprivate init(from reader: inout PayloadReader) throws(WireError) {
        self.init(
            lane: try reader.lane(), messages: try reader.u32("messages"), waiting: try reader.u32("waiting"),
            delayed: try reader.u32("delayed"), inFlight: try reader.u32("in_flight"))
    }

    fileprivate func write(to writer: inout FrameWriter) {
        writer.u8(lane.rawValue)
        writer.u32(messages)
        writer.u32(waiting)
        writer.u32(delayed)
        writer.u32(inFlight)
    }
}

extension ServerStatistics.SendingMessage {
    fileprivate static let minimumBytes = 8 + 2 + 1 + 3 * 8 + 2 * 4

    fileprivate init(from reader: inout PayloadReader) throws(WireError) {
        self.init(
            id: MessageID(rawValue: try reader.u64("message_id")), app: try reader.app(), lane: try reader.lane(),
            acceptedAt: try reader.time("accepted_at"), total: try reader.u64("total"),
            ended: try reader.u64("ended"), inFlight: try reader.u32("in_flight"), rate: try reader.u32("rate"))
    }

    fileprivate func write(to writer: inout FrameWriter) {
        writer.u64(id.rawValue)
        writer.string(app.name)
        writer.u8(lane.rawValue)
        writer.u64(acceptedAt.milliseconds)
        writer.u64(total)
        writer.u64(ended)
        writer.u32(inFlight)
        writer.u32(rate)
    }
}

extension ServerStatistics.Pool {
    fileprivate static let minimumBytes = 2 + 1 + 1 + 6 * 4 + 8
    /// The most bytes of the name of a credential; longer ones are cut.
    private static let maximumCredentialBytes = 64

    fileprivate init(from reader: inout PayloadReader) throws(WireError) {
        self.init(
            credential: try reader.string("credential"), environment: try reader.environment())
        isParked = try reader.u8("parked") != 0
        opening = try reader.u32("opening")
        open = try reader.u32("open")
        draining = try reader.u32("draining")
        inFlight = try reader.u32("in_flight")
        streams = try reader.u32("streams")
        let throttle = try reader.u32("throttle")
        self.throttle = throttle == 0 ? nil : throttle
        attempts = try reader.u64("attempts")
    }

    fileprivate func write(to writer: inout FrameWriter) {
        writer.string(credential.cut(toBytes: Self.maximumCredentialBytes))
        writer.u8(environment.rawValue)
        writer.u8(isParked ? 1 : 0)
        for number in [opening, open, draining, inFlight, streams, throttle ?? 0] { writer.u32(number) }
        writer.u64(attempts)
    }
}
