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
            append(UInt8(1))
            append(answer)
        case .changes(let answers):
            append(UInt8(2))
            append(UInt32(clamping: answers.count))
            for answer in answers { append(answer) }
        case .swept(let completeness):
            append(UInt8(3))
            append(completeness == .incomplete)
        }
    }

    // style: table, a row for each answer
    private mutating func append(_ answer: ChangeAnswer) {
        switch answer {
        case .registered(let device, let result, let ended, let changesAudiences):
            append(UInt8(1), followedBy: device.rawValue)
            append(result.rawValue)
            append(ended?.rawValue ?? 0)
            append(changesAudiences)
        case .unregistered(let device): append(UInt8(2), followedBy: device?.rawValue ?? 0)
        case .accepted(let acceptance, let outbound):
            append(UInt8(3), followedBy: acceptance.id.rawValue)
            append(acceptance.isDuplicate)
            append(acceptance.total)
            append(acceptance.ended)
            append(acceptance.isCounted)
            append(outbound)
        case .updated(let device): append(UInt8(4), followedBy: device.rawValue)
        case .membership(let answer):
            append(UInt8(5))
            append(answer)
        case .groupUpdated(let devices, let hasChanged):
            append(UInt8(6), followedBy: devices)
            append(hasChanged)
        case .outcomesRecorded(let isFinished):
            append(UInt8(7))
            append(isFinished)
        case .messageUpdated(let state, let outbound):
            append(UInt8(8))
            append(state.rawValue)
            append(outbound)
        case .released(let released, let next):
            append(UInt8(9), followedBy: next?.milliseconds ?? 0)
            append(UInt32(clamping: released.count))
            for outbound in released { append(outbound) }
        case .receiptsCounted(let count, let unknown):
            append(UInt8(10))
            append(count)
            append(list: unknown)
        case .applied: append(UInt8(11))
        case .forgotten(let wasKnown):
            append(UInt8(12))
            append(wasKnown)
        case .messageChecked(let isFinished):
            append(UInt8(13))
            append(isFinished)
        case .refused(let refusal):
            append(UInt8(14))
            append(Self.number(of: refusal))
        case .audienceCounted(let devices): append(UInt8(15), followedBy: devices)
        case .claimed(let outbound):
            append(UInt8(16))
            append(outbound)
        case .pagesClaimed(let claim):
            append(UInt8(17))
            append(claim.outbound)
            append(UInt32(clamping: claim.claimed.count))
            for block in claim.claimed {
                append(block.first)
                append(block.count)
            }
            append(claim.pagesLeft)
        }
    }

    private mutating func append(_ answer: ChangeAnswer.MembershipChange) {
        append(answer.changed)
        append(answer.left)
        append(list: answer.unknown)
        append(answer.device?.rawValue ?? 0)
        switch answer.affected {
        case .allDevices: append(UInt8(1))
        case .devices(let devices):
            append(UInt8(0), followedBy: UInt64(devices.count))
            for device in devices { append(device.rawValue) }
        }
        append(answer.announcement?.id.rawValue ?? 0)
        append(answer.announcement?.outbound)
    }

    /// Appends the fields of a message that its stored rows decide. Its content is in the shared log already.
    private mutating func append(_ outbound: OutboundMessage?) {
        guard let outbound else { return append(UInt8(0)) }
        append(UInt8(1), followedBy: outbound.id.rawValue)
        append(outbound.sendableSince.milliseconds)
        append(outbound.notAfter?.milliseconds ?? 0)
        append(outbound.lane.rawValue)
        append(outbound.firstPendingPage)
        append(outbound.pace ?? 0)
        append(outbound.isLive)
        append(outbound.isCancelled)
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

    // MARK: Numbers

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ number: UInt8, followedBy value: UInt64) {
        bytes.append(number)
        append(value)
    }

    private mutating func append(_ isTrue: Bool) { bytes.append(isTrue ? 1 : 0) }

    private mutating func append(list: [UInt32]) {
        append(UInt32(clamping: list.count))
        for number in list { append(number) }
    }
}
