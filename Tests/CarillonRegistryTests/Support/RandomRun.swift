import CarillonCore
import CarillonRegistry
import CarillonTestKit
import Testing

/// A run of random changes, and the reference that they are compared with.
struct RandomRun {
    /// A kind of change.
    enum Kind: CaseIterable {
        case register, unregister, updateDevice, restore, join, leave, updateGroup, subscribe, unsubscribe, accept,
            resend
        case updateMessage, releaseScheduled, recordOutcomes, finish, countReceipts, appendEvent

        /// How often it is drawn, beside the others.
        var weight: Int {
            switch self {
            case .register, .recordOutcomes: 4
            case .accept, .join: 3
            case .updateDevice, .subscribe, .unsubscribe, .updateMessage: 2
            case .unregister, .finish, .leave, .releaseScheduled, .resend, .countReceipts, .restore, .appendEvent,
                .updateGroup:
                1
            }
        }

        /// Each kind as often as its weight says.
        static let weighted = allCases.flatMap { Array(repeating: $0, count: $0.weight) }
    }

    var reference = ReferenceRegistry()
    var now: UInt64 = 1_000
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    func open(_ scratch: RegistryDirectory, walLimits: LMDBRegistry.WALLimits = LMDBRegistry.WALLimits()) throws
        -> LMDBRegistry
    {
        try scratch.open {
            $0.wal = walLimits
            $0.settings?.retention.tombstoneMilliseconds = ReferenceRegistry.tombstoneAge
            $0.settings?.retention.idempotencyMilliseconds = ReferenceRegistry.keyAge
            $0.settings?.retention.messageMilliseconds = ReferenceRegistry.messageAge
            $0.settings?.retention.quarantineMilliseconds = ReferenceRegistry.quarantineAge
            $0.settings?.maximumSweptRows = 7
        }
    }

    mutating func nextChanges() -> [Change] { nextKindsAndChanges().map(\.change) }

    mutating func nextKindsAndChanges() -> [(kind: Kind, change: Change)] {
        (0..<Int.random(in: 1...20, using: &random)).map { _ in
            now += UInt64.random(in: 0...3, using: &random)
            let kind = Kind.weighted.randomElement(using: &random)!
            return (kind, change(kind))
        }
    }

    private mutating func change(_ kind: Kind) -> Change {
        let now = Timestamp(milliseconds: now)
        switch kind {
        case .register: return .register(registration(), now: straying(now))
        case .unregister:
            return .unregister(
                UnregisterRequest(app: game, device: deviceReference(), at: nearTime()), now: straying(now))
        case .accept: return .accept(message(), sender: sender(), now: now)
        case .recordOutcomes: return .recordOutcomes(outcomes(), now: now)
        case .finish: return .finish(anyMessage(), now: now)
        case .updateDevice:
            return .updateDevice(UpdateDeviceRequest(app: game, device: deviceReference(), update: update()))
        case .join: return .join(join(), sender: sender(), now: now)
        case .leave: return .leave(leave())
        case .subscribe: return .subscribe(subscription())
        case .unsubscribe: return .unsubscribe(subscription())
        case .updateMessage:
            return .updateMessage(
                UpdateMessageRequest(app: game, id: anyMessage(), messageUpdate: messageUpdate()), now: now)
        case .releaseScheduled: return .releaseScheduled(now: now)
        case .resend: return resend(now)
        case .countReceipts: return .countReceipts(ReceiptsRequest(app: game, receipts: receipts()), now: now)
        case .restore: return .restore(RestoreRequest(app: game, device: deviceReference()), now: now)
        case .appendEvent: return .appendEvent(Event(at: now, kind: .connectionUp, text: "key/sandbox"))
        case .updateGroup:
            return .updateGroup(
                UpdateGroupRequest(
                    app: game, group: anyGroup(), isMuted: [nil, true, false].randomElement(using: &random)!))
        }
    }

