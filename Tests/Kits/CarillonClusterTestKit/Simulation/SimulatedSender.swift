import CarillonCluster
import CarillonCore

/// The delivery engine of a simulated node: it claims pages, pushes to their recipients, and has outcomes recorded.
struct SimulatedSender {
    typealias Recipient = PushJudge.Recipient

    /// The node as whose member the sender pushes.
    struct Identity {
        var member: Member
        var process: PushJudge.ProcessID
    }

    private struct BlockID: Hashable {
        var message: MessageID
        var first: UInt32
    }

    private struct PageID: Hashable, Comparable {
        var message: MessageID
        var page: UInt32

        static func < (left: PageID, right: PageID) -> Bool { (left.message, left.page) < (right.message, right.page) }
    }

    /// A recipient whose outcome is not in the state.
    private struct OpenRecipient {
        var outcome: ModelOutcome
        /// True if a push was sent; false if the recipient has ended without one.
        var wasPushed: Bool
    }

    /// The work that one step may do.
    private struct Allowance {
        var pushesLeft: Int
        /// True if a push may begin; otherwise recipients only end without one.
        let mayBegin: Bool
    }

    private let cluster: SimulatedNode.Cluster
    private var planner: ClaimPlanner
    private var open: [Recipient: OpenRecipient] = [:]
    /// The number of open recipients to whom a push was sent.
    private var unrecordedPushes = 0
    /// The pushes without an answer, with the times of their answers.
    private var wire: [(due: UInt64, recipient: Recipient)] = []
    /// The recipients whose outcomes are not recorded yet.
    private var toRecord: [Recipient] = []
    /// The blocks whose end or release was asked for.
    private var endedBlocks: Set<BlockID> = []
    private var changes: [ModelChange.Action] = []

    init(_ cluster: SimulatedNode.Cluster) {
        self.cluster = cluster
        planner = ClaimPlanner(limits: cluster.times.claims, at: 0)
    }

    /// True if the outcome of every recipient is in the state, and no change waits to be appended.
    var isIdle: Bool { open.isEmpty && changes.isEmpty }

    /// The work that is left, for a report.
    var remainingWork: String {
        "\(open.count) recipients open, \(wire.count) on the wire, \(toRecord.count) outcomes, \(changes)"
    }

    /// Begins a new incarnation without claims. The pushes on the wire stay.
    mutating func beginAgain() {
        planner.forgetClaims()
        changes = []
        endedBlocks = []
    }

    /// Takes the new state into account.
    mutating func applied(_ state: ModelState) {
        for (recipient, known) in open {
            guard state.messages[recipient.message]?.outcomes[recipient.index] != .pending else { continue }
            open[recipient] = nil
            if known.wasPushed { unrecordedPushes -= 1 }
        }
    }

    // MARK: One step

    /// Takes answers, sends pushes, ends blocks and claims pages.
    ///
    /// - Parameter mayBegin: true if a push may begin.
    mutating func step(
        _ state: ModelState, as identity: Identity, mayBegin: Bool, random: inout SeededGenerator
    ) {
        receiveAnswers()
        var allowance = Allowance(pushesLeft: cluster.times.pushesPerStep, mayBegin: mayBegin)
        for id in state.unfinished {
            guard let claims = state.claims(to: id), let message = state.messages[id] else { continue }
            let mustRelease = !claims.blocksToRelease(by: identity.member.incarnation).isEmpty
            for block in blocksToSend(of: id, in: state, by: identity.member) {
                if message.hasEnded(block) {
                    end(block, of: id, by: identity.member)
                } else if mustRelease {
                    release(block, of: id)
                } else if !endedBlocks.contains(BlockID(message: id, first: block.first)) {
                    // A release may be in the log already, and the pace gone again.
                    for page in block.first..<UInt32(block.end) where allowance.pushesLeft > 0 {
                        send(PageID(message: id, page: page), in: state, as: identity, &allowance, random: &random)
                    }
                }
            }
        }
        claim(in: state, by: identity.member)
    }

    private mutating func receiveAnswers() {
        toRecord += wire.filter { $0.due <= cluster.now }.map(\.recipient)
        wire.removeAll { $0.due <= cluster.now }
    }

    /// Returns the blocks that a member holds and may send. A message that must be shared is not sent before it is.
    private func blocksToSend(of id: MessageID, in state: ModelState, by member: Member) -> [PageBlock] {
        guard let claims = state.claims(to: id), let message = state.messages[id] else { return [] }
        let isToBeShared = message.form.isShared && !claims.isShared
        let blocks = isToBeShared ? [] : state.blocks(of: id, heldBy: member.incarnation)
        guard cluster.fault == .claimIgnored, blocks.isEmpty else { return blocks }
        return [PageBlock(first: 0, count: message.form.pages)]
    }

