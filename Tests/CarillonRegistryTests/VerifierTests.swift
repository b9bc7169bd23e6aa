import CarillonCore
import CarillonLMDB
import Testing

@testable import CarillonRegistry

/// Every kind of damage to sets and live messages is found, and nothing else is.
struct VerifierTests {
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let finding: Finding
        /// Whether further findings follow from it.
        var isAlone = true
        let plant: @Sendable (inout WriteTransaction, Layout) throws -> Void
    }

    /// The number of each set that `open` has stored.
    enum Number {
        static let all: UInt32 = 1
        static let environment: UInt32 = 2
        static let level: UInt32 = 4
        static let user: UInt32 = 5
        static let guild: UInt32 = 6
        static let unused: UInt32 = 99
    }

    private static func put(
        _ transaction: inout WriteTransaction, _ database: Database, _ key: [UInt8], _ value: [UInt8]
    ) throws {
        try transaction.put(database, key.span, value.span)
    }

    private static func posting(_ set: UInt32, _ chunk: UInt32 = 0) -> [UInt8] {
        ByteWriter.bytes(capacity: 12) {
            $0.append(UInt32(1))
            $0.append(set)
            $0.append(chunk)
        }
    }

    private static func change(
        _ transaction: inout WriteTransaction, _ layout: Layout, _ label: SetLabel,
        _ change: (inout SetRecord) -> Void
    ) throws {
        var record = try #require(try layout.sets.get(transaction, app: 1, label))
        change(&record)
        try layout.sets.put(&transaction, app: 1, label, record)
    }

    private static let level = SetLabel.topic(topic("level5"))
    private static let first = MessageID(rawValue: 1)

    static let damages = [
        Damage(
            testDescription: "a device in a set without reason",
            finding: .postingWithoutReason(app: 1, set: Number.level, id(2)), isAlone: false
        ) { transaction, layout in
            try put(&transaction, layout.postings.database, posting(Number.level), [1, 0, 1, 0, 2])
        },
        Damage(
            testDescription: "a chunk in which no device is expected",
            finding: .postingWithoutReason(app: 1, set: Number.level, DeviceID(chunk: 3, offset: 7)), isAlone: false
        ) { transaction, layout in
            try put(&transaction, layout.postings.database, posting(Number.level, 3), [1, 0, 7])
        },
        Damage(
            testDescription: "a missing chunk", finding: .postingMissing(app: 1, set: Number.guild, id(1)),
            isAlone: false
        ) { transaction, layout in
            try layout.postings.delete(&transaction, app: 1, set: Number.guild, chunk: 0)
        },
        Damage(
            testDescription: "an empty chunk", finding: .postingUnreadable(app: 1, set: Number.level, chunk: 0)
        ) { transaction, layout in
            try put(&transaction, layout.postings.database, posting(Number.level), [1])
        },
        Damage(
            testDescription: "offsets out of order", finding: .postingUnreadable(app: 1, set: Number.all, chunk: 0)
        ) { transaction, layout in
            try put(&transaction, layout.postings.database, posting(Number.all), [1, 0, 2, 0, 1])
        },
        Damage(
            testDescription: "a chunk of no set",
            finding: .postingWithoutSet(app: 1, set: Number.unused, chunk: 0), isAlone: false
        ) { transaction, layout in
            try put(&transaction, layout.postings.database, posting(Number.unused), [1, 0, 1])
        },
        Damage(
            testDescription: "a wrong number of devices", finding: .devicesDiffer(app: 1, set: Number.level)
        ) { transaction, layout in
            try change(&transaction, layout, level) { $0.devices += 1 }
        },
        Damage(
            testDescription: "a wrong number of holders", finding: .groupSubscriptionsDiffer(app: 1, set: Number.user)
        ) { transaction, layout in
            try change(&transaction, layout, .group(group("user/1"))) { $0.groupSubscriptions += 1 }
        },
        Damage(
            testDescription: "a wrong number of quarantined devices",
            finding: .quarantinedMembersDiffer(app: 1, set: Number.level)
        ) { transaction, layout in
            try change(&transaction, layout, level) { $0.quarantinedMembers += 1 }
        },
        Damage(
            testDescription: "a set that nothing needs", finding: .setWithoutReason(app: 1, set: 9), isAlone: false
        ) { transaction, layout in
            let label = SetLabel.topic(topic("idle"))
            try layout.sets.put(&transaction, app: 1, label, SetRecord(number: 9))
            try layout.setNames.put(&transaction, app: 1, 9, label)
        },
        Damage(
            testDescription: "a number that was not given", finding: .setNotGiven(app: 1, set: Number.unused),
            isAlone: false
        ) { transaction, layout in
            let label = SetLabel.topic(topic("early"))
            try layout.sets.put(&transaction, app: 1, label, SetRecord(number: Number.unused, quarantinedMembers: 1))
            try layout.setNames.put(&transaction, app: 1, Number.unused, label)
        },
        Damage(
            testDescription: "a number that leads elsewhere", finding: .setNameAstray(app: 1, set: Number.level),
            isAlone: false
        ) { transaction, layout in
            try layout.setNames.put(&transaction, app: 1, Number.level, .topic(topic("other")))
        },
        Damage(
            testDescription: "a number that leads nowhere", finding: .setNameAstray(app: 1, set: 8)
        ) { transaction, layout in
            try layout.setNames.put(&transaction, app: 1, 8, .topic(topic("nothing")))
        },
        Damage(
            testDescription: "a membership of no device", finding: .membershipWithoutDevice(app: 1, id(77))
        ) { transaction, layout in
            try layout.memberships.put(&transaction, app: 1, id(77), MembershipRecord(groups: [Number.user]))
        },
        Damage(
            testDescription: "a membership of nothing", finding: .membershipEmpty(app: 1, id(2))
        ) { transaction, layout in
            let key = ByteWriter.bytes(capacity: 12) {
                $0.append(UInt32(1))
                $0.append(UInt64(2))
            }
            try put(&transaction, layout.memberships.database, key, [1, 0, 0])
        },
        Damage(
            testDescription: "a membership in what is no group",
            finding: .membershipAstray(app: 1, id(2), set: Number.level), isAlone: false
        ) { transaction, layout in
            try layout.memberships.put(&transaction, app: 1, id(2), MembershipRecord(groups: [Number.level]))
        },
        Damage(
            testDescription: "a group that holds a group",
            finding: .groupTopicAstray(app: 1, group: Number.user, topic: Number.user), isAlone: false
        ) { transaction, layout in
            try layout.groupTopics.insert(&transaction, app: 1, group: Number.user, topic: Number.user)
        },
        Damage(
            testDescription: "a lost topic of a group",
            finding: .postingWithoutReason(app: 1, set: Number.guild, id(1)), isAlone: false
        ) { transaction, layout in
            try layout.groupTopics.delete(&transaction, app: 1, group: Number.user, topic: Number.guild)
        },
        Damage(
            testDescription: "sets of an unknown app", finding: .unknownApp(7), isAlone: false
        ) { transaction, layout in
            try layout.sets.put(&transaction, app: 7, .all, SetRecord(number: 1, quarantinedMembers: 1))
        },
        Damage(
            testDescription: "attempts at no recipient", finding: .attemptAstray(first, page: 0, position: 9)
        ) { transaction, layout in
            let attempt = DeliveryAttempt(at: .zero, connection: 1, status: 503, reason: "ServiceUnavailable")
            try layout.attempts.append(
                &transaction, [OutcomeRecord.RecordedAttempt(position: 9, attempt: attempt)], of: first, page: 0)
        },
        Damage(
            testDescription: "a delay of no recipient", finding: .delayAstray(first, page: 0, position: 9)
        ) { transaction, layout in
            let record = DelayRecord(attempts: 1, dueAt: time(1))
            try layout.delays.put(&transaction, first, page: 0, position: 9, record)
        },
        Damage(
            testDescription: "a page that addresses a device that registered later",
            finding: .pageAstray(first, page: 0),
            isAlone: false
        ) { transaction, layout in
            var bits = ChunkBits()
            bits.insert(50)
            try layout.outcomes.put(&transaction, first, page: 0, LiveOutcomes(pending: bits))
        },
        Damage(
            testDescription: "outcomes that are not counted", finding: .countsDiffer(first)
        ) { transaction, layout in
            var bits = ChunkBits()
            bits.insert(1)
            try layout.outcomes.put(&transaction, first, page: 0, LiveOutcomes(pending: bits))
        },
        Damage(
            testDescription: "a live message that says it is a list", finding: .audienceDiffers(first),
            isAlone: false
        ) { transaction, layout in
            var record = try #require(try layout.messages.get(transaction, first))
            record.live = nil
            try layout.messages.put(&transaction, first, record)
        },
        Damage(
            testDescription: "an unfinished message out of the outbox", finding: .outboxDiffers(first)
        ) { transaction, layout in
            try layout.outbox.delete(&transaction, queue: OutboxTable.Queue(lane: .interactive, app: 1), first)
        },
        Damage(
            testDescription: "a message in the schedule that does not wait", finding: .scheduleDiffers(first)
        ) { transaction, layout in
            try layout.schedule.insert(&transaction, due: time(9_000), first)
        },
        Damage(
            testDescription: "a message that waits and is not in the schedule", finding: .scheduleDiffers(first),
            isAlone: false
        ) { transaction, layout in
            var progress = try #require(try layout.progress.get(transaction, first))
            progress.outboxState = .scheduled
            try layout.progress.put(&transaction, first, progress)
        },
        Damage(
            testDescription: "a pending recipient before the floor", finding: .pendingBelowFloor(first, page: 0)
        ) { transaction, layout in
            var progress = try #require(try layout.progress.get(transaction, first))
            var bits = ChunkBits()
            for device: UInt16 in [1, 2] { bits.insert(device) }
            try layout.outcomes.put(&transaction, first, page: 0, LiveOutcomes(pending: bits))
            progress.counts.add(Outcome.pending.rawValue, count: 2)
            progress.floor = 1
            try layout.progress.put(&transaction, first, progress)
        },
        Damage(
            testDescription: "a pending recipient of a list before the floor",
            finding: .pendingBelowFloor(MessageID(rawValue: 2), page: 0)
        ) { transaction, layout in
            var progress = try #require(try layout.progress.get(transaction, MessageID(rawValue: 2)))
            progress.floor = 1
            try layout.progress.put(&transaction, MessageID(rawValue: 2), progress)
        },
        Damage(
            testDescription: "a message that is not listed", finding: .listingDiffers(app: 1, first)
        ) { transaction, layout in
            try layout.appMessages.delete(&transaction, app: 1, first)
        },
        Damage(
            testDescription: "a message in the list of another app", finding: .listingDiffers(app: 2, first)
        ) { transaction, layout in
            try layout.appMessages.insert(&transaction, app: 2, first)
        },
        Damage(
            testDescription: "a receipt of no recipient", finding: .receiptAstray(first, id(9)), isAlone: false
        ) { transaction, layout in
            var bits = ChunkBits()
            bits.insert(9)
            let place = ReceiptTable.Place(message: first, kind: .opened, chunk: 0)
            try layout.receipts.put(&transaction, place, bits)
        },
        Damage(
            testDescription: "receipts that are not there", finding: .receiptsDiffer(first)
        ) { transaction, layout in
            var progress = try #require(try layout.progress.get(transaction, first))
            progress.received = 1
            try layout.progress.put(&transaction, first, progress)
        },
        Damage(
            testDescription: "an active device among the quarantined", finding: .quarantineDiffers(app: 1, id(2))
        ) { transaction, layout in
            try layout.quarantine.put(&transaction, app: 1, id(2), since: time(1))
        },
        Damage(
            testDescription: "a note of a device that is not quarantined",
            finding: .expiryOfNothing(kind: 4, at: time(1))
        ) { transaction, layout in
            try layout.expiry.insert(&transaction, .quarantined(1, id(2)), from: time(1))
        },
        Damage(
            testDescription: "a device with an address without a row", finding: .deviceWithoutAddress(app: 1, id(1))
        ) { transaction, layout in
            try layout.addresses.delete(&transaction, app: 1, layout.digest(of: address(1), 1))
        },
        Damage(
            testDescription: "an address that another has", finding: .addressWithoutDevice(app: 1, id(1)),
            isAlone: false
        ) { transaction, layout in
            try layout.addresses.put(&transaction, app: 1, layout.digest(of: address(2), 1), .device(id(1)))
        },
        Damage(
            testDescription: "an address of no device", finding: .addressWithoutDevice(app: 1, id(77))
        ) { transaction, layout in
            try layout.addresses.put(&transaction, app: 1, layout.digest(of: address(9), 1), .device(id(77)))
        },
        Damage(
            testDescription: "a tombstone at an address that was never heard of",
            finding: .tombstoneAstray(app: 1, address(9))
        ) { transaction, layout in
            try layout.tombstones.put(&transaction, app: 1, address(9), Tombstone(at: time(1), writtenAt: time(2)))
            try layout.expiry.insert(&transaction, .tombstone(1, address(9)), from: time(2))
        },
        Damage(
            testDescription: "an unregistered address without a tombstone", finding: .tombstonesDiffer(app: 1)
        ) { transaction, layout in
            try layout.addresses.put(&transaction, app: 1, layout.digest(of: address(9), 1), .tombstone)
        },
        Damage(
            testDescription: "a tombstone that is kept for ever", finding: .tombstoneWithoutExpiry(app: 1, address(9))
        ) { transaction, layout in
            try layout.addresses.put(&transaction, app: 1, layout.digest(of: address(9), 1), .tombstone)
            try layout.tombstones.put(&transaction, app: 1, address(9), Tombstone(at: time(1), writtenAt: time(2)))
        },
        Damage(
            testDescription: "silent pushes of no device", finding: .silentWithoutDevice(app: 1, id(77))
        ) { transaction, layout in
            try layout.silent.put(&transaction, app: 1, id(77), [time(1)])
        },
        Damage(
            testDescription: "an event that was not given", finding: .eventAstray(5)
        ) { transaction, layout in
            try layout.events.append(&transaction, Event(sequence: 5, at: time(1), kind: .connectionUp))
        },
        Damage(
            testDescription: "the newest event is missing", finding: .eventAstray(2)
        ) { transaction, layout in
            try layout.events.append(&transaction, Event(sequence: 1, at: time(1), kind: .connectionUp))
            try layout.meta.putLastEvent(&transaction, 2)
        },
        Damage(
            testDescription: "a subscriber ahead of the events", finding: .subscriberAhead(principal: "a", name: "b")
        ) { transaction, layout in
            let record = SubscriberRecord(acknowledged: 1, usedAt: time(1))
            try layout.subscribers.put(&transaction, EventSubscriber(principal: "a", name: "b"), record)
        },
    ]

    @Test(arguments: damages)
    func verifyFindsTheDamage(_ damage: Damage) throws {
        let scratch = Scratch()
        let registry = try scratch.open()
        _ = try registry.apply([
            register(1, topics: ["level5"], groups: ["user/1"]), register(2),
            subscribe(["guild/7"], groups: ["user/1"]), .accept(message(toAll: .all), now: time(1_000)),
            .accept(message(to: [token(1)]), now: time(1_000)),
        ])
        #expect(try registry.verify() == [])
        registry.close()
        do {
            var options = LMDBEnvironment.Options()
            options.mapBytes = 16 << 20
            let environment = try LMDBEnvironment(path: scratch.path, options: options)
            let layout = try Layout(environment, LMDBRegistry.storedMark(of: environment), create: false)
            try environment.write { try damage.plant(&$0, layout) }
        }
        let findings = try scratch.open().verify()
        #expect(findings.contains(damage.finding), "\(findings)")
        #expect(!damage.isAlone || findings == [damage.finding])
        let command = try DumpCommand.run("verify", "--data", scratch.path, "--json")
        #expect(command.status == 1)
        let kind = "\(damage.finding)".prefix { $0 != "(" }
        #expect(command.output.contains("{\"finding\":\"\(kind)\","))
    }
}
