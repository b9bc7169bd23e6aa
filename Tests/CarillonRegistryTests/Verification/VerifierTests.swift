import CarillonCluster
import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// Every kind of damage to sets and live messages is found, and nothing else is.
struct VerifierTests {
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let finding: Finding
        /// True if no further findings follow from the damage.
        var isAlone = true
        let plant: @Sendable (inout WriteTransaction, Tables) throws -> Void
    }

    /// The number of each set that `open` has stored.
    enum Number {
        static let all: UInt32 = 1
        static let environment: UInt32 = 2
        static let level: UInt32 = 5
        static let user: UInt32 = 6
        static let guild: UInt32 = 7
        static let unused: UInt32 = 99
    }

    private static func put(
        _ value: [UInt8], for key: [UInt8], database: Database, in transaction: inout WriteTransaction
    ) throws {
        try transaction.put(value.span, for: key.span, in: database)
    }

    private static func posting(_ set: UInt32, _ chunk: UInt32 = 0) -> [UInt8] {
        ByteWriter.bytes(capacity: 12) {
            $0.append(UInt32(1))
            $0.append(set)
            $0.append(chunk)
        }
    }

    private static func change(
        _ label: SetLabel, tables: Tables, in transaction: inout WriteTransaction, _ change: (inout SetRecord) -> Void
    ) throws {
        var record = try #require(try tables.sets.get(label, app: 1, in: transaction))
        change(&record)
        try tables.sets.put(record, for: label, app: 1, in: &transaction)
    }

    private static let level = SetLabel.topic(topic("level5"))
    private static let first = MessageID(rawValue: 1)

    static let damages = [
        Damage(testDescription: "a sender without a message", finding: .orphanedMetadata(MessageID(rawValue: 9))) {
            transaction, tables in
            let metadata = MessageMetadata(sender: "shop")
            try tables.messageMetadata.put(metadata, for: MessageID(rawValue: 9), in: &transaction)
        },
        Damage(
            testDescription: "claims of a message that does not exist",
            finding: .orphanedClaims(MessageID(rawValue: 9))
        ) { transaction, tables in
            let claims = MessageClaims(pageCount: 1, hasOneSender: false)
            try tables.claims?.put(
                ClaimsRow(claims: claims, silentApp: nil), of: MessageID(rawValue: 9), in: &transaction)
        },
        Damage(
            testDescription: "a sender of silent pushes of no app",
            finding: .orphanedSilentClaim(AppID("com.example.none")!)
        ) { transaction, tables in
            let claim = SilentPushClaim.afterClaim(nil, blocks: 1, by: 1)
            try tables.claims?.put(claim, of: AppID("com.example.none")!, in: &transaction)
        },
        Damage(
            testDescription: "a device in a set without reason",
            finding: .postingWithoutReason(app: 1, set: Number.level, deviceID(2)), isAlone: false
        ) { transaction, tables in
            try put([1, 0, 1, 0, 2], for: posting(Number.level), database: tables.postings.database, in: &transaction)
        },
        Damage(
            testDescription: "a chunk in which no device is expected",
            finding: .postingWithoutReason(app: 1, set: Number.level, DeviceID(chunk: 3, offset: 7)), isAlone: false
        ) { transaction, tables in
            try put([1, 0, 7], for: posting(Number.level, 3), database: tables.postings.database, in: &transaction)
        },
        Damage(
            testDescription: "a missing chunk", finding: .postingMissing(app: 1, set: Number.guild, deviceID(1)),
            isAlone: false
        ) { transaction, tables in
            try tables.postings.delete(PostingTable.RowKey(app: 1, set: Number.guild, chunk: 0), in: &transaction)
        },
        Damage(
            testDescription: "an empty chunk", finding: .postingUnreadable(app: 1, set: Number.level, chunk: 0)
        ) { transaction, tables in
            try put([1], for: posting(Number.level), database: tables.postings.database, in: &transaction)
        },
        Damage(
            testDescription: "offsets out of order", finding: .postingUnreadable(app: 1, set: Number.all, chunk: 0)
        ) { transaction, tables in
            try put([1, 0, 2, 0, 1], for: posting(Number.all), database: tables.postings.database, in: &transaction)
        },
        Damage(
            testDescription: "a chunk of no set",
            finding: .postingWithoutSet(app: 1, set: Number.unused, chunk: 0), isAlone: false
        ) { transaction, tables in
            try put([1, 0, 1], for: posting(Number.unused), database: tables.postings.database, in: &transaction)
        },
        Damage(
            testDescription: "a wrong number of devices", finding: .devicesDiffer(app: 1, set: Number.level)
        ) { transaction, tables in
            try change(level, tables: tables, in: &transaction) { $0.devices += 1 }
        },
        Damage(
            testDescription: "a wrong number of holders", finding: .groupSubscriptionsDiffer(app: 1, set: Number.user)
        ) { transaction, tables in
            try change(.group(group("user/1")), tables: tables, in: &transaction) { $0.groupSubscriptions += 1 }
        },
        Damage(
            testDescription: "a wrong number of quarantined devices",
            finding: .quarantinedMembersDiffer(app: 1, set: Number.level)
        ) { transaction, tables in
            try change(level, tables: tables, in: &transaction) { $0.quarantinedMembers += 1 }
        },
        Damage(
            testDescription: "a set that nothing needs", finding: .setWithoutReason(app: 1, set: 9), isAlone: false
        ) { transaction, tables in
            let label = SetLabel.topic(topic("idle"))
            try tables.sets.put(SetRecord(number: 9), for: label, app: 1, in: &transaction)
            try tables.setNames.put(label, for: 9, app: 1, in: &transaction)
        },
        Damage(
            testDescription: "a number that was not given", finding: .setNotGiven(app: 1, set: Number.unused),
            isAlone: false
        ) { transaction, tables in
            let label = SetLabel.topic(topic("early"))
            try tables.sets.put(
                SetRecord(number: Number.unused, quarantinedMembers: 1), for: label, app: 1, in: &transaction)
            try tables.setNames.put(label, for: Number.unused, app: 1, in: &transaction)
        },
        Damage(
            testDescription: "a number that leads elsewhere", finding: .setNameDiffers(app: 1, set: Number.level),
            isAlone: false
        ) { transaction, tables in
            try tables.setNames.put(.topic(topic("other")), for: Number.level, app: 1, in: &transaction)
        },
        Damage(
            testDescription: "a number that leads nowhere", finding: .setNameDiffers(app: 1, set: 8)
        ) { transaction, tables in
            try tables.setNames.put(.topic(topic("nothing")), for: 8, app: 1, in: &transaction)
        },
        Damage(
            testDescription: "a membership of no device", finding: .membershipWithoutDevice(app: 1, deviceID(77))
        ) { transaction, tables in
            try tables.memberships.put(
                MembershipRecord(groups: [Number.user]), for: deviceID(77), app: 1, in: &transaction)
        },
        Damage(
            testDescription: "a membership of nothing", finding: .membershipEmpty(app: 1, deviceID(2))
        ) { transaction, tables in
            let key = ByteWriter.bytes(capacity: 12) {
                $0.append(UInt32(1))
                $0.append(UInt64(2))
            }
            try put([1, 0, 0], for: key, database: tables.memberships.database, in: &transaction)
        },
        Damage(
            testDescription: "a membership in what is not a group",
            finding: .orphanedMembership(app: 1, deviceID(2), set: Number.level), isAlone: false
        ) { transaction, tables in
            try tables.memberships.put(
                MembershipRecord(groups: [Number.level]), for: deviceID(2), app: 1, in: &transaction)
        },
        Damage(
            testDescription: "a group that holds a group",
            finding: .orphanedGroupTopic(app: 1, group: Number.user, topic: Number.user), isAlone: false
        ) { transaction, tables in
            try tables.groupTopics.insert(app: 1, group: Number.user, topic: Number.user, in: &transaction)
        },
        Damage(
            testDescription: "a lost topic of a group",
            finding: .postingWithoutReason(app: 1, set: Number.guild, deviceID(1)), isAlone: false
        ) { transaction, tables in
            try tables.groupTopics.delete(app: 1, group: Number.user, topic: Number.guild, in: &transaction)
        },
        Damage(
            testDescription: "sets of an unknown app", finding: .unknownApp(7), isAlone: false
        ) { transaction, tables in
            try tables.sets.put(SetRecord(number: 1, quarantinedMembers: 1), for: .all, app: 7, in: &transaction)
        },
        Damage(
            testDescription: "attempts at no recipient", finding: .orphanedAttempt(first, page: 0, position: 9)
        ) { transaction, tables in
            let attempt = TracedAttempt(at: .zero, connection: 1, status: 503, reason: "ServiceUnavailable")
            try tables.attempts.append(
                [OutcomeRecord.RecordedAttempt(position: 9, attempt: attempt)], of: first, page: 0, in: &transaction)
        },
        Damage(
            testDescription: "a delay of no recipient", finding: .orphanedDelay(first, page: 0, position: 9)
        ) { transaction, tables in
            let record = DelayRecord(attempts: 1, dueAt: timestamp(1))
            let recipient = RecipientKey(message: first, page: 0, position: 9)
            try tables.delays.put(record, for: recipient, in: &transaction)
        },
        Damage(
            testDescription: "a page that addresses a device that registered later",
            finding: .pageDiffers(first, page: 0),
            isAlone: false
        ) { transaction, tables in
            var bits = ChunkBits()
            bits.insert(50)
            try tables.outcomes.put(LiveOutcomes(pending: bits), for: first, page: 0, in: &transaction)
        },
        Damage(
            testDescription: "outcomes that are not counted", finding: .countsDiffer(first)
        ) { transaction, tables in
            var bits = ChunkBits()
            bits.insert(1)
            try tables.outcomes.put(LiveOutcomes(pending: bits), for: first, page: 0, in: &transaction)
        },
        Damage(
            testDescription: "a live message that says it is a list", finding: .audienceDiffers(first),
            isAlone: false
        ) { transaction, tables in
            var record = try #require(try tables.messages.get(first, in: transaction))
            record.live = nil
            try tables.messages.put(record, for: first, in: &transaction)
        },
        Damage(
            testDescription: "an unfinished message out of the outbox", finding: .outboxDiffers(first)
        ) { transaction, tables in
            try tables.outbox.delete(
                first, queue: OutboxTable.StoredQueue(lane: .interactive, app: 1), in: &transaction)
        },
        Damage(
            testDescription: "a message in the schedule that does not wait", finding: .scheduleDiffers(first)
        ) { transaction, tables in
            try tables.schedule.insert(first, due: timestamp(9_000), in: &transaction)
        },
        Damage(
            testDescription: "a message that waits and is not in the schedule", finding: .scheduleDiffers(first),
            isAlone: false
        ) { transaction, tables in
            var progress = try #require(try tables.progress.get(first, in: transaction))
            progress.outboxState = .scheduled
            try tables.progress.put(progress, for: first, in: &transaction)
        },
        Damage(
            testDescription: "a pending recipient before the floor", finding: .pendingBelowFloor(first, page: 0)
        ) { transaction, tables in
            var progress = try #require(try tables.progress.get(first, in: transaction))
            var bits = ChunkBits()
            for device: UInt16 in [1, 2] { bits.insert(device) }
            try tables.outcomes.put(LiveOutcomes(pending: bits), for: first, page: 0, in: &transaction)
            progress.counts.add(Outcome.pending.rawValue, count: 2)
            progress.floor = 1
            try tables.progress.put(progress, for: first, in: &transaction)
        },
        Damage(
            testDescription: "a pending recipient of a list before the floor",
            finding: .pendingBelowFloor(MessageID(rawValue: 2), page: 0)
        ) { transaction, tables in
            var progress = try #require(try tables.progress.get(MessageID(rawValue: 2), in: transaction))
            progress.floor = 1
            try tables.progress.put(progress, for: MessageID(rawValue: 2), in: &transaction)
        },
        Damage(
            testDescription: "a message that is not listed", finding: .listingDiffers(app: 1, first)
        ) { transaction, tables in
            try tables.appMessages.delete(first, app: 1, in: &transaction)
        },
        Damage(
            testDescription: "a message in the list of another app", finding: .listingDiffers(app: 2, first)
        ) { transaction, tables in
            try tables.appMessages.insert(first, app: 2, in: &transaction)
        },
        Damage(
            testDescription: "a receipt of no recipient", finding: .orphanedReceipt(first, deviceID(9)), isAlone: false
        ) { transaction, tables in
            var bits = ChunkBits()
            bits.insert(9)
            let rowKey = ReceiptTable.RowKey(message: first, kind: .opened, chunk: 0)
            try tables.receipts.put(bits, for: rowKey, in: &transaction)
        },
        Damage(
            testDescription: "receipts that are not there", finding: .receiptsDiffer(first)
        ) { transaction, tables in
            var progress = try #require(try tables.progress.get(first, in: transaction))
            progress.received = 1
            try tables.progress.put(progress, for: first, in: &transaction)
        },
        Damage(
            testDescription: "an active device among the quarantined", finding: .quarantineDiffers(app: 1, deviceID(2))
        ) { transaction, tables in
            try tables.quarantine.put(timestamp(1), for: deviceID(2), app: 1, in: &transaction)
        },
        Damage(
            testDescription: "a note of a device that is not quarantined",
            finding: .expiryOfNothing(kind: 4, at: timestamp(1))
        ) { transaction, tables in
            try tables.expiry.insert(.quarantined(1, deviceID(2)), from: timestamp(1), in: &transaction)
        },
        Damage(
            testDescription: "a device with an address without a row",
            finding: .deviceWithoutAddress(app: 1, deviceID(1))
        ) { transaction, tables in
            try tables.addresses.delete(tables.digest(of: address(1), app: 1), app: 1, in: &transaction)
        },
        Damage(
            testDescription: "an address that another has", finding: .addressWithoutDevice(app: 1, deviceID(1)),
            isAlone: false
        ) { transaction, tables in
            try tables.addresses.put(
                .device(deviceID(1)), for: tables.digest(of: address(2), app: 1), app: 1, in: &transaction)
        },
        Damage(
            testDescription: "an address of no device", finding: .addressWithoutDevice(app: 1, deviceID(77))
        ) { transaction, tables in
            try tables.addresses.put(
                .device(deviceID(77)), for: tables.digest(of: address(9), app: 1), app: 1, in: &transaction)
        },
        Damage(
            testDescription: "a tombstone at an address that was never heard of",
            finding: .orphanedTombstone(app: 1, address(9))
        ) { transaction, tables in
            try tables.tombstones.put(
                Tombstone(at: timestamp(1), writtenAt: timestamp(2)), for: address(9), app: 1, in: &transaction)
            try tables.expiry.insert(.tombstone(1, address(9)), from: timestamp(2), in: &transaction)
        },
        Damage(
            testDescription: "an unregistered address without a tombstone", finding: .tombstonesDiffer(app: 1)
        ) { transaction, tables in
            try tables.addresses.put(.tombstone, for: tables.digest(of: address(9), app: 1), app: 1, in: &transaction)
        },
        Damage(
            testDescription: "a tombstone that is kept for ever", finding: .tombstoneWithoutExpiry(app: 1, address(9))
        ) { transaction, tables in
            try tables.addresses.put(.tombstone, for: tables.digest(of: address(9), app: 1), app: 1, in: &transaction)
            try tables.tombstones.put(
                Tombstone(at: timestamp(1), writtenAt: timestamp(2)), for: address(9), app: 1, in: &transaction)
        },
        Damage(
            testDescription: "silent pushes of no device", finding: .silentWithoutDevice(app: 1, deviceID(77))
        ) { transaction, tables in
            try tables.silent.put([timestamp(1)], for: deviceID(77), app: 1, in: &transaction)
        },
        Damage(
            testDescription: "an event that was not given", finding: .eventOutOfOrder(5)
        ) { transaction, tables in
            try tables.events.append(Event(sequence: 5, at: timestamp(1), kind: .connectionUp), in: &transaction)
        },
        Damage(
            testDescription: "the newest event is missing", finding: .eventOutOfOrder(2)
        ) { transaction, tables in
            try tables.events.append(Event(sequence: 1, at: timestamp(1), kind: .connectionUp), in: &transaction)
            try tables.meta.putLastEvent(2, in: &transaction)
        },
        Damage(
            testDescription: "a subscriber ahead of the events", finding: .subscriberAhead(principal: "a", name: "b")
        ) { transaction, tables in
            let record = SubscriberRecord(acknowledged: 1, usedAt: timestamp(1))
            try tables.subscribers.put(record, for: EventSubscriber(principal: "a", name: "b"), in: &transaction)
        },
    ]

    @Test(arguments: damages)
    func verifyFindsTheDamage(_ damage: Damage) throws {
        let scratch = RegistryDirectory()
        let registry = try scratch.open()
        _ = try registry.apply([
            register(1, topics: ["level5"], groups: ["user/1"]), register(2),
            subscribe(["guild/7"], groups: ["user/1"]), .accept(testMessage(toAll: .all), now: timestamp(1_000)),
            .accept(testMessage(to: [byToken(1)]), now: timestamp(1_000)),
        ])
        #expect(try registry.verify() == [])
        registry.close()
        do {
            var options = LMDBEnvironment.Options()
            options.mapBytes = 16 << 20
            let environment = try LMDBEnvironment(path: scratch.path, options: options)
            let tables = try Tables(environment, LMDBRegistry.storedIdentity(of: environment), ifMissing: .fail)
            try environment.write { try damage.plant(&$0, tables) }
        }
        let damaged = try scratch.open()
        let findings = try damaged.verify()
        #expect(findings.contains(damage.finding), "\(findings)")
        #expect(!damage.isAlone || findings == [damage.finding])
    }
}
