import CarillonCore
import CarillonRegistry

/// A registry whose stored records a stranger has spoilt: everything is read, changed, swept and verified.
///
/// Bytes 0 and 1: where a page of outcomes begins. Then one spoiling after the other.
enum RegistryTarget {
    static func run(_ choices: inout Choices) {
        let cursor = UInt64(choices.byte()) << 8 | UInt64(choices.byte())
        let spoilings = Spoiling.read(&choices)
        do {
            try SpoiltStore.shared.spoil(spoilings)
            let registry = try SpoiltStore.shared.open()
            defer { registry.close() }
            read(registry, cursor)
            change(registry)
            sweep(registry)
            read(registry, cursor)
        } catch let error as RegistryError {
            demand(error.isOfTheDisk, "a spoilt registry is \(error)")
        } catch {
            demand(false, "the store of the fuzzer: \(error)")
        }
    }

    /// Reads everything that a server reads; an error must say that the disk is at fault.
    private static func read(_ registry: LMDBRegistry, _ cursor: UInt64) {
        let app = Sample.app
        for id in 0..<UInt64(5) {
            attempt { () throws(RegistryError) in _ = try registry.device(.id(DeviceID(rawValue: id)), of: app) }
            attempt { () throws(RegistryError) in _ = try registry.status(of: MessageID(rawValue: id), app: app) }
            for cursor in [0, cursor] { readOutcomes(registry, MessageID(rawValue: id), cursor) }
        }
        for token in UInt8(1)...4 {
            let address = Sample.address(token)
            attempt { () throws(RegistryError) in _ = try registry.device(.address(address), of: app) }
        }
        attempt { () throws(RegistryError) in
            for queue in try registry.outboxQueues() {
                for entry in try registry.unfinishedMessages(in: queue, after: nil, limit: 10) {
                    for page: UInt32 in [0, 1, .max] { try readPages(registry, entry.id, page) }
                }
            }
        }
        for condition in [Condition.all, Sample.condition] {
            attempt { () throws(RegistryError) in _ = try registry.explain(condition, app: app) }
        }
        for set in ConditionPlan(Sample.condition).sets {
            attempt { () throws(RegistryError) in _ = try registry.devices(in: set, of: app, cursor: cursor, limit: 5) }
        }
        attempt { () throws(RegistryError) in _ = try registry.groups(of: app, prefix: "", after: "", limit: 5) }
        attempt { () throws(RegistryError) in _ = try registry.topics(of: app, prefix: "", after: "", limit: 5) }
        attempt { () throws(RegistryError) in
            _ = try registry.memberships(of: .id(DeviceID(rawValue: 1)), app: app, after: "", limit: 5)
        }
        attempt { () throws(RegistryError) in _ = try registry.messages(of: app, before: nil, limit: 5) }
        attempt { () throws(RegistryError) in _ = try registry.quarantine(of: app, cursor: cursor, limit: 5) }
        attempt { () throws(RegistryError) in
            _ = try registry.events(after: cursor, limit: 5, filter: EventFilter())
        }
        attempt { () throws(RegistryError) in _ = try registry.verify() }
    }

    private static func readOutcomes(_ registry: LMDBRegistry, _ message: MessageID, _ cursor: UInt64) {
        attempt { () throws(RegistryError) in
            _ = try registry.outcomes(of: message, app: Sample.app, cursor: cursor, limit: 5)
        }
    }

    private static func readPages(
        _ registry: LMDBRegistry, _ message: MessageID, _ page: UInt32
    ) throws(RegistryError) {
        check(try registry.pendingRecipients(of: message, page: page))
        check(try registry.nextPage(of: message, from: page))
    }

    private static func check(_ page: RecipientPage?) {
        guard let recipients = page else { return }
        demand(recipients.recipients.count <= RegistryLimits.recipientsPerPage, "a page too large")
        for index in recipients.recipients.indices {
            recipients.withToken(at: index) { demand($0.count <= DeviceToken.byteLimit, "a token too long") }
        }
    }

    /// Changes everything once; what is refused or fails is answered.
    private static func change(_ registry: LMDBRegistry) {
        for change in Sample.changes(now: Timestamp(milliseconds: 5_000)) {
            registry.submit([change], deadline: nil) { result in
                if case .failure(let error) = result { demand(error.isOfTheDisk, "a change is \(error)") }
            }
        }
    }

    private static func sweep(_ registry: LMDBRegistry) {
        attempt { () throws(RegistryError) in
            var rounds = 0
            while try registry.sweep(now: Timestamp(milliseconds: .max / 2)) {
                rounds += 1
                demand(rounds < 100, "a sweep without end")
            }
        }
    }

    private static func attempt(_ body: () throws(RegistryError) -> Void) {
        do {
            try body()
        } catch {
            demand(error.isOfTheDisk, "a read is \(error)")
        }
    }
}

extension RegistryError {
    /// Whether it is what a spoilt disk may cause.
    fileprivate var isOfTheDisk: Bool {
        switch self {
        case .corrupted, .storageFailed, .closed: true
        case .overloaded, .deadline, .storageFull: false
        }
    }
}

