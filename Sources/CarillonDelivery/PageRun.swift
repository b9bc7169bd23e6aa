import CarillonCore
import DequeModule

/// Names one page of one message.
struct PageKey: Hashable, Comparable {
    var message: MessageID
    var page: UInt32

    static func < (left: PageKey, right: PageKey) -> Bool {
        (left.message, left.page) < (right.message, right.page)
    }
}

/// A page of recipients in memory, and where each of them stands.
struct PageRun {
    /// Where one recipient stands.
    enum Standing: UInt8 {
        /// In no queue: it has ended, or never was in this page.
        case ended
        /// Waits for a free stream.
        case ready
        /// Handed to a connection.
        case inFlight
        /// Waits for its next attempt.
        case delayed
        /// Its device has changed since the page was read; it waits for the page to be read again.
        case stale
    }

    /// What a token was read from.
    private struct Registration: Equatable {
        var environment: Environment
        var at: Timestamp

        init(_ recipient: RecipientPage.Recipient) {
            (environment, at) = (recipient.environment, recipient.registeredAt)
        }
    }

    /// The recipients as they were last read.
    private(set) var page: RecipientPage
    /// Whom the page addresses, as it was first read: only with the first record is that fixed on disk.
    private let addressed: AddressedChunk?
    /// The ticket of the reading: changes of devices with later ones are not in it.
    private(set) var ticket: UInt64
    /// What the page counts for in the engine's budget of recipients.
    private(set) var charge: Int
    /// Outcomes and delays that were not handed out to be written yet.
    private(set) var entries: [OutcomeRecord.Entry] = []
    private(set) var delays: [OutcomeRecord.Delay] = []
    /// Outcomes and delays on their way to the disk.
    private(set) var unrecorded = 0
    /// In which lines the page stands.
    private(set) var inLine = ByEnvironment { _ in false }
    /// Environments whose lines the page is to join, because somebody in it has become ready.
    private var joins = ByEnvironment { _ in false }

    /// Where one recipient of the page stands.
    private struct Place {
        let position: UInt16
        /// In `page.recipients`, if it is among them.
        var index: UInt16
        var standing = Standing.ended
        /// Attempts charged so far.
        var attempts: UInt8

        static let nowhere = UInt16.max
    }

    /// Ascending by position. Of those that have ended some are not among them any more.
    private var places: [Place]
    private var ready = ByEnvironment { _ in Deque<UInt16>() }
    private var dueAt: [UInt16: UInt64] = [:]
    /// When the first of those that wait is due, in uptime.
    private(set) var earliestDue: UInt64?
    /// When the engine looks at the page next, in uptime, if it was asked to.
    var wakeAt: UInt64?
    /// The registrations that are tried in the other environment, because APNs called their token bad in their own.
    private var elsewhere: [UInt16: Registration] = [:]
    /// Devices that have had a silent push which is not on disk yet, by position.
    var silenced: [UInt16: DeviceID] = [:]
    /// How often a recipient was given back unprocessed.
    private var replays: [UInt16: UInt8] = [:]

    /// Whether the page has others who have not ended, and are in memory only when it is read again.
    private(set) var hasRest = false

    /// Recipients that have not ended.
    private(set) var unfinished = 0
    /// Recipients of which the engine waits for an answer.
    private(set) var inFlight = 0
    /// Recipients that wait for the page to be read again.
    private(set) var stale = 0
    /// Recipients that wait for their next attempt.
    private(set) var delayed = 0

    /// What a page counts for at least that has become smaller: it holds more than recipients.
    static let leastCharge = 64

    init(_ page: RecipientPage, ticket: UInt64) {
        self.page = page
        self.ticket = ticket
        addressed = page.addressed
        charge = page.recipients.count
        places = page.recipients.enumerated().map { index, recipient in
            Place(
                position: recipient.position, index: UInt16(truncatingIfNeeded: index), attempts: recipient.attempts)
        }
    }

    /// The place of a position.
    private func place(of position: UInt16) -> Int? {
        // Most pages have all of their positions.
        if Int(position) < places.count, places[Int(position)].position == position { return Int(position) }
        var low = 0
        var high = places.count
        while low < high {
            let middle = (low + high) / 2
            if places[middle].position < position { low = middle + 1 } else { high = middle }
        }
        return low < places.count && places[low].position == position ? low : nil
    }

    /// Gives back the memory of those that have ended, when most have; what the page counts for becomes less.
    ///
    /// A few that are not answered, or wait for a retry, must cost what few cost: else the fan-out stands still until they
    /// have ended, because the memory is full of pages of thousands with somebody left in each.
    ///
    /// What is not on disk yet counts as well: when APNs is not waited for, as with a message that was cancelled, nothing but
    /// the disk holds back the next pages.
    mutating func shrink() {
        let held = unfinished + unwritten + unrecorded
        guard charge > Self.leastCharge, held <= charge / 4 else { return }
        compact(toHold: held)
    }