    /// Sends to the recipients of a page as long as the step has pushes left, and ends those who get no push.
    private mutating func send(
        _ id: PageID, in state: ModelState, as identity: Identity, _ allowance: inout Allowance,
        random: inout SeededGenerator
    ) {
        guard let message = state.messages[id.message] else { return }
        let indices = ModelMessage.indices(of: id.page)
        for index in indices where message.outcomes[index] == .pending && allowance.pushesLeft > 0 {
            let recipient = Recipient(message: id.message, index: index)
            guard open[recipient] == nil else { continue }
            let device = ModelState.device(of: id.page, UInt8(index - indices.lowerBound))
            if message.isCancelled || !state.isRegistered[Int(device)] {
                let outcome: ModelOutcome = message.isCancelled ? .cancelled : .tokenDead
                open[recipient] = OpenRecipient(outcome: outcome, wasPushed: false)
                toRecord.append(recipient)
            } else if allowance.mayBegin, unrecordedPushes < cluster.times.maximumUnrecordedPushes {
                allowance.pushesLeft -= 1
                unrecordedPushes += 1
                open[recipient] = OpenRecipient(outcome: .delivered, wasPushed: true)
                wire.append((cluster.now + .random(in: cluster.times.pushMilliseconds, using: &random), recipient))
                cluster.judge.pushed(
                    .init(
                        recipient: recipient, page: id.page, device: device, member: identity.member,
                        process: identity.process))
            }
        }
    }

    private mutating func end(_ block: PageBlock, of message: MessageID, by member: Member) {
        guard endedBlocks.insert(BlockID(message: message, first: block.first)).inserted else { return }
        changes.append(.endBlock(message, blockAt: block.first))
        for _ in 0..<block.count { cluster.judge.pageSent(by: member.node) }
        planner.pagesEnded(Int(block.count), at: Uptime(milliseconds: cluster.now))
    }

    /// Releases a block once no outcome of its recipients is open.
    private mutating func release(_ block: PageBlock, of message: MessageID) {
        let indices = ModelMessage.indices(of: block)
        guard !open.keys.contains(where: { $0.message == message && indices.contains($0.index) }),
            endedBlocks.insert(BlockID(message: message, first: block.first)).inserted
        else { return }
        changes.append(.releaseBlock(message, blockAt: block.first))
    }

    private mutating func claim(in state: ModelState, by member: Member) {
        guard unrecordedPushes < cluster.times.maximumUnrecordedPushes else { return }
        let candidates = state.unfinished.compactMap { candidate($0, in: state, for: member) }
        guard !candidates.isEmpty else { return }
        let now = Uptime(milliseconds: cluster.now)
        for claim in planner.makeClaims(among: candidates, nodes: state.members.members.count, at: now) {
            changes.append(.claim(claim.message, pages: claim.pages))
        }
    }

    /// Returns a message for the planner; nil if the member may claim nothing of it and has nothing of it to begin.
    private func candidate(
        _ id: MessageID, in state: ModelState, for member: Member
    ) -> ClaimPlanner.Candidate? {
        guard let claims = state.claims(to: id), let message = state.messages[id] else { return nil }
        let isToBeShared = message.form.isShared && !claims.isShared
        let held = isToBeShared ? [] : state.blocks(of: id, heldBy: member.incarnation)
        let owner = claims.owner(of: 0, among: state.members)
        let claimable =
            isToBeShared
            ? owner == nil || owner == member.incarnation ? message.form.pages : 0
            : claims.claimablePages(by: member.incarnation, among: state.members)
        let notBegun = held.flatMap { $0.first..<UInt32($0.end) }.count { page in
            let first = ModelMessage.indices(of: page).lowerBound
            return message.outcomes[first] == .pending && open[Recipient(message: id, index: first)] == nil
        }
        guard claimable > 0 || notBegun > 0 else { return nil }
        return ClaimPlanner.Candidate(
            message: id, claimablePages: claimable, pagesNotBegun: UInt32(notBegun), isIdle: held.isEmpty)
    }

    // MARK: Changes

    /// Removes and returns the changes that wait to be appended.
    mutating func takeChanges() -> [ModelChange.Action] {
        var pages: [PageID: [ModelChange.Outcome]] = [:]
        for recipient in toRecord {
            guard let known = open[recipient] else { continue }
            let (page, position) = ModelMessage.page(of: recipient.index)
            pages[PageID(message: recipient.message, page: page), default: []].append(
                ModelChange.Outcome(recipient: position, outcome: known.outcome))
        }
        toRecord = []
        defer { changes = [] }
        let records = pages.sorted { $0.key < $1.key }
        return records.map { .outcomes($0.key.message, page: $0.key.page, $0.value) } + changes
    }

    /// Ends changes that have their answers, or will have none that is known.
    mutating func ended(_ actions: [ModelChange.Action], isKnown: Bool) {
        for action in actions {
            switch action {
            case .claim(let message, _): planner.claimEnded(message)
            case .endBlock(let message, let first), .releaseBlock(let message, let first):
                endedBlocks.remove(BlockID(message: message, first: first))
            case .outcomes(let message, let page, let recorded) where !isKnown:
                let first = ModelMessage.indices(of: page).lowerBound
                toRecord += recorded.map { Recipient(message: message, index: first + Int($0.recipient)) }
            case .outcomes, .swap, .register, .unregister, .send, .cancel, .setPace: break
            }
        }
    }
}
