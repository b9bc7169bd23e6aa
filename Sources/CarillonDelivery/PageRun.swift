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

    /// The recipients as they were last read.
    private(set) var page: RecipientPage
    /// The engine's ticket at the time when reading was asked for: changes of devices with later ones are not in it.
    private(set) var ticket: UInt64
    /// What the page counts for in the engine's budget of recipients, also after it was read again.
    let charge: Int
    private var standing: [Standing]
    private var attempts: [UInt8]
    private var indices: [UInt16]
    private var ready: [Environment: Deque<UInt16>] = [:]
    /// Recipients that have not ended.
    private(set) var unfinished = 0
    /// Recipients of which the engine waits for an answer.
    private(set) var inFlight = 0
    /// Recipients that wait for the page to be read again.
    private(set) var stale = 0

    private static let nowhere = UInt16.max

    init(_ page: RecipientPage, ticket: UInt64) {
        self.page = page
        self.ticket = ticket
        charge = page.recipients.count
        let count = page.recipients.last.map { Int($0.position) + 1 } ?? 0
        standing = Array(repeating: .ended, count: count)
        attempts = Array(repeating: 0, count: count)
        indices = Array(repeating: Self.nowhere, count: count)
        indexRecipients()
    }

    private mutating func indexRecipients() {
        for index in indices.indices { indices[index] = Self.nowhere }
        for (index, recipient) in page.recipients.enumerated() where Int(recipient.position) < indices.count {
            indices[Int(recipient.position)] = UInt16(truncatingIfNeeded: index)
        }
    }

    /// The recipient at a position, as last read.
    func recipient(_ position: UInt16) -> (index: Int, recipient: RecipientPage.Recipient)? {
        guard Int(position) < indices.count, indices[Int(position)] != Self.nowhere else { return nil }
        let index = Int(indices[Int(position)])
        return (index, page.recipients[index])
    }

    func standing(_ position: UInt16) -> Standing {
        Int(position) < standing.count ? standing[Int(position)] : .ended
    }

    func attempts(_ position: UInt16) -> UInt8 {
        Int(position) < attempts.count ? attempts[Int(position)] : 0
    }

    /// Puts a recipient in line, at the front if it was there before.
    mutating func makeReady(_ position: UInt16, _ environment: Environment, atFront: Bool = false) {
        move(position, to: .ready)
        if atFront {
            ready[environment, default: []].prepend(position)
        } else {
            ready[environment, default: []].append(position)
        }
    }

    func hasReady(_ environment: Environment) -> Bool {
        ready[environment]?.isEmpty == false
    }

    /// Takes the next in line; it is the caller's to move on.
    mutating func takeReady(_ environment: Environment) -> UInt16? {
        ready[environment]?.popFirst()
    }

    mutating func takeAllReady() -> [UInt16] {
        let all = ready.values.flatMap { $0 }
        ready.removeAll()
        return all
    }

    mutating func chargeAttempt(_ position: UInt16) {
        guard Int(position) < attempts.count, attempts[Int(position)] < .max else { return }
        attempts[Int(position)] += 1
    }

    mutating func move(_ position: UInt16, to new: Standing) {
        guard Int(position) < standing.count else { return }
        let old = standing[Int(position)]
        standing[Int(position)] = new
        unfinished += (new == .ended ? 0 : 1) - (old == .ended ? 0 : 1)
        inFlight += (new == .inFlight ? 1 : 0) - (old == .inFlight ? 1 : 0)
        stale += (new == .stale ? 1 : 0) - (old == .stale ? 1 : 0)
    }

    /// Gives up those that waited for the page to be read again; they have no outcome.
    mutating func forgetStale() {
        for position in standing.indices where standing[position] == .stale {
            move(UInt16(truncatingIfNeeded: position), to: .ended)
        }
    }

    /// Takes the page as it was read again; returns the positions that waited for it.
    mutating func reload(_ page: RecipientPage, ticket: UInt64) -> [UInt16] {
        self.page = page
        self.ticket = ticket
        indexRecipients()
        return standing.indices.filter { standing[$0] == .stale }.map { UInt16(truncatingIfNeeded: $0) }
    }
}