    private mutating func compact(toHold held: Int) {
        places.removeAll { $0.standing == .ended }
        for environment in Environment.allCases where !hasReady(environment) { ready.change(environment) { $0 = [] } }
        keepOnlyPlaced()
        charge = min(charge, max(held, Self.leastCharge))
    }

    /// Keeps at most so many in line for each environment; if there are more, the others leave the memory until those have
    /// gone, and so does everybody who waits for a time or for a pool that does not ask.
    ///
    /// What is slow on purpose would otherwise hold thousands for as long as it takes, and the memory that others need.
    mutating func keepInLine(_ most: Int, absent: ByEnvironment<Bool>?) {
        let kept = ByEnvironment { absent?[$0] == true ? 0 : most }
        guard Environment.allCases.contains(where: { kept[$0] > 0 && ready[$0].count > kept[$0] }) else { return }
        hasRest = true
        for environment in Environment.allCases {
            let surplus = max(0, ready[environment].count - kept[environment])
            for position in ready[environment].suffix(surplus) { move(position, to: .ended) }
            ready.change(environment) { $0.removeLast(surplus) }
            if !hasReady(environment) { joins.change(environment) { $0 = false } }
        }
        for place in places where place.standing == .delayed { move(place.position, to: .ended) }
        dueAt.removeAll()
        earliestDue = nil
        compact(toHold: unfinished + unwritten + unrecorded)
    }

    /// Lets go of recipients that have no place, if they are most of the page or there are others that have none in memory.
    private mutating func keepOnlyPlaced() {
        guard page.recipients.count > Self.leastCharge, hasRest || page.recipients.count >= 4 * places.count
        else { return }
        page = page.keeping(places.filter { $0.index != Place.nowhere }.map { Int($0.index) })
        findIndices()
    }

    /// Finds the recipients of the page as it is now.
    private mutating func findIndices() {
        var index = 0
        for place in places.indices {
            let position = places[place].position
            while index < page.recipients.count, page.recipients[index].position < position { index += 1 }
            let isFound = index < page.recipients.count && page.recipients[index].position == position
            places[place].index = isFound ? UInt16(truncatingIfNeeded: index) : Place.nowhere
        }
    }

    // MARK: The page as a whole

    /// Whether it holds back the next page of its message: not if everybody left in it only waits for a time or an
    /// answer. Answers that never come would otherwise hold up the whole message, each for as long as a time-out.
    ///
    /// - Parameter absent: environments whose pools do not ask for anybody; who is ready for them waits as well.
    func isBusy(absent: ByEnvironment<Bool>? = nil) -> Bool {
        unfinished > delayed + inFlight + readyFor(absent)
    }

    private func readyFor(_ absent: ByEnvironment<Bool>?) -> Int {
        guard let absent else { return 0 }
        return Environment.allCases.reduce(0) { $0 + (absent[$1] ? ready[$1].count : 0) }
    }

    /// Whether nobody is left to hand out of those who have a place in memory, so that others can have it.
    func canReadRest(absent: ByEnvironment<Bool>?) -> Bool {
        hasRest && isClean && unfinished == delayed + readyFor(absent)
    }

    /// Nobody of it is read again.
    mutating func forgetRest() { hasRest = false }

    /// Outcomes and delays that are not on their way to the disk yet.
    var unwritten: Int { entries.count + delays.count }

    /// Whether everything that has happened in it is on disk.
    var isClean: Bool { unrecorded == 0 && unwritten == 0 }

    /// Whether nothing is left to do in it.
    var hasEnded: Bool { unfinished == 0 && isClean }

    /// Whether it can leave the memory until somebody is due: what it knows is on disk.
    var canSleep: Bool { unfinished > 0 && unfinished == delayed && isClean }

    // MARK: Recipients

    /// The recipient at a position, as last read.
    func recipient(_ position: UInt16) -> (index: Int, recipient: RecipientPage.Recipient)? {
        guard let place = place(of: position), places[place].index != Place.nowhere else { return nil }
        let index = Int(places[place].index)
        return (index, page.recipients[index])
    }

    func standing(_ position: UInt16) -> Standing {
        place(of: position).map { places[$0].standing } ?? .ended
    }

    /// Charges an attempt and returns how many there are now.
    mutating func chargeAttempt(_ position: UInt16) -> UInt8 {
        guard let place = place(of: position) else { return .max }
        if places[place].attempts < .max { places[place].attempts += 1 }
        return places[place].attempts
    }

    /// Counts that the recipient was given back unprocessed; returns how often.
    mutating func countReplay(_ position: UInt16) -> UInt8 {
        let count = replays[position, default: 0]
        replays[position] = count < .max ? count + 1 : count
        return replays[position] ?? .max
    }

    /// Where the recipient is tried now.
    func environment(of recipient: RecipientPage.Recipient) -> Environment {
        isElsewhere(recipient) ? recipient.environment.other : recipient.environment
    }