    /// A clock that is ahead now and then.
    private mutating func straying(_ now: Timestamp) -> Timestamp {
        Int.random(in: 0..<6, using: &random) == 0 ? now.advanced(byMilliseconds: 50) : now
    }

    private mutating func messageUpdate() -> MessageUpdate {
        [.cancel, .pause, .pause, .resume, .resume, .pace(nil), .pace(7)].randomElement(using: &random)!
    }

    private mutating func resend(_ now: Timestamp) -> Change {
        let outcomes: [Set<Outcome>] = [[], [.delivered], [.gaveUp, .cancelled, .tokenExpired]]
        return .resend(
            ResendRequest(
                app: game, id: anyMessage(),
                idempotencyKey: UUIDBytes(high: 0, low: UInt64.random(in: 0..<5, using: &random)).nonzero,
                outcomes: outcomes.randomElement(using: &random)!.sorted(),
                notAfter: [nil, nil, .zero, now].randomElement(using: &random)!), sender: sender(), now: now)
    }

    private mutating func receipts() -> [Receipt] {
        (0..<Int.random(in: 1...5, using: &random)).map { _ in
            Receipt(
                message: anyMessage(), device: deviceReference(),
                kind: ReceiptKind.allCases.randomElement(using: &random)!)
        }
    }

    // MARK: Groups and topics

    private static let groups = ["user/1", "user/2", "role/9"].map { group($0) }
    private static let topics = ["level5", "guild/77", "en", "zh"].map { topic($0) }
    private static let locales = ["en", "en-GB", "zh-Hant-TW", "zh"]

    private mutating func anyGroup() -> GroupName { Self.groups.randomElement(using: &random)! }

    private mutating func references(_ counts: ClosedRange<Int>) -> [DeviceReference] {
        (0..<Int.random(in: counts, using: &random)).map { _ in deviceReference() }
    }

    private mutating func update() -> DeviceUpdate {
        DeviceUpdate(
            locale: ([nil, ""] + Self.locales).randomElement(using: &random)!,
            attributes: attributes(),
            isMuted: [nil, nil, true, false].randomElement(using: &random)!
        )
    }

    private mutating func attributes() -> [AttributeChange] {
        guard Int.random(in: 0..<3, using: &random) == 0 else { return [] }
        let value = ["", "ios", "ipados"].randomElement(using: &random)!
        return [AttributeChange(key: ["platform", "region"].randomElement(using: &random)!, value: value)!]
    }

    private mutating func join() -> JoinRequest {
        let announcement = MessageContent(app: game, pushType: .alert, payload: Array("{}".utf8))
        return JoinRequest(
            app: game,
            group: anyGroup(),
            devices: references(1...3),
            leaving: Int.random(in: 0..<3, using: &random) == 0 ? anyGroup() : nil,
            announcement: Int.random(in: 0..<4, using: &random) == 0 ? announcement : nil
        )
    }

    private mutating func leave() -> LeaveRequest {
        LeaveRequest(
            app: game, group: anyGroup(), devices: references(1...3), clearsTopics: Bool.random(using: &random))
    }

    private mutating func subscription() -> Subscription {
        let topics = (0..<Int.random(in: 1...3, using: &random)).map { _ in Self.topics.randomElement(using: &random)! }
        let groups = (0..<Int.random(in: 0...2, using: &random)).map { _ in anyGroup() }
        return Subscription(app: game, topics: topics, devices: references(0...2), groups: groups)
    }

