import CarillonCluster
import CarillonCore

/// The state of the model registry. It follows from the entries of a log alone.
struct ModelState: Hashable, Sendable {
    static let deviceCount: UInt32 = 12
    static let cellCount: UInt32 = 3
    static let app = AppID("com.example.game")

    private(set) var members = LiveMembers()
    private(set) var initialState: InitialState?
    /// The cells of memory that clients read and swap.
    private(set) var cells: [UInt64]
    /// The state of each device: true if it is registered.
    private(set) var isRegistered: [Bool]
    private(set) var messages: [MessageID: ModelMessage] = [:]
    /// The messages that have not finished, in order.
    private(set) var unfinished: [MessageID] = []
    private(set) var lastMessage: UInt64 = 0
    /// The claims to the pages of each message that has not finished.
    private var rows: [MessageID: MessageClaims] = [:]
    /// The claim to the silent pushes of the only app.
    private(set) var silent: SilentPushClaim?
    private(set) var hash = RunningHash()
    /// The number of blocks that were ended with a recipient pending, which is a fault.
    private(set) var endedEarly = 0

    init() {
        cells = Array(repeating: 0, count: Int(Self.cellCount))
        isRegistered = Array(repeating: true, count: Int(Self.deviceCount))
    }

    /// The state with the data of a server without a cluster.
    static var imported: ModelState {
        var state = ModelState()
        state.cells = [7, 7, 7]
        return state
    }

    var position: LogPosition { hash.position }

    /// Returns the claims to the pages of a message; nil if it has finished.
    func claims(to message: MessageID) -> MessageClaims? { rows[message] }

    /// Returns the pages that a member holds, which are all pages of a message that it has claimed as a whole.
    func blocks(of message: MessageID, heldBy member: UInt64) -> [PageBlock] {
        guard let claims = rows[message], let form = messages[message]?.form else { return [] }
        let blocks = claims.blocks(of: member)
        return claims.isShared ? blocks : blocks.map { _ in PageBlock(first: 0, count: form.pages) }
    }

    static func device(of page: UInt32, _ recipient: UInt8) -> UInt32 {
        (page * ModelMessage.recipientsPerPage + UInt32(recipient)) % deviceCount
    }

    // MARK: Applying

    /// Applies the entry at the next position, and returns its changes with their answers.
    mutating func apply(_ entry: LogEntry) -> [(change: ModelChange, answer: UInt64)] {
        let answers = applyContent(of: entry)
        guard let position = hash.position.next else { return [] }
        let bytes = answers.flatMap { change, answer in [change.number, answer] }.withUnsafeBytes { [UInt8]($0) }
        hash.entryApplied(at: position, answers: bytes[...])
        return answers
    }

    /// Applies the content of an entry. The position stays.
    mutating func applyContent(of entry: LogEntry) -> [(change: ModelChange, answer: UInt64)] {
        members.apply(entry)
        switch entry.content {
        case .initialState(let initialState):
            if self.initialState == nil { self.initialState = initialState }
            return []
        case .changes(let bytes):
            return [ModelChange](bytes).map { ($0, apply($0.action, by: entry.id.member.incarnation)) }
        case .joined, .left, .expired: return []
        }
    }

    /// Replaces the data by those of the server that began the log. The members, the initial state and the hash stay.
    mutating func importData() {
        let before = self
        self = .imported
        members = before.members
        initialState = before.initialState
        hash = before.hash
    }

    private mutating func apply(_ action: ModelChange.Action, by member: UInt64) -> UInt64 {
        switch action {
        case .swap(let cell, let value):
            defer { cells[Int(cell)] = value }
            return cells[Int(cell)]
        case .register(let device):
            isRegistered[Int(device)] = true
            return 1
        case .unregister(let device):
            defer { isRegistered[Int(device)] = false }
            return isRegistered[Int(device)] ? 1 : 0
        case .send(let form):
            lastMessage += 1
            let id = MessageID(rawValue: lastMessage)
            messages[id] = ModelMessage(form)
            unfinished.append(id)
            _ = claim(.open(id, silentPushApp: form.isSilent ? Self.app : nil), by: member)
            return lastMessage
        case .cancel(let message):
            guard messages[message]?.isFinished == false else { return 0 }
            messages[message]?.isCancelled = true
            return 1
        case .setPace(let message, let hasPace):
            return claim(.setOneSender(message, hasPace), by: member) == .applied ? 1 : 0
        case .outcomes(let message, let page, let outcomes): return record(outcomes, of: message, page: page)
        case .claim(let message, let pages):
            if let form = messages[message]?.form, form.isShared {
                _ = claim(.share(message, pages: form.pages, from: 0), by: member)
            }
            return number(claim(.claim(message, pages: pages), by: member))
        case .endBlock(let message, let first): return endBlock(message, blockAt: first, by: member)
        case .releaseBlock(let message, let first):
            return number(claim(.releaseBlock(message, blockAt: first), by: member))
        }
    }

    private mutating func record(_ outcomes: [ModelChange.Outcome], of message: MessageID, page: UInt32) -> UInt64 {
        guard var found = messages[message] else { return 0 }
        // In place: the copy above must not be a second owner.
        messages[message] = nil
        let first = ModelMessage.indices(of: page).lowerBound
        var count: UInt64 = 0
        for outcome in outcomes where found.outcomes[first + Int(outcome.recipient)] == .pending {
            found.outcomes[first + Int(outcome.recipient)] = outcome.outcome
            count += 1
        }
        messages[message] = found
        return count
    }

    private mutating func endBlock(_ message: MessageID, blockAt first: UInt32, by member: UInt64) -> UInt64 {
        let block = blocks(of: message, heldBy: member).first { $0.first == first }
        if let block, messages[message]?.hasEnded(block) == false { endedEarly += 1 }
        let answer = claim(.endBlock(message, blockAt: first), by: member)
        if answer == .blockEnded(isLast: true) {
            _ = claim(.close(message), by: member)
            messages[message]?.isFinished = true
            unfinished.removeAll { $0 == message }
        }
        return number(answer)
    }

    private mutating func claim(_ change: ClaimChange, by member: UInt64) -> ClaimAnswer {
        ClaimRule.apply(change, by: member, among: members, to: &self)
    }

    /// Returns the answer of a rule of claims as a number, as every change of the model has one for its answer.
    private func number(_ answer: ClaimAnswer) -> UInt64 {
        switch answer {
        case .refused: 0
        case .applied: 1
        case .blockEnded(let isLast): isLast ? 3 : 2
        case .claimed(let pages): pages.reduce(4) { $0 * 31 + UInt64($1.first) * 7 + UInt64($1.count) }
        }
    }
}

extension ModelState: ClaimStore {
    func claimsRow(of message: MessageID) throws(Never) -> ClaimsRow? {
        guard let claims = rows[message] else { return nil }
        return ClaimsRow(claims: claims, silentPushApp: messages[message]?.form.isSilent == true ? Self.app : nil)
    }

    mutating func setClaimsRow(_ row: ClaimsRow?, of message: MessageID) throws(Never) {
        rows[message] = row?.claims
    }

    func silentPushClaim(of app: AppID) throws(Never) -> SilentPushClaim? { silent }

    mutating func setSilentPushClaim(_ claim: SilentPushClaim?, of app: AppID) throws(Never) { silent = claim }
}
