import CarillonCore

/// Bounds the duplicates after a crash: counts the deliveries that it would repeat, because they are in flight or their
/// outcome is not on disk.
struct DuplicateBound: Sendable {
    /// The most deliveries that a crash would repeat.
    let maximum: Int
    /// The number of deliveries that are in the hands of connections.
    private(set) var inFlight = 0
    /// The number of deliveries that the provider has accepted, or may have, and whose outcome or delay is not on disk.
    private(set) var unrecorded = 0
    /// The number of the deliveries of `unrecorded` that are in records being written.
    private var beingWritten = 0

    init(maximum: Int) {
        self.maximum = maximum
    }

    /// The part of the bound that is kept for the interactive lane.
    private var reservedForInteractive: Int { maximum / 8 }

    /// True if the deliveries that are not on disk use up the whole bound, even if none were in flight.
    var isUsedUpByUnrecorded: Bool { unrecorded >= maximum }

    /// True if the deliveries that are in flight or not on disk use up the part of the bound that the bulk lane may
    /// have: it gets nothing.
    var isBulkShareUsedUp: Bool { room(for: .bulk) <= 0 }

    /// Returns how many more deliveries may be handed out from a lane; it may be negative.
    func room(for lane: Lane) -> Int {
        let room = maximum - unrecorded - inFlight
        return lane == .interactive ? room : room - reservedForInteractive
    }

    /// The number of unrecorded deliveries at which the bulk lane gets no more deliveries, with as many in flight as
    /// now; it may be negative.
    var maximumUnrecordedOfBulk: Int { maximum - reservedForInteractive - inFlight }

    /// The number of the deliveries of `unrecorded` that are in no record yet.
    var bufferedCount: Int { unrecorded - beingWritten }

    // MARK: Counting

    mutating func deliveriesHandedOut(_ count: Int) { inFlight += count }

    mutating func deliveriesReturned(_ count: Int) { inFlight -= count }

    /// Counts outcomes and delays of deliveries that the provider has accepted, or may have.
    mutating func addUnrecorded(_ count: Int) { unrecorded += count }

    mutating func beginWrite(_ record: OutcomeRecord) { beingWritten += record.unrecordedCount }

    mutating func endWrite(_ record: OutcomeRecord) {
        let count = record.unrecordedCount
        unrecorded -= count
        beingWritten -= count
    }
}

extension OutcomeRecord {
    /// The number of rows of the record.
    var count: Int { endedRecipients.count + delays.count + attempts.count }

    /// The number of rows that `DuplicateBound.unrecorded` counts: of deliveries that the provider has accepted, or may
    /// have. A crash would lose them, and the pushes would be sent once more. Recipients that gave up while they only
    /// waited were at no provider, so they do not count.
    var unrecordedCount: Int {
        delays.count + endedRecipients.count(where: \.outcome.mayHaveReachedProvider) - gaveUpWaitingCount
    }
}

extension Outcome {
    /// True if the provider has accepted the push, or may have.
    var mayHaveReachedProvider: Bool { self == .delivered || self == .gaveUp }
}
