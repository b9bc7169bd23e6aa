import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import CarillonTestKit
import Testing

/// Compares the registry's answers with those of the reference.
extension RandomRun {
    /// Compares everything that can be asked.
    mutating func compare(_ registry: LMDBRegistry, after step: Comment) throws {
        try #require(try registry.verify() == [], step)
        try compareDevices(registry, after: step)
        try compareSets(registry, after: step)
        try compareMessages(registry, after: step)
        try compareDryRuns(registry, after: step)
        for _ in 0..<20 {
            let condition = try Condition(conditionText())
            let expected = reference.audience(.condition(condition)).count
            let explanation = try registry.explain(condition, app: game)
            try #require(explanation.devices == expected, "\(step): \(condition)")
        }
    }

    private mutating func compareDryRuns(_ registry: LMDBRegistry, after step: Comment) throws {
        for _ in 0..<20 {
            var message = message()
            message.isDryRun = true
            let expected = reference.apply(.accept(message, now: timestamp(now)))
            try #require(.accepted(try registry.dryRun(message), outbound: nil) == expected, "\(step): \(message)")
        }
    }

    private func compareDevices(_ registry: LMDBRegistry, after step: Comment) throws {
        for number in 1...max(1, reference.lastDevice) {
            var expected = reference.devices[number]
            expected?.isMuted = reference.memberships[number]?.isMuted ?? false
            try #require(try registry.device(.id(deviceID(number)), of: game) == expected, step)
            let memberships = try registry.memberships(of: .id(deviceID(number)), app: game, after: "", limit: 1_000)
            try #require(memberships == (expected.map { self.memberships(of: $0) }), step)
        }
        for device in reference.devices.values {
            try #require(try registry.device(.address(device.address), of: game)?.id == device.id, step)
        }
    }

    private func memberships(of device: DeviceRecord) -> Memberships {
        let memberships = reference.memberships[device.id.rawValue] ?? ReferenceRegistry.Membership()
        let groups = memberships.groups.sorted()
        var topics: [Memberships.TopicMembership] = []
        for name in Self.topics.map(\.name).sorted() {
            if memberships.topics.contains(name) {
                topics.append(Memberships.TopicMembership(topic: TopicName(name)!, source: nil))
            }
            for source in groups where reference.groupTopics[source]?.contains(name) ?? false {
                topics.append(Memberships.TopicMembership(topic: TopicName(name)!, source: GroupName(source)!))
            }
        }
        return Memberships(
            device: device.id,
            isMuted: device.isMuted,
            groups: groups.map { .init(group: GroupName($0)!, isMuted: reference.mutedGroups.contains($0)) },
            topics: topics,
            next: nil
        )
    }

    private func compareSets(_ registry: LMDBRegistry, after step: Comment) throws {
        let values = [
            ("platform", "ios"), ("region", "ipados"), ("locale", "zh"), ("locale", "en-gb"), ("kind", "voip"),
        ]
        let sets =
            [SetName.all] + Self.groups.map { .group($0) } + Self.topics.map { .topic($0) }
            + values.map { .attribute(AttributeKey($0.0)!, AttributeValue($0.1)!) }
        for set in sets {
            let expected = reference.devices.keys.sorted().filter { reference.isDevice($0, in: set) }
            let page = try registry.devices(in: set, of: game, cursor: 0, limit: 1_000)
            try #require(page == DeviceIDPage(next: 0, devices: expected.map { deviceID($0) }), "\(step): \(set)")
        }
        var groups: [NamedSetPage.Row] = []
        for name in Self.groups.map(\.name).sorted() {
            let isMuted = reference.mutedGroups.contains(name)
            let isHeld = reference.memberships.values.contains { $0.groups.contains(name) }
            guard isMuted || isHeld || reference.groupTopics[name]?.isEmpty == false else { continue }
            let devices = reference.members { $0.groups.contains(name) }.count
            groups.append(NamedSetPage.Row(name: name, devices: UInt64(devices), isMuted: isMuted))
        }
        try #require(try registry.groups(of: game, prefix: "", after: "", limit: 100).rows == groups, step)
        var topics: [NamedSetPage.Row] = []
        for topic in Self.topics.sorted(by: { $0.name < $1.name }) {
            let isHeld =
                reference.memberships.values.contains { $0.topics.contains(topic.name) }
                || reference.groupTopics.values.contains { $0.contains(topic.name) }
            let devices = reference.devices.keys.count { reference.isDevice($0, in: .topic(topic)) }
            if isHeld { topics.append(NamedSetPage.Row(name: topic.name, devices: UInt64(devices))) }
        }
        try #require(try registry.topics(of: game, prefix: "", after: "", limit: 100).rows == topics, step)
        for group in Self.groups {
            let expected = (reference.groupTopics[group.name] ?? []).sorted()
            let page = try registry.topics(of: group, app: game, after: "", limit: 100)
            try #require(page.rows.map(\.name) == expected, step)
        }
    }

