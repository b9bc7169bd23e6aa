import CarillonCore
import CarillonLMDB
import CarillonTestKit
import Foundation
import Synchronization

@testable import CarillonRegistry

/// The directory of the registry of a test, which it opens.
final class RegistryDirectory: Sendable {
    private let directory = TemporaryDirectory()
    var path: String { directory.path }

    func open(_ change: (inout LMDBRegistry.Options) -> Void = { _ in }) throws -> LMDBRegistry {
        var options = LMDBRegistry.Options()
        options.mapBytes = 16 << 20
        change(&options)
        return try LMDBRegistry(path: path, options: options)
    }
}

/// The key of digests where no database has made one.
let testSecret = AddressSecret(first: 1, second: 2)

/// Returns the key of a row of `addresses`.
func addressKey(_ address: AddressDigest, _ app: UInt32) -> [UInt8] {
    ByteWriter.bytes(capacity: 16) {
        $0.append(app)
        $0.append(address.head)
        $0.append(address.tail)
    }
}

/// The rows that a registry has reported as unreadable.
final class Reported: Sendable {
    private let texts = Mutex<[String]>([])

    @Sendable func record(_ text: String) { texts.withLock { $0.append(text) } }

    /// Takes all reports since the last call.
    func take() -> [String] {
        texts.withLock { texts in
            defer { texts = [] }
            return texts
        }
    }
}

/// The results of submissions, in the order in which they were completed.
final class Completions: Sendable {
    typealias Outcome = Result<[ChangeAnswer], RegistryError>

    private let results = Mutex<[(name: Int, result: Outcome)]>([])
    private let arrived = DispatchSemaphore(value: 0)

    func completion(_ name: Int = 0) -> @Sendable (Outcome) -> Void {
        { [self] result in
            results.withLock { $0.append((name, result)) }
            arrived.signal()
        }
    }

    func completionOfOne(_ name: Int = 0) -> @Sendable (Result<ChangeAnswer, RegistryError>) -> Void {
        let completion = completion(name)
        return { result in completion(result.map { [$0] }) }
    }

    /// Waits for `count` completions and returns all of them.
    func wait(_ count: Int = 1) -> [(name: Int, result: Outcome)] {
        for _ in 0..<count { arrived.wait() }
        return results.withLock { $0 }
    }
}

/// A writer that waits in the completion of a submission until it is released.
final class WriterHold: Sendable {
    fileprivate let isHeld = DispatchSemaphore(value: 0)
    fileprivate let mayGoOn = DispatchSemaphore(value: 0)

    deinit { release() }

    func release() { mayGoOn.signal() }
}

extension LMDBRegistry {
    /// Submits a change and holds the writer when it is made; returns when it is held.
    func holdWriter(with change: Change) -> WriterHold {
        let hold = WriterHold()
        submit(change, deadline: nil) { [isHeld = hold.isHeld, mayGoOn = hold.mayGoOn] _ in
            isHeld.signal()
            mayGoOn.wait()
        }
        hold.isHeld.wait()
        return hold
    }

    /// Submits changes, and waits for their answers.
    func apply(_ changes: [Change]) throws -> [ChangeAnswer] {
        let completions = Completions()
        submit(changes, deadline: nil, completion: completions.completion())
        return try completions.wait()[0].result.get()
    }

    /// Waits for a checkpoint, as a long read does.
    func checkpoint() throws { _ = try devices(of: game, cursor: 0, limit: 1) }

    /// Submits each change for itself, and waits for their answers.
    func applyEach(
        _ changes: [(change: Change, deadline: Uptime?)]
    ) -> [Result<ChangeAnswer, RegistryError>] {
        let found = Mutex<[Result<ChangeAnswer, RegistryError>]>([])
        let isAnswered = DispatchSemaphore(value: 0)
        submitEach(changes) { results in
            found.withLock { $0 = results }
            isAnswered.signal()
        }
        isAnswered.wait()
        return found.withLock { $0 }
    }

    /// Returns the unfinished messages of all queues, by id.
    func unfinished() throws -> [OutboxEntry] {
        try outboxQueues().flatMap { try unfinishedMessages(in: $0, after: nil, limit: .max).entries }
            .sorted { $0.id < $1.id }
    }

    /// Submits one change, and waits for its answer.
    func apply(_ change: Change) throws -> ChangeAnswer {
        let completions = Completions()
        submit(change, deadline: nil, completion: completions.completionOfOne())
        return try completions.wait()[0].result.get()[0]
    }
}

let game = TestApps.game

