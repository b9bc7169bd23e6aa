import CarillonCore
import CarillonRegistryTestKit
import CarillonTestKit

@testable import CarillonRegistry

/// Changes of every kind, alone and together, and sweeps.
struct RandomHistory {
    private var run: RandomRun
    private var random: SeededGenerator

    init(seed: UInt64) {
        run = RandomRun(seed: seed)
        random = SeededGenerator(seed: seed &+ 500)
    }

    mutating func nextMutations() -> [Mutation] {
        var changes = run.nextChanges()
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            changes.insert(contentsOf: otherChanges(), at: Int.random(in: 0...changes.count, using: &random))
        }
        // The reference knows which ids are in use.
        for change in changes { _ = run.reference.apply(change) }
        var mutations: [Mutation] = []
        var rest = changes[...]
        while let first = rest.first {
            let count = Int.random(in: 1...4, using: &random)
            if Bool.random(using: &random) {
                mutations.append(.change(first))
                rest = rest.dropFirst()
            } else {
                mutations.append(.changes(Array(rest.prefix(count))))
                rest = rest.dropFirst(count)
            }
            if Int.random(in: 0..<8, using: &random) == 0 { mutations.append(.sweep(now: now)) }
        }
        return mutations
    }

    private var now: Timestamp { timestamp(run.now) }

    /// Makes changes of a kind that ``RandomRun`` does not make.
    private mutating func otherChanges() -> [Change] {
        let subscriber = EventSubscriber(
            principal: ["shop", "ops"].randomElement(using: &random)!,
            name: ["mail", "audit"].randomElement(using: &random)!)
        switch Int.random(in: 0..<7, using: &random) {
        case 0: return [.acknowledge(subscriber, upTo: UInt64.random(in: 0...40, using: &random), now: now)]
        case 1: return [.forgetSubscriber(subscriber)]
        case 2: return [.configure(settings())]
        case 3: return silentPushes()
        case 4: return [moved()]
        case 5:
            let message = messageID(UInt64.random(in: 0...run.reference.lastMessage, using: &random))
            return [.setAudienceCount(message, devices: UInt64.random(in: 0...9, using: &random))]
        default:
            return [
                Change.recordOutcomes(
                    of: run.reference.lastMessage, [(0, .delivered), (1, .tokenExpired)], now: run.now)
            ]
        }
    }

    private mutating func settings() -> RegistrySettings {
        var settings = RegistrySettings()
        func milliseconds() -> UInt64 { UInt64.random(in: 0...300, using: &random) }
        settings.retention.idempotencyMilliseconds = milliseconds()
        settings.retention.tombstoneMilliseconds = milliseconds()
        settings.retention.messageMilliseconds = milliseconds()
        settings.retention.quarantineMilliseconds = milliseconds()
        settings.retention.eventMilliseconds = milliseconds()
        settings.retention.subscriberMilliseconds = milliseconds()
        settings.silentBudget.pushes = Int.random(in: 0...3, using: &random)
        settings.silentBudget.milliseconds = milliseconds()
        settings.maximumEvents = Int.random(in: 1...60, using: &random)
        settings.maximumSweptRows = Int.random(in: 1...12, using: &random)
        return settings
    }

    /// Makes a silent message to some devices, and its outcomes.
    private mutating func silentPushes() -> [Change] {
        let devices = (0..<3).map { _ in
            DeviceReference.id(deviceID(UInt64.random(in: 1...run.reference.lastDevice + 1, using: &random)))
        }
        let content = MessageContent(app: game, pushType: .background, payload: Array("{}".utf8))
        return [
            .accept(Message(content: content, audience: .devices(devices)), now: now),
            .recordOutcomes(
                of: run.reference.lastMessage + 1, [(0, .delivered), (1, .delivered), (2, .delivered)], now: run.now),
        ]
    }

    /// Makes an outcome that finds a device of the last messages in the other environment.
    private mutating func moved() -> Change {
        let message = UInt64.random(in: 0...run.reference.lastMessage, using: &random)
        let position = UInt16.random(in: 0..<3, using: &random)
        let recipients = run.reference.messages[message]?.recipients ?? []
        let device = Int(position) < recipients.count ? recipients[Int(position)].device : nil
        let ended = OutcomeRecord.EndedRecipient(
            position: position, outcome: .delivered, movedTo: [.production, .sandbox].randomElement(using: &random)!,
            registeredAt: device.flatMap { run.reference.devices[$0.rawValue]?.registeredAt } ?? .zero)
        return .recordOutcomes(
            OutcomeRecord(message: messageID(message), page: 0, endedRecipients: [ended]), now: now)
    }
}