/// What happens to one stored record.
struct Spoiling {
    enum Deed {
        case flip(offset: UInt8, mask: UInt8)
        case cut(count: UInt8)
        case replace([UInt8])
        case remove
        case add(key: [UInt8], value: [UInt8])
    }

    /// Which database; beyond the last it begins anew.
    var table: Int
    /// Which of its records; beyond the last it begins anew.
    var row: Int
    var deed: Deed

    /// At most eight of them.
    static func read(_ choices: inout Choices) -> [Spoiling] {
        var result: [Spoiling] = []
        while !choices.isEmpty, result.count < 8 {
            let (table, row) = (Int(choices.byte()), Int(choices.byte()))
            let deed: Deed =
                switch choices.byte() % 5 {
                case 0: .flip(offset: choices.byte(), mask: choices.byte())
                case 1: .cut(count: choices.byte())
                case 2: .replace(choices.take(Int(choices.byte())))
                case 3: .remove
                default: .add(key: choices.take(Int(choices.byte()) + 1), value: choices.take(Int(choices.byte())))
                }
            result.append(Spoiling(table: table, row: row, deed: deed))
        }
        return result
    }
}

/// What is stored before anything is spoilt: devices, a tombstone, a message on its way and one that has ended.
enum Sample {
    static let app: AppID = {
        guard let app = AppID("com.example.game") else { preconditionFailure("a constant is not an app id") }
        return app
    }()

    static func address(_ token: UInt8) -> DeviceAddress {
        guard let token = DeviceToken([token, token]) else { preconditionFailure("two bytes are no token") }
        return DeviceAddress(environment: .production, kind: .device, token: token)
    }

    /// Used to make the store, and again on the spoilt one.
    static func changes(now: Timestamp) -> [Change] {
        let registrations = (UInt8(1)...3).map { token in
            Change.register(
                Registration(app: app, address: address(token), locale: "en", timeZone: "Europe/Berlin"),
                now: now
            )
        }
        return registrations + memberships(now: now) + [
            .unregister(.address(address(4)), app: app, at: .zero, now: now),
            .accept(message(key: 1, devices: [.id(DeviceID(rawValue: 1)), .id(DeviceID(rawValue: 2))]), now: now),
            .accept(message(key: 2, devices: [.id(DeviceID(rawValue: 3)), .address(address(9))]), now: now),
            .record(outcome(of: 1, position: 0, .delivered), now: now),
            .record(outcome(of: 2, position: 1, .tokenUnregistered), now: now),
            .register(Registration(app: app, address: address(7), replaces: address(2).token), now: now),
            .count(
                [Receipt(message: MessageID(rawValue: 1), device: .id(DeviceID(rawValue: 1)), kind: .opened)], app: app,
                now: now),
            .resend(MessageID(rawValue: 1), app: app, key: .zero, outcomes: [.expired], now: now),
            .release(now: now),
        ]
    }

    /// A condition over the sample; made anew each time, for the sanitizer takes what a global holds by a tagged pointer for a
    /// leak.
    static var condition: Condition {
        guard let condition = try? Condition("'t' in topics && !('g' in groups) && locale == 'en'") else {
            preconditionFailure("a constant is no condition")
        }
        return condition
    }

    private static func memberships(now: Timestamp) -> [Change] {
        guard let topic = TopicName("t"), let group = GroupName("g") else {
            preconditionFailure("constants are no names")
        }
        let first = DeviceReference.id(DeviceID(rawValue: 1))
        let content = MessageContent(app: app, pushType: .background, payload: Array(#"{"aps":{}}"#.utf8))
        var later = Message(content: content, audience: .topic(topic))
        later.sendAt = now.advanced(byMilliseconds: 1_000)
        return [
            .subscribe(Subscription(app: app, topics: [topic], devices: [.id(DeviceID(rawValue: 2))], groups: [group])),
            .join(Join(app: app, group: group, devices: [first]), now: now),
            .mute(group, app: app, true),
            .update(first, app: app, DeviceUpdate(locale: "zh-Hant-TW", isMuted: true)),
            .accept(Message(content: content, audience: .condition(condition)), now: now),
            .accept(later, now: now),
            .steer(MessageID(rawValue: 1), app: app, .pause, now: now),
            .restore(first, app: app, now: now),
        ]
    }

    private static func message(key: UInt64, devices: [DeviceReference]) -> Message {
        var content = MessageContent(app: app, pushType: .alert, payload: Array(#"{"aps":{"alert":"x"}}"#.utf8))
        content.collapseID = "c"
        content.expiration = .at(seconds: 9)
        return Message(key: UUIDBytes(high: 0, low: key), content: content, devices: devices)
    }

    private static func outcome(of message: UInt64, position: UInt16, _ outcome: Outcome) -> OutcomeRecord {
        let death =
            outcome == .tokenUnregistered
            ? OutcomeRecord.TokenDeath(
                since: Timestamp(milliseconds: 9_000),
                registeredAt: Timestamp(milliseconds: 1_000)
            ) : nil
        let entry = OutcomeRecord.Entry(position: position, outcome: outcome, death: death)
        return OutcomeRecord(message: MessageID(rawValue: message), page: 0, entries: [entry])
    }
}
