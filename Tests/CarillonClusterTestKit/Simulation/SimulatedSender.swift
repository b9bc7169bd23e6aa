import CarillonCluster
import CarillonCore

/// The delivery engine of a model node. It claims pages, pushes to their recipients, and has outcomes recorded.
struct SimulatedSender {
    typealias Recipient = SimulationJudge.Recipient

    private struct BlockID: Hashable {
        var message: MessageID
        var first: UInt32
    }

    private let cluster: SimulatedNode.Cluster
    private var planner: ClaimPlanner
    /// The recipients whose outcome is not in the state: pushed, or ended without a push.
    private var open: [Recipient: (outcome: UInt8, isPush: Bool)] = [:]
    private var pushes = 0
    /// The pushes without an answer, by the time of their answer.
    private var wire: [(due: UInt64, recipient: Recipient)] = []
    /// The recipients whose outcomes are to be recorded.
    private var outcomes: [Recipient] = []
    private var asked: Set<BlockID> = []
    private var changes: [ModelChange.Action] = []

    init(_ cluster: SimulatedNode.Cluster) {
        self.cluster = cluster
        planner = ClaimPlanner(limits: cluster.times.claims, at: 0)
    }

    /// True if no push is on the wire and no outcome is to be recorded.
    var isIdle: Bool { open.isEmpty && changes.isEmpty }

    /// The work that is left, for a report.
    var rest: String {
        "\(open.count) recipients open, \(wire.count) on the wire, \(outcomes.count) outcomes, \(changes)"
    }

    /// Begins a new incarnation without claims. The pushes on the wire stay.
    mutating func beginAgain(at now: Uptime) {
        planner.forgetClaims()
        (changes, asked) = ([], [])
    }

    /// Takes the new state into account.
    mutating func applied(_ state: ModelState) {
        for (recipient, entry) in open where state.messages[recipient.message]?.outcomes[recipient.index] != 0 {
            open[recipient] = nil
            if entry.isPush { pushes -= 1 }
        }
    }

    // MARK: One step

    mutating func step(
        _ state: ModelState, as member: Member, in process: SimulationJudge.ProcessID, mayBegin: Bool, at now: Uptime,
        random: inout SeededGenerator
    ) {
        if wire.contains(where: { $0.due <= cluster.now }) {
            outcomes += wire.filter { $0.due <= cluster.now }.map(\.recipient)
            wire.removeAll { $0.due <= cluster.now }
        }
        var budget = cluster.times.pushesPerStep
        for id in state.unfinished {
            guard let claims = state.pages(of: id), let message = state.messages[id] else { continue }
            // What is to be shared is not sent before it is.
            let isReady = claims.isShared || !message.form.isShared
            var blocks = isReady ? state.held(id, by: member.incarnation) : []
            if cluster.fault == .claimIgnored, blocks.isEmpty {
                blocks = [PageBlock(first: 0, count: message.form.pages)]
            }
            let mustRelease = !claims.toRelease(by: member.incarnation).isEmpty
            for block in blocks {
                if message.hasEnded(block) {
                    complete(block, of: id, member)
                } else if mustRelease {
                    release(block, of: id)
                } else if !asked.contains(BlockID(message: id, first: block.first)) {
                    // A release may be in the log already, and the pace gone again.
                    for page in block.first..<UInt32(block.end) where budget > 0 {
                        send(
                            page, of: id, state, budget: &budget, by: mayBegin ? (member, process) : nil,
                            random: &random)
                    }
                }
            }
        }
        claim(state, member, at: now)
    }

    /// Sends the recipients of a page as long as the step has pushes left.
    ///
    /// - Parameter sender: nil if no push may begin.
    private mutating func send(
        _ page: UInt32, of id: MessageID, _ state: ModelState, budget: inout Int,
        by sender: (Member, SimulationJudge.ProcessID)?, random: inout SeededGenerator
    ) {
        guard let message = state.messages[id] else { return }
        let indices = ModelMessage.indices(of: page)
        for index in indices where message.outcomes[index] == 0 && budget > 0 {
            let recipient = Recipient(message: id, index: index)
            guard open[recipient] == nil else { continue }
            let device = ModelState.device(of: page, UInt8(index - indices.lowerBound))
            if message.isCancelled || !state.isRegistered[Int(device)] {
                open[recipient] = (message.isCancelled ? 10 : 2, false)
                outcomes.append(recipient)
            } else if let (member, process) = sender, pushes < cluster.times.window {
                budget -= 1
                pushes += 1
                open[recipient] = (1, true)
                wire.append((cluster.now + .random(in: 2...30, using: &random), recipient))
                cluster.judge.pushed(
                    .init(recipient: recipient, page: page, device: device, member: member, process: process))
            }
        }
    }

