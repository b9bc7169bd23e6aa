import CarillonCore

/// The bytes of answers, from which replicas make the ``RunningHash``: the same on every node and in every version
/// that applies the same format of entries.
///
/// The bytes are never read again. They contain the answer that a caller gets and the facts with which delivery goes
/// on. So a replica whose state differs gives a different answer before long.
struct AnswerBytes {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ answer: MutationAnswer) {
        switch answer {
        case .change(let answer):
            appendKind(1)
            appendChangeAnswer(answer)
        case .changes(let answers):
            appendKind(2)
            appendUInt32(UInt32(clamping: answers.count))
            for answer in answers { appendChangeAnswer(answer) }
        case .swept(let completeness):
            appendKind(3)
            appendFlag(completeness == .incomplete)
        }
    }

    // style: table, a row for each answer
    private mutating func appendChangeAnswer(_ answer: ChangeAnswer) {
        switch answer {
        case .registered(let device, let result, let ended, let changesAudiences):
            appendKind(1, followedBy: device.rawValue)
            appendUInt8(result.rawValue)
            appendUInt64(ended?.rawValue ?? 0)
            appendFlag(changesAudiences)
        case .unregistered(let device): appendKind(2, followedBy: device?.rawValue ?? 0)
        case .accepted(let acceptance, let outbound):
            appendKind(3, followedBy: acceptance.id.rawValue)
            appendFlag(acceptance.isDuplicate)
            appendUInt32(acceptance.total)
            appendUInt32(acceptance.ended)
            appendFlag(acceptance.isCounted)
            appendOutbound(outbound)
        case .updated(let device): appendKind(4, followedBy: device.rawValue)
        case .membership(let answer):
            appendKind(5)
            appendMembershipChange(answer)
        case .groupUpdated(let devices, let hasChanged):
            appendKind(6, followedBy: devices)
            appendFlag(hasChanged)
        case .outcomesRecorded(let isFinished):
            appendKind(7)
            appendFlag(isFinished)
        case .messageUpdated(let state, let outbound):
            appendKind(8)
            appendUInt8(state.rawValue)
            appendOutbound(outbound)
        case .released(let released, let next):
            appendKind(9, followedBy: next?.milliseconds ?? 0)
            appendUInt32(UInt32(clamping: released.count))
            for outbound in released { appendOutbound(outbound) }
        case .receiptsCounted(let count, let unknown):
            appendKind(10)
            appendUInt32(count)
            appendList(unknown)
        case .applied: appendKind(11)
        case .forgotten(let wasKnown):
            appendKind(12)
            appendFlag(wasKnown)
        case .messageChecked(let isFinished):
            appendKind(13)
            appendFlag(isFinished)
        case .refused(let refusal):
            appendKind(14)
            appendUInt8(Self.number(of: refusal))
        case .audienceCounted(let devices): appendKind(15, followedBy: devices)
        case .claimed(let outbound):
            appendKind(16)
            appendOutbound(outbound)
        case .pagesClaimed(let claim):
            appendKind(17)
            appendOutbound(claim.outbound)
            appendUInt32(UInt32(clamping: claim.claimed.count))
            for block in claim.claimed {
                appendUInt32(block.first)
                appendUInt32(block.count)
            }
            appendUInt32(claim.pagesLeft)
        }
    }

    private mutating func appendMembershipChange(_ answer: ChangeAnswer.MembershipChange) {
        appendUInt32(answer.changed)
        appendUInt32(answer.left)
        appendList(answer.unknown)
        appendUInt64(answer.device?.rawValue ?? 0)
        switch answer.affected {
        case .allDevices: appendKind(1)
        case .devices(let devices):
            appendKind(0, followedBy: UInt64(devices.count))
            for device in devices { appendUInt64(device.rawValue) }
        }
        appendUInt64(answer.announcement?.id.rawValue ?? 0)
        appendOutbound(answer.announcement?.outbound)
    }

    /// Appends the fields of a message that its stored rows decide. Its content is in the shared log already.
    private mutating func appendOutbound(_ outbound: OutboundMessage?) {
        guard let outbound else { return appendKind(0) }
        appendKind(1, followedBy: outbound.id.rawValue)
        appendUInt64(outbound.sendableSince.milliseconds)
        appendUInt64(outbound.notAfter?.milliseconds ?? 0)
        appendUInt8(outbound.lane.rawValue)
        appendUInt32(outbound.firstPendingPage)
        appendUInt32(outbound.pace ?? 0)
        appendFlag(outbound.isLive)
        appendFlag(outbound.isCancelled)
    }

    private static func number(of refusal: ChangeAnswer.Refusal) -> UInt8 {
        switch refusal {
        case .stale: 1
        case .notFound: 2
        case .idempotencyConflict: 3
        case .unfinished: 4
        case .outOfTime: 5
        case .tooMany(.attributes): 6
        case .tooMany(.groups): 7
        case .tooMany(.topics): 8
        case .tooMany(.subscribers): 9
        case .tooMany(.ownSubscribers): 10
        case .tooMany(.topicsOfDevices): 11
        case .tooMany(.topicsOfGroups): 12
        }
    }

    // MARK: Fields of a known size

    /// Appends the number of a case, or of one of two forms.
    private mutating func appendKind(_ kind: UInt8) { appendUInt8(kind) }

    private mutating func appendKind(_ kind: UInt8, followedBy value: UInt64) {
        appendKind(kind)
        appendUInt64(value)
    }

    private mutating func appendFlag(_ isTrue: Bool) { appendUInt8(isTrue ? 1 : 0) }

    private mutating func appendList(_ numbers: [UInt32]) {
        appendUInt32(UInt32(clamping: numbers.count))
        for number in numbers { appendUInt32(number) }
    }

    private mutating func appendUInt8(_ number: UInt8) { bytes.append(number) }

    private mutating func appendUInt32(_ number: UInt32) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func appendUInt64(_ number: UInt64) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