    private func compareMessages(_ registry: LMDBRegistry, after step: Comment) throws {
        var unfinished: [MessageID] = []
        for number in 1...max(1, reference.lastMessage) {
            let id = messageID(number)
            let sent = reference.messages[number]
            let page = try registry.outcomes(of: id, app: game, cursor: 0, limit: 1_000)
            try #require(page?.recipients == sent?.recipients, step)
            try #require(try registry.status(of: id, app: game) == sent.map(status), step)
            for kind in ReceiptKind.allCases {
                let expected = sent.map { sent in (sent.receipts[kind] ?? []).sorted().map { deviceID($0) } }
                let page = try registry.receipts(of: id, app: game, kind: kind, cursor: 0, limit: 100)
                try #require(page?.devices == expected, step)
            }
            if let sent { try compareTraces(of: id, sent: sent, in: registry, after: step) }
            guard let sent, sent.finishedAt == 0 else { continue }
            if sent.waitingState == .waiting { unfinished.append(id) }
            let expected = pending(of: sent)
            let pending = try registry.pendingRecipients(of: id, page: 0)
            try #require(pending?.recipients.map { Int($0.position) } == expected.map(\.position), step)
            let next = try registry.nextPage(of: id, from: 0)
            try #require((next?.recipients ?? []) == pending?.recipients, step)
            for (index, recipient) in (pending?.recipients ?? []).enumerated() {
                let device = recipient.device.flatMap { reference.devices[$0.rawValue] }
                let outcome = sent.channel == nil ? finalOutcome(of: device, hasLeft: expected[index].hasLeft) : nil
                try #require(recipient.finalOutcome == outcome, step)
                let isSent = device != nil || sent.channel != nil
                let attempts = !isSent ? 0 : sent.delays[expected[index].position]?.attempts ?? 0
                try #require(recipient.attempts == attempts, step)
                try #require(pending?.withToken(at: index) { Array($0) } == device?.address.token.bytes ?? [], step)
            }
        }
        try #require(try registry.unfinished().map(\.id) == unfinished, step)
        for filter in MessageFilter.samples {
            let listed = try registry.messages(of: game, before: nil, limit: 1_000, filter: filter)
            try #require(listed == MessageSummaryPage(next: nil, rows: reference.listed(filter)), "\(step): \(filter)")
        }
        let scheduled = reference.messages.values.filter { $0.waitingState == .scheduled }.map(\.sendAt)
        try #require(try registry.nextScheduled() == scheduled.min().map { timestamp($0) }, step)
        let quarantined = try registry.quarantinedDevices(of: game, cursor: 0, limit: 1_000).devices
        try #require(quarantined.map(\.rawValue) == reference.quarantinedSince.keys.sorted(), step)
    }