    private mutating func complete(_ block: PageBlock, of message: MessageID, _ member: Member) {
        guard asked.insert(BlockID(message: message, first: block.first)).inserted else { return }
        changes.append(.complete(message, blockAt: block.first))
        for _ in 0..<block.count { cluster.judge.pageSent(by: member.node) }
        planner.pagesEnded(Int(block.count), at: Uptime(milliseconds: cluster.now))
    }

    private mutating func release(_ block: PageBlock, of message: MessageID) {
        let indices =
            ModelMessage.indices(of: block.first)
            .lowerBound..<ModelMessage.indices(
                of: UInt32(block.end) - 1
            ).upperBound
        guard !open.keys.contains(where: { $0.message == message && indices.contains($0.index) }),
            asked.insert(BlockID(message: message, first: block.first)).inserted
        else { return }
        changes.append(.release(message, blockAt: block.first))
    }

    private mutating func claim(_ state: ModelState, _ member: Member, at now: Uptime) {
        guard pushes < cluster.times.window else { return }
        let candidates = state.unfinished.compactMap { id -> ClaimPlanner.Candidate? in
            guard let claims = state.pages(of: id), let message = state.messages[id] else { return nil }
            let isToBeShared = !claims.isShared && message.form.isShared
            let held = isToBeShared ? [] : state.held(id, by: member.incarnation)
            let owner = claims.owner(of: 0, state.members)
            let claimable =
                isToBeShared
                ? owner == nil || owner == member.incarnation ? message.form.pages : 0
                : claims.claimablePages(by: member.incarnation, state.members)
            let notBegun = held.reduce(0) { sum, block in
                sum
                    + (block.first..<UInt32(block.end)).count { page in
                        let first = ModelMessage.indices(of: page).lowerBound
                        return message.outcomes[first] == 0 && open[Recipient(message: id, index: first)] == nil
                    }
            }
            guard claimable > 0 || notBegun > 0 else { return nil }
            return ClaimPlanner.Candidate(
                message: id, claimable: claimable, notBegun: UInt32(notBegun), isIdle: held.isEmpty)
        }
        guard !candidates.isEmpty else { return }
        let nodes = state.members.members.count
        let time = Uptime(milliseconds: cluster.now)
        for claim in planner.makeClaims(among: candidates, nodes: nodes, at: time) {
            changes.append(.claim(claim.message, pages: claim.pages))
        }
    }

    // MARK: Changes

    /// Removes and returns the changes that are to be appended.
    mutating func takeChanges(_ state: ModelState) -> [ModelChange.Action] {
        var pages: [BlockID: [ModelChange.Outcome]] = [:]
        for recipient in outcomes {
            guard let entry = open[recipient] else { continue }
            let page = UInt32(recipient.index) / ModelMessage.recipientsPerPage
            let position = UInt8(UInt32(recipient.index) % ModelMessage.recipientsPerPage)
            pages[BlockID(message: recipient.message, first: page), default: []].append(
                ModelChange.Outcome(recipient: position, outcome: entry.outcome))
        }
        outcomes = []
        defer { changes = [] }
        let records = pages.sorted { ($0.key.message, $0.key.first) < ($1.key.message, $1.key.first) }
        return records.map { .outcomes($0.key.message, page: $0.key.first, $0.value) } + changes
    }

    /// Ends changes that have their answers, or will have none that is known.
    mutating func ended(_ actions: [ModelChange.Action], isKnown: Bool) {
        for action in actions {
            switch action {
            case .claim(let message, _): planner.claimEnded(message)
            case .complete(let message, let first), .release(let message, let first):
                asked.remove(BlockID(message: message, first: first))
            case .outcomes(let message, let page, let recorded) where !isKnown:
                let first = ModelMessage.indices(of: page).lowerBound
                outcomes += recorded.map { Recipient(message: message, index: first + Int($0.recipient)) }
            case .outcomes, .swap, .register, .unregister, .send, .cancel, .setPace: break
            }
        }
    }
}