func time(_ milliseconds: UInt64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

func address(_ token: UInt8, kind: TokenKind = .device) -> DeviceAddress {
    DeviceAddress(environment: .production, kind: kind, token: DeviceToken([token, token, token])!)
}

func register(
    _ token: UInt8,
    seenAt: UInt64 = 0,
    replaces: UInt8? = nil,
    locale: String? = nil,
    kind: TokenKind = .device,
    attributes: [String: String] = [:],
    topics: [String] = [],
    groups: [String] = [],
    now: UInt64 = 1_000
) -> Change {
    let registration = Registration(
        app: game,
        address: address(token, kind: kind),
        seenAt: time(seenAt),
        replaces: replaces.map { address($0).token },
        locale: locale,
        attributes: changes(attributes),
        topics: topics.map { TopicName($0)! },
        groups: groups.map { GroupName($0)! }
    )
    return .register(registration, now: time(now))
}

func unregister(_ token: UInt8, at: UInt64 = 0, now: UInt64 = 1_000) -> Change {
    .unregister(UnregisterRequest(app: game, device: .address(address(token)), at: time(at)), now: time(now))
}

func unregister(id: UInt64, at: UInt64 = 0, now: UInt64 = 1_000) -> Change {
    .unregister(UnregisterRequest(app: game, device: .id(DeviceID(rawValue: id)), at: time(at)), now: time(now))
}

func message(
    to devices: [DeviceReference],
    key: UInt64 = 0,
    payload: String = #"{"aps":{"alert":"hello"}}"#
) -> Message {
    Message(
        idempotencyKey: UUIDBytes(high: 0, low: key).nonzero,
        content: MessageContent(app: game, pushType: .alert, payload: Array(payload.utf8)),
        audience: .devices(devices)
    )
}

func channel(
    _ id: String = "dHN0LXNyY2gtY2hubA==", environment: APNsEnvironment = .production
) -> ChannelAddress {
    guard let id = ChannelID(id) else { preconditionFailure("a constant is not a channel") }
    return ChannelAddress(environment: environment, id: id)
}

/// Makes a broadcast push.
func broadcast(to channel: ChannelAddress = channel(), key: UInt64 = 0) -> Message {
    let payload = #"{"aps":{"timestamp":1,"event":"update","content-state":{}}}"#
    return Message(
        idempotencyKey: UUIDBytes(high: 0, low: key).nonzero,
        content: MessageContent(app: game, pushType: .liveactivity, expiration: .once, payload: Array(payload.utf8)),
        audience: .channel(channel))
}

/// Makes a message to an audience that is taken while it is sent.
func message(
    toAll audience: Audience,
    except: DeviceReference? = nil,
    pushType: PushType = .alert,
    bodies: [LanguageBody] = []
) -> Message {
    Message(
        content: MessageContent(
            app: game, pushType: pushType, payload: Array(#"{"aps":{"alert":"hello"}}"#.utf8), bodies: bodies),
        audience: audience,
        excludedDevice: except
    )
}

func record(
    _ message: UInt64,
    _ entries: [(position: UInt16, outcome: Outcome)],
    deadSince: UInt64? = nil,
    registeredAt: UInt64 = 1_000,
    now: UInt64 = 2_000
) -> Change {
    let entries = entries.map {
        OutcomeRecord.RecipientEnd(
            position: $0.position,
            outcome: $0.outcome,
            death: deadSince.map { OutcomeRecord.TokenDeath(since: time($0), registeredAt: time(registeredAt)) })
    }
    return .recordOutcomes(
        OutcomeRecord(message: MessageID(rawValue: message), page: 0, entries: entries), now: time(now))
}

func id(_ number: UInt64) -> DeviceID { DeviceID(rawValue: number) }

func token(_ number: UInt8) -> DeviceReference { .address(address(number)) }

func changes(_ attributes: [String: String]) -> [AttributeChange] {
    attributes.map { AttributeChange(key: $0.key, value: $0.value)! }
}

func topic(_ name: String) -> TopicName { TopicName(name)! }

func group(_ name: String) -> GroupName { GroupName(name)! }

func join(_ name: String, _ devices: [DeviceReference], leaving: String? = nil, announcing: String? = nil) -> Change {
    let content = announcing.map { MessageContent(app: game, pushType: .alert, payload: Array($0.utf8)) }
    return .join(
        JoinRequest(
            app: game, group: group(name), devices: devices, leaving: leaving.map { group($0) },
            announcement: content),
        now: time(1_000))
}

func leave(_ name: String, _ devices: [DeviceReference], clearsTopics: Bool = false) -> Change {
    .leave(LeaveRequest(app: game, group: group(name), devices: devices, clearsTopics: clearsTopics))
}

func subscribe(_ topics: [String], devices: [DeviceReference] = [], groups: [String] = []) -> Change {
    .subscribe(subscription(topics: topics, devices: devices, groups: groups))
}

func unsubscribe(_ topics: [String], devices: [DeviceReference] = [], groups: [String] = []) -> Change {
    .unsubscribe(subscription(topics: topics, devices: devices, groups: groups))
}

private func subscription(topics: [String], devices: [DeviceReference], groups: [String]) -> Subscription {
    Subscription(app: game, topics: topics.map { topic($0) }, devices: devices, groups: groups.map { group($0) })
}

func mute(_ name: String, _ isMuted: Bool? = true) -> Change {
    .updateGroup(UpdateGroupRequest(app: game, group: group(name), isMuted: isMuted))
}

func update(_ token: UInt8, locale: String? = nil, attributes: [String: String] = [:], isMuted: Bool? = nil) -> Change {
    let update = DeviceUpdate(locale: locale, attributes: changes(attributes), isMuted: isMuted)
    return .updateDevice(UpdateDeviceRequest(app: game, device: .address(address(token)), update: update))
}

func condition(_ text: String) throws -> Condition { try Condition(text) }

extension RegistryDirectory {
    /// Copies the closed database without a table, as a program makes it that does not know the table.
    func copy(without table: String) throws -> RegistryDirectory {
        let copy = RegistryDirectory()
        var options = LMDBEnvironment.Options()
        options.createsDirectory = true
        let target = try LMDBEnvironment(path: copy.path, options: options)
        try edit { environment, layout in
            for (name, database) in layout.databases where name != table {
                let copied = try target.openDatabase(name, ifMissing: .create)
                try environment.read { reading in
                    try target.write { writing in
                        try reading.forEach(in: database, prefix: [UInt8]().span) { key, value in
                            try writing.put(value, for: key, in: copied)
                            return .proceed
                        }
                    }
                }
            }
        }
        return copy
    }
}
