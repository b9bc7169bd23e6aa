import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import CarillonTestKit

/// A run of random changes, and the reference that they are compared with.
struct RandomRun {
    enum ChangeKind: CaseIterable {
        case register, unregister, updateDevice, restore, join, leave, updateGroup, subscribe, unsubscribe, accept,
            resend
        case updateMessage, releaseScheduled, recordOutcomes, finish, countReceipts, appendEvent

        /// The weight of the kind: how often it is drawn, beside the others.
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

        /// A list that has each kind as often as its weight says.
        static let weighted = allCases.flatMap { Array(repeating: $0, count: $0.weight) }
    }

    var reference = ReferenceRegistry()
    var now: UInt64 = 1_000
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    func open(
        _ scratch: RegistryDirectory, _ change: (inout LMDBRegistry.Options) -> Void = { _ in }
    ) throws -> LMDBRegistry {
        try scratch.open {
            change(&$0)
            $0.settings?.retention.tombstoneMilliseconds = ReferenceRegistry.tombstoneMilliseconds
            $0.settings?.retention.idempotencyMilliseconds = ReferenceRegistry.keyMilliseconds
            $0.settings?.retention.messageMilliseconds = ReferenceRegistry.messageMilliseconds
            $0.settings?.retention.quarantineMilliseconds = ReferenceRegistry.quarantineMilliseconds
            $0.settings?.maximumSweptRows = 7
        }
    }

    mutating func nextChanges() -> [Change] { nextKindsAndChanges().map(\.change) }

    mutating func nextKindsAndChanges() -> [(kind: ChangeKind, change: Change)] {
        (0..<Int.random(in: 1...20, using: &random)).map { _ in
            now += UInt64.random(in: 0...3, using: &random)
            let kind = ChangeKind.weighted.randomElement(using: &random)!
            return (kind, change(kind))
        }
    }

    private mutating func change(_ kind: ChangeKind) -> Change {
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

    /// Returns a time of a clock that is ahead now and then.
    private mutating func straying(_ now: Timestamp) -> Timestamp {
        Int.random(in: 0..<6, using: &random) == 0 ? now.later(byMilliseconds: 50) : now
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

    static let groups: [GroupName] = ["user/1", "user/2", "role/9"]
    static let topics: [TopicName] = ["level5", "guild/77", "en", "zh"]
    static let locales = ["en", "en-GB", "zh-Hant-TW", "zh"]

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

    private mutating func subscription() -> TopicSubscription {
        let topics = (0..<Int.random(in: 1...3, using: &random)).map { _ in Self.topics.randomElement(using: &random)! }
        let groups = (0..<Int.random(in: 0...2, using: &random)).map { _ in anyGroup() }
        return TopicSubscription(app: game, topics: topics, devices: references(0...2), groups: groups)
    }

    /// Makes a condition whose operators are nested at most `depth` deep.
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
        case 8: return .channel(.sample(environment: .sandbox))
        case 0: return .groups([anyGroup(), anyGroup()])
        case 1: return .topic(Self.topics.randomElement(using: &random)!)
        case 2: return (try? Condition(conditionText())).map { .condition($0) } ?? .all
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
            : .id(deviceID(UInt64.random(in: 1...reference.lastDevice + 2, using: &random)))
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

    mutating func message() -> Message {
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
        return messageID(UInt64.random(in: (last > 20 ? last - 20 : 1)...last + 1, using: &random))
    }

    /// Makes a chunk: mostly of the devices that a page would address now, sometimes with devices that were left out or
    /// not given.
    private mutating func addressed() -> AddressedChunk {
        var bits = ChunkBits()
        for id in reference.devices.keys where Int.random(in: 0..<3, using: &random) > 0 { bits.insert(UInt16(id)) }
        if Int.random(in: 0..<10, using: &random) == 0 { bits.insert(UInt16(reference.lastDevice + 1)) }
        return AddressedChunk(bits)
    }

    private mutating func outcomes() -> OutcomeRecord {
        let ended = (0..<Int.random(in: 1...4, using: &random)).map { _ in
            OutcomeRecord.EndedRecipient(
                position: UInt16.random(in: 0..<8, using: &random),
                outcome: [.delivered, .tokenUnregistered, .tokenExpired, .gaveUp].randomElement(using: &random)!,
                deadToken: Bool.random(using: &random)
                    ? OutcomeRecord.DeadToken(since: nearTime(), registeredAt: nearTime()) : nil
            )
        }
        let delays = (0..<Int.random(in: 0...1, using: &random)).map { _ in
            OutcomeRecord.Delay(position: UInt16.random(in: 0..<4, using: &random), attempts: 2, dueAt: nearTime())
        }
        return OutcomeRecord(
            message: anyMessage(),
            page: Int.random(in: 0..<20, using: &random) == 0 ? 1 : 0,
            endedRecipients: ended,
            delays: delays,
            attempts: (0..<Int.random(in: 0...2, using: &random)).map { _ in attempt() },
            addressed: Bool.random(using: &random) ? addressed() : nil
        )
    }

    private mutating func attempt() -> OutcomeRecord.RecordedAttempt {
        OutcomeRecord.RecordedAttempt(
            position: UInt16.random(in: 0..<4, using: &random),
            attempt: TraceAttempt(
                endedAt: timestamp(now), connectionNumber: UInt32.random(in: 0..<3, using: &random), status: 503,
                reason: ["", "ServiceUnavailable"].randomElement(using: &random)!,
                uniqueID: [nil, nil, "0e9a64d6", String(repeating: "~", count: 64)].randomElement(using: &random)!))
    }
}