    /// Whether the recipient, with that registration, is tried in the other environment.
    func isElsewhere(_ recipient: RecipientPage.Recipient) -> Bool {
        elsewhere[recipient.position] == Registration(recipient)
    }

    /// Tries the recipient in the other environment from now on.
    mutating func moveElsewhere(_ recipient: RecipientPage.Recipient) {
        elsewhere[recipient.position] = Registration(recipient)
    }

    // MARK: Standing

    /// Puts a recipient in line, at the front if it was there before; the page is to join the line of the environment.
    mutating func makeReady(_ position: UInt16, _ environment: Environment, atFront: Bool = false) {
        move(position, to: .ready)
        joins.change(environment) { $0 = true }
        ready.change(environment) { atFront ? $0.prepend(position) : $0.append(position) }
    }

    func hasReady(_ environment: Environment) -> Bool { !ready[environment].isEmpty }

    /// Takes the next in line; it is the caller's to move on.
    mutating func takeReady(_ environment: Environment) -> UInt16? {
        ready.change(environment) { $0.popFirst() }
    }

    /// Whether the page is to join a line; it is the caller's to see to it.
    mutating func takeJoin(_ environment: Environment) -> Bool {
        defer { joins.change(environment) { $0 = false } }
        return joins[environment]
    }

    /// The page stands in a line now; false if it did before.
    mutating func stand(inLineOf environment: Environment) -> Bool {
        defer { inLine.change(environment) { $0 = true } }
        return !inLine[environment]
    }

    /// The page stands in a line no more.
    mutating func leaveLine(of environment: Environment) {
        inLine.change(environment) { $0 = false }
    }

    /// Makes a recipient wait until `due`, in uptime.
    mutating func delay(_ position: UInt16, until due: UInt64) {
        move(position, to: .delayed)
        dueAt[position] = due
        earliestDue = min(earliestDue ?? due, due)
    }

    /// Those whose time has come, ascending; they are the caller's to move on.
    mutating func takeDue(at now: UInt64) -> [UInt16] {
        let due = dueAt.filter { $0.value <= now }.keys.sorted()
        for position in due { dueAt[position] = nil }
        earliestDue = dueAt.values.min()
        return due
    }

    /// Takes everybody out of every line but those in flight; they are the caller's to move on.
    mutating func takeAllWaiting() -> [UInt16] {
        ready = ByEnvironment { _ in [] }
        dueAt.removeAll()
        earliestDue = nil
        return places.filter { $0.standing == .ready || $0.standing == .delayed }.map(\.position)
    }

    mutating func move(_ position: UInt16, to new: Standing) {
        guard let place = place(of: position) else { return }
        let old = places[place].standing
        places[place].standing = new
        unfinished += (new == .ended ? 0 : 1) - (old == .ended ? 0 : 1)
        inFlight += (new == .inFlight ? 1 : 0) - (old == .inFlight ? 1 : 0)
        stale += (new == .stale ? 1 : 0) - (old == .stale ? 1 : 0)
        delayed += (new == .delayed ? 1 : 0) - (old == .delayed ? 1 : 0)
    }

    /// Those that wait for the page to be read again; they are the caller's to move on.
    func staleRecipients() -> [UInt16] {
        places.filter { $0.standing == .stale }.map(\.position)
    }

    /// Takes the page as it was read again.
    mutating func reload(_ page: RecipientPage, ticket: UInt64) {
        self.page = page
        self.ticket = ticket
        findIndices()
        keepOnlyPlaced()
    }

    // MARK: Writing

    /// A recipient has its outcome.
    mutating func end(_ entry: OutcomeRecord.Entry) {
        move(entry.position, to: .ended)
        entries.append(entry)
    }

    /// A recipient's next attempt waits.
    mutating func note(_ delay: OutcomeRecord.Delay) {
        delays.append(delay)
    }

    /// Takes what is to be written.
    mutating func takeRecord(_ key: PageKey, floor: UInt32) -> OutcomeRecord? {
        guard unwritten > 0 else { return nil }
        defer {
            entries.removeAll()
            delays.removeAll()
        }
        let record = OutcomeRecord(
            message: key.message, page: key.page, entries: entries, delays: delays, addressed: addressed,
            floor: floor)
        unrecorded += record.count
        return record
    }

    /// That much of what was taken is on disk.
    mutating func recorded(_ count: Int) {
        unrecorded -= min(count, unrecorded)
    }
}

extension OutcomeRecord {
    /// Rows that it writes.
    var count: Int { entries.count + delays.count }

    /// Rows of pushes that APNs has taken, or may have: lost in a crash, they would be sent once more.
    var pushes: Int { delays.count + entries.count(where: \.outcome.isPush) }
}

extension Outcome {
    /// Whether APNs has taken the push, or may have.
    var isPush: Bool { self == .delivered || self == .gaveUp }
}

extension Environment {
    /// The one of the two that this is not.
    var other: Environment { self == .production ? .sandbox : .production }
}