    private func compareTraces(
        of message: MessageID, sent: ReferenceRegistry.Sent, in registry: LMDBRegistry, after step: Comment
    ) throws {
        for device in reference.devices.values {
            guard case .trace(let trace) = try registry.trace(of: message, device: .id(device.id), app: game) else {
                Issue.record("\(step): no trace of \(device.id)")
                continue
            }
            let index = sent.recipients.firstIndex { $0.device == device.id }
            let position = index.map { sent.live == nil ? $0 : Int(device.id.rawValue) }
            try #require(trace.state == sent.state, step)
            try #require(trace.isQuarantined == (device.state == .quarantined), step)
            try #require(trace.outcome == index.map { sent.recipients[$0].outcome } ?? .pending, step)
            let isAddressed = trace.addressing == .recipient
            try #require(isAddressed == (index != nil), step)
            try #require(trace.attempts == position.flatMap { sent.attempts[$0] } ?? [], step)
            let isIn = sent.live.map { reference.audience($0.audience).contains(device.id.rawValue) }
            if isIn == false { try #require(trace.sources == [], step) }
        }
        let trace = try registry.trace(of: message, device: .id(.channel), app: game)
        guard sent.channel != nil else { return try #require(trace == .noDevice, step) }
        guard case .trace(let trace) = trace else { throw RegistryError.corrupted("\(step): \(trace)") }
        try #require(trace.device == .channel, step)
        try #require(trace.addressing == .recipient, step)
        try #require(trace.state == sent.state, step)
        try #require(trace.outcome == sent.recipients[0].outcome, step)
        try #require(trace.attempts == sent.attempts[0] ?? [], step)
    }

    private func pending(of sent: ReferenceRegistry.Sent) -> [(position: Int, hasLeft: Bool)] {
        guard let live = sent.live else {
            return sent.recipients.indices.filter { sent.recipients[$0].outcome == .pending }.map { ($0, false) }
        }
        let present = reference.audience(live.audience)
        guard !sent.recipients.isEmpty else {
            return present.subtracting(live.excluded).filter { $0 < live.bound }.sorted().map { (Int($0), false) }
        }
        return sent.recipients.filter { $0.outcome == .pending }.compactMap(\.device?.rawValue)
            .map { (Int($0), !present.contains($0)) }
    }

    private func finalOutcome(of device: DeviceRecord?, hasLeft: Bool) -> Outcome? {
        guard let device else { return .unregistered }
        if device.state == .quarantined { return .quarantined }
        if device.address.kind != .device { return .wrongKind }
        if hasLeft { return .left }
        return reference.isMuted(device.id.rawValue) ? .muted : nil
    }

    private func status(_ sent: ReferenceRegistry.Sent) -> MessageStatus {
        let ended = sent.recipients.count { $0.outcome != .pending }
        let total = sent.total
        var outcomes = Dictionary(grouping: sent.recipients, by: \.outcome).mapValues { UInt64($0.count) }
        if total > ended { outcomes[.pending] = UInt64(total - ended) }
        var status = MessageStatus(
            state: sent.state, acceptedAt: Timestamp(milliseconds: sent.acceptedAt),
            finishedAt: Timestamp(milliseconds: sent.finishedAt), total: UInt64(total), outcomes: outcomes)
        status.sendAt = sent.sendAt == 0 ? nil : timestamp(sent.sendAt)
        status.pace = sent.pace
        status.received = UInt64(sent.receipts[.received]?.count ?? 0)
        status.opened = UInt64(sent.receipts[.opened]?.count ?? 0)
        status.audience = sent.channel?.description ?? sent.live?.audience.condition?.description
        status.label = sent.metadata.label
        status.sender = sent.metadata.sender
        return status
    }
}

extension MessageFilter {
    /// Filters of each kind, and several at once.
    static let samples = [
        MessageFilter(), MessageFilter(state: .finished), MessageFilter(state: .scheduled),
        MessageFilter(sender: "shop"), MessageFilter(labelPrefix: "Raid"), MessageFilter(labelPrefix: "公"),
        MessageFilter(state: .finished, sender: "live-ops", labelPrefix: "Raid at"), MessageFilter(sender: "operator"),
    ]
}