    /// A condition of up to three operators deep.
    mutating func conditionText(depth: Int = 3) -> String {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 5), using: &random) {
        case 0: return "'\(Self.topics.randomElement(using: &random)!)' in topics"
        case 1: return "'\(anyGroup())' in groups"
        case 2: return "locale == '\(["en", "zh", "zh-hant", "en-gb"].randomElement(using: &random)!)'"
        case 3: return "platform != 'ios'"
        case 4: return "kind == 'device'"
        case 5: return "!(\(conditionText(depth: depth - 1)))"
        case 6: return "(\(conditionText(depth: depth - 1))) && (\(conditionText(depth: depth - 1)))"
        case 7: return "(\(conditionText(depth: depth - 1))) || (\(conditionText(depth: depth - 1)))"
        default: return "all && !(\(conditionText(depth: depth - 1)))"
        }
    }

    private mutating func audience() -> Audience {
        switch Int.random(in: 0..<9, using: &random) {
        case 8: return .channel(channel(environment: .sandbox))
        case 0: return .groups([anyGroup(), anyGroup()])
        case 1: return .topic(Self.topics.randomElement(using: &random)!)
        case 2: return (try? condition(conditionText())).map { .condition($0) } ?? .all
        case 3: return .all
        default: return .devices(references(1...6))
        }
    }

    // MARK: Devices and messages

    private mutating func nearTime() -> Timestamp {
        Bool.random(using: &random)
            ? .zero : Timestamp(milliseconds: UInt64.random(in: now - 30...now + 5, using: &random))
    }

    private mutating func token() -> DeviceToken {
        DeviceToken([UInt8.random(in: 1...12, using: &random), 0xFF])!
    }

    private mutating func anyAddress() -> DeviceAddress {
        let kind: TokenKind = Int.random(in: 0..<5, using: &random) == 0 ? .voip : .device
        return DeviceAddress(environment: .sandbox, kind: kind, token: token())
    }

    private mutating func deviceReference() -> DeviceReference {
        Bool.random(using: &random)
            ? .address(anyAddress())
            : .id(DeviceID(rawValue: UInt64.random(in: 1...reference.lastDevice + 2, using: &random)))
    }

    private mutating func registration() -> Registration {
        Registration(
            app: game,
            address: anyAddress(),
            seenAt: nearTime(),
            replaces: Int.random(in: 0..<3, using: &random) == 0 ? token() : nil,
            locale: ([nil, ""] + Self.locales).randomElement(using: &random)!,
            timeZone: [nil, "", "Asia/Tokyo"].randomElement(using: &random)!,
            attributes: attributes(),
            topics: Bool.random(using: &random) ? [] : [Self.topics.randomElement(using: &random)!],
            groups: Bool.random(using: &random) ? [] : [anyGroup()]
        )
    }

    private mutating func message() -> Message {
        let payload = Array(#"{"n":\#(Int.random(in: 0..<2, using: &random))}"#.utf8)
        let audience = audience()
        let isBroadcast = if case .channel = audience { true } else { false }
        return Message(
            idempotencyKey: UUIDBytes(high: 0, low: UInt64.random(in: 0..<5, using: &random)).nonzero,
            content: MessageContent(app: game, pushType: isBroadcast ? .liveactivity : .alert, payload: payload),
            audience: audience,
            excludedDevice: Int.random(in: 0..<4, using: &random) == 0 ? deviceReference() : nil,
            lane: Lane.allCases.randomElement(using: &random)!,
            sendAt: Int.random(in: 0..<4, using: &random) == 0
                ? Timestamp(milliseconds: now + UInt64.random(in: 0...60, using: &random)) : nil,
            pace: Int.random(in: 0..<5, using: &random) == 0 ? 9 : nil,
            label: [nil, nil, "Raid", "Raid at 21:00", "公會戰"].randomElement(using: &random)!
        )
    }

    private mutating func sender() -> String? { [nil, "shop", "live-ops"].randomElement(using: &random)! }

    private mutating func anyMessage() -> MessageID {
        let last = reference.lastMessage
        return MessageID(rawValue: UInt64.random(in: (last > 20 ? last - 20 : 1)...last + 1, using: &random))
    }

    /// Mostly the devices that a page would address now; sometimes devices that were left out or not given.
    private mutating func addressed() -> AddressedChunk {
        var bits = ChunkBits()
        for id in reference.devices.keys where Int.random(in: 0..<3, using: &random) > 0 { bits.insert(UInt16(id)) }
        if Int.random(in: 0..<10, using: &random) == 0 { bits.insert(UInt16(reference.lastDevice + 1)) }
        return AddressedChunk(bits)
    }

    private mutating func outcomes() -> OutcomeRecord {
        let entries = (0..<Int.random(in: 1...4, using: &random)).map { _ in
            OutcomeRecord.Entry(
                position: UInt16.random(in: 0..<8, using: &random),
                outcome: [.delivered, .tokenUnregistered, .tokenExpired, .gaveUp].randomElement(using: &random)!,
                death: Bool.random(using: &random)
                    ? OutcomeRecord.TokenDeath(since: nearTime(), registeredAt: nearTime()) : nil
            )
        }
        let delays = (0..<Int.random(in: 0...1, using: &random)).map { _ in
            OutcomeRecord.Delay(position: UInt16.random(in: 0..<4, using: &random), attempts: 2, dueAt: nearTime())
        }
        return OutcomeRecord(
            message: anyMessage(),
            page: Int.random(in: 0..<20, using: &random) == 0 ? 1 : 0,
            entries: entries,
            delays: delays,
            attempts: (0..<Int.random(in: 0...2, using: &random)).map { _ in attempt() },
            addressed: Bool.random(using: &random) ? addressed() : nil
        )
    }

    private mutating func attempt() -> OutcomeRecord.RecordedAttempt {
        OutcomeRecord.RecordedAttempt(
            position: UInt16.random(in: 0..<4, using: &random),
            attempt: TracedAttempt(
                at: time(now), connection: UInt32.random(in: 0..<3, using: &random), status: 503,
                reason: ["", "ServiceUnavailable"].randomElement(using: &random)!,
                uniqueID: [nil, nil, "0e9a64d6", String(repeating: "~", count: 64)].randomElement(using: &random)!))
    }

    /// Compares everything that can be asked.
    mutating func compare(_ registry: LMDBRegistry, _ place: Comment) throws {
        try #require(try registry.verify() == [], place)
        try compareDevices(registry, place)
        try compareSets(registry, place)
        try compareMessages(registry, place)
        try compareDryRuns(registry, place)
        for _ in 0..<20 {
            let condition = try condition(conditionText())
            let expected = reference.audience(.condition(condition)).count
            let explanation = try registry.explain(condition, app: game)
            try #require(explanation.devices == expected, "\(place): \(condition)")
        }
    }

    private mutating func compareDryRuns(_ registry: LMDBRegistry, _ place: Comment) throws {
        for _ in 0..<20 {
            var message = message()
            message.isDryRun = true
            let expected = reference.apply(.accept(message, now: time(now)))
            try #require(.accepted(try registry.dryRun(message), nil) == expected, "\(place): \(message)")
        }
    }

    private func compareDevices(_ registry: LMDBRegistry, _ place: Comment) throws {
        for number in 1...max(1, reference.lastDevice) {
            var expected = reference.devices[number]
            expected?.isMuted = reference.held[number]?.isMuted ?? false
            try #require(try registry.device(.id(id(number)), of: game) == expected, place)
            let memberships = try registry.memberships(of: .id(id(number)), app: game, after: "", limit: 1_000)
            try #require(memberships == (expected.map { self.memberships(of: $0) }), place)
        }
        for device in reference.devices.values {
            try #require(try registry.device(.address(device.address), of: game)?.id == device.id, place)
        }
    }

    private func memberships(of device: Device) -> Memberships {
        let held = reference.held[device.id.rawValue] ?? ReferenceRegistry.Held()
        let groups = held.groups.sorted()
        var topics: [Memberships.Holding] = []
        for name in Self.topics.map(\.name).sorted() {
            if held.topics.contains(name) { topics.append(Memberships.Holding(topic: topic(name), source: nil)) }
            for source in groups where reference.groupTopics[source]?.contains(name) ?? false {
                topics.append(Memberships.Holding(topic: topic(name), source: group(source)))
            }
        }
        return Memberships(
            device: device.id,
            isMuted: device.isMuted,
            groups: groups.map { .init(group: group($0), isMuted: reference.mutedGroups.contains($0)) },
            topics: topics,
            next: nil
        )
    }

    private func compareSets(_ registry: LMDBRegistry, _ place: Comment) throws {
        let values = [
            ("platform", "ios"), ("region", "ipados"), ("locale", "zh"), ("locale", "en-gb"), ("kind", "voip"),
        ]
        let sets =
            [SetName.all] + Self.groups.map { .group($0) } + Self.topics.map { .topic($0) }
            + values.map { .attribute(AttributeKey($0.0)!, AttributeValue($0.1)!) }
        for set in sets {
            let expected = reference.devices.keys.sorted().filter { reference.isIn($0, set) }
            let page = try registry.devices(in: set, of: game, cursor: 0, limit: 1_000)
            try #require(page == DevicePage(next: 0, devices: expected.map { id($0) }), "\(place): \(set)")
        }
        var groups: [NamedSetPage.Row] = []
        for name in Self.groups.map(\.name).sorted() {
            let isMuted = reference.mutedGroups.contains(name)
            let isHeld = reference.held.values.contains { $0.groups.contains(name) }
            guard isMuted || isHeld || reference.groupTopics[name]?.isEmpty == false else { continue }
            let devices = reference.members { $0.groups.contains(name) }.count
            groups.append(NamedSetPage.Row(name: name, devices: UInt64(devices), isMuted: isMuted))
        }
        try #require(try registry.groups(of: game, prefix: "", after: "", limit: 100).rows == groups, place)
        var topics: [NamedSetPage.Row] = []
        for topic in Self.topics.sorted(by: { $0.name < $1.name }) {
            let isHeld =
                reference.held.values.contains { $0.topics.contains(topic.name) }
                || reference.groupTopics.values.contains { $0.contains(topic.name) }
            let devices = reference.devices.keys.count { reference.isIn($0, .topic(topic)) }
            if isHeld { topics.append(NamedSetPage.Row(name: topic.name, devices: UInt64(devices))) }
        }
        try #require(try registry.topics(of: game, prefix: "", after: "", limit: 100).rows == topics, place)
        for group in Self.groups {
            let expected = (reference.groupTopics[group.name] ?? []).sorted()
            let page = try registry.topics(of: group, app: game, after: "", limit: 100)
            try #require(page.rows.map(\.name) == expected, place)
        }
    }

    private func compareMessages(_ registry: LMDBRegistry, _ place: Comment) throws {
        var unfinished: [MessageID] = []
        for number in 1...max(1, reference.lastMessage) {
            let id = MessageID(rawValue: number)
            let sent = reference.messages[number]
            let page = try registry.outcomes(of: id, app: game, cursor: 0, limit: 1_000)
            try #require(page?.recipients == sent?.recipients, place)
            try #require(try registry.status(of: id, app: game) == sent.map(status), place)
            for kind in ReceiptKind.allCases {
                let expected = sent.map { sent in (sent.receipts[kind] ?? []).sorted().map { DeviceID(rawValue: $0) } }
                let page = try registry.receipts(of: id, app: game, kind: kind, cursor: 0, limit: 100)
                try #require(page?.devices == expected, place)
            }
            if let sent { try compareTraces(of: id, sent: sent, in: registry, at: place) }
            guard let sent, sent.finishedAt == 0 else { continue }
            if sent.waitingState == .waiting { unfinished.append(id) }
            let expected = pending(of: sent)
            let pending = try registry.pendingRecipients(of: id, page: 0)
            try #require(pending?.recipients.map { Int($0.position) } == expected.map(\.position), place)
            let next = try registry.nextPage(of: id, from: 0)
            try #require((next?.recipients ?? []) == pending?.recipients, place)
            for (index, recipient) in (pending?.recipients ?? []).enumerated() {
                let device = recipient.device.flatMap { reference.devices[$0.rawValue] }
                let ending = sent.channel == nil ? ending(of: device, hasLeft: expected[index].hasLeft) : nil
                try #require(recipient.ending == ending, place)
                let isSent = device != nil || sent.channel != nil
                let attempts = !isSent ? 0 : sent.delays[expected[index].position]?.attempts ?? 0
                try #require(recipient.attempts == attempts, place)
                try #require(pending?.withToken(at: index) { Array($0) } == device?.address.token.bytes ?? [], place)
            }
        }
        try #require(try registry.unfinished().map(\.id) == unfinished, place)
        for filter in MessageFilter.samples {
            let listed = try registry.messages(of: game, before: nil, limit: 1_000, filter: filter)
            try #require(listed == MessageSummaryPage(next: nil, rows: reference.listed(filter)), "\(place): \(filter)")
        }
        let scheduled = reference.messages.values.filter { $0.waitingState == .scheduled }.map(\.sendAt)
        try #require(try registry.nextScheduled() == scheduled.min().map { time($0) }, place)
        let quarantined = try registry.quarantine(of: game, cursor: 0, limit: 1_000).devices
        try #require(quarantined.map(\.rawValue) == reference.quarantinedSince.keys.sorted(), place)
    }

    private func compareTraces(
        of message: MessageID, sent: ReferenceRegistry.Sent, in registry: LMDBRegistry, at place: Comment
    ) throws {
        for device in reference.devices.values {
            guard case .trace(let trace) = try registry.trace(of: message, device: .id(device.id), app: game) else {
                try #require(Bool(false), "\(place): no trace of \(device.id)")
                continue
            }
            let index = sent.recipients.firstIndex { $0.device == device.id }
            let position = index.map { sent.live == nil ? $0 : Int(device.id.rawValue) }
            try #require(trace.state == sent.state, place)
            try #require(trace.isQuarantined == (device.state == .quarantined), place)
            try #require(trace.outcome == index.map { sent.recipients[$0].outcome } ?? .pending, place)
            try #require((trace.addressing == .addressed) == (index != nil), place)
            try #require(trace.attempts == position.flatMap { sent.attempts[$0] } ?? [], place)
            let isIn = sent.live.map { reference.audience($0.audience).contains(device.id.rawValue) }
            if isIn == false { try #require(trace.sources == [], place) }
        }
        let trace = try registry.trace(of: message, device: .id(.channel), app: game)
        guard sent.channel != nil else { return try #require(trace == .noDevice, place) }
        guard case .trace(let trace) = trace else { throw RegistryError.corrupted("\(place): \(trace)") }
        try #require(trace.device == .channel, place)
        try #require(trace.addressing == .addressed, place)
        try #require(trace.state == sent.state, place)
        try #require(trace.outcome == sent.recipients[0].outcome, place)
        try #require(trace.attempts == sent.attempts[0] ?? [], place)
    }

    private func pending(of sent: ReferenceRegistry.Sent) -> [(position: Int, hasLeft: Bool)] {
        guard let live = sent.live else {
            return sent.recipients.indices.filter { sent.recipients[$0].outcome == .pending }.map { ($0, false) }
        }
        let present = reference.audience(live.audience)
        guard !sent.recipients.isEmpty else {
            return present.subtracting(live.except).filter { $0 < live.bound }.sorted().map { (Int($0), false) }
        }
        return sent.recipients.filter { $0.outcome == .pending }.compactMap(\.device?.rawValue)
            .map { (Int($0), !present.contains($0)) }
    }

    private func ending(of device: Device?, hasLeft: Bool) -> Outcome? {
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
        return MessageStatus(
            state: sent.state,
            acceptedAt: Timestamp(milliseconds: sent.acceptedAt),
            finishedAt: Timestamp(milliseconds: sent.finishedAt),
            total: UInt64(total),
            outcomes: outcomes,
            sendAt: sent.sendAt == 0 ? nil : time(sent.sendAt),
            pace: sent.pace,
            received: UInt64(sent.receipts[.received]?.count ?? 0),
            opened: UInt64(sent.receipts[.opened]?.count ?? 0),
            audience: sent.channel?.description ?? sent.live?.audience.condition?.description,
            label: sent.metadata.label, sender: sent.metadata.sender
        )
    }
}
