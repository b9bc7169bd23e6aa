import CarillonCluster
import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// Damage to messages, their pages, their queues and their claims: the verifier finds it, and what follows from it.
struct VerifierMessageTests {
    private static let first = messageID(1)
    private static let list = messageID(2)
    private static let unknown = messageID(9)

    static let damages = [
        RegistryDamage("a sender without a message", finds: .orphanedMetadata(unknown)) {
            transaction, tables in
            let metadata = MessageMetadata(sender: "shop")
            try tables.messageMetadata.put(metadata, for: unknown, in: &transaction)
        },
        RegistryDamage("claims of a message that does not exist", finds: .orphanedClaims(unknown)) {
            transaction, tables in
            let claims = MessageClaims(pageCount: 1, hasOneSender: false)
            try tables.claims?.put(ClaimsRow(claims: claims, silentPushApp: nil), of: unknown, in: &transaction)
        },
        RegistryDamage("a sender of silent pushes of no app", finds: .orphanedSilentClaim(AppID("com.example.none")!)) {
            transaction, tables in
            let claim = SilentPushClaim.afterClaim(nil, blocks: 1, by: 1)
            try tables.claims?.put(claim, of: AppID("com.example.none")!, in: &transaction)
        },
        RegistryDamage("attempts at no recipient", finds: .orphanedAttempt(first, page: 0, position: 9)) {
            transaction, tables in
            let attempt = TraceAttempt(endedAt: .zero, connectionNumber: 1, status: 503, reason: "ServiceUnavailable")
            try tables.attempts.append(
                [OutcomeRecord.RecordedAttempt(position: 9, attempt: attempt)], of: first, page: 0, in: &transaction)
        },
        RegistryDamage("a delay of no recipient", finds: .orphanedDelay(first, page: 0, position: 9)) {
            transaction, tables in
            let record = DelayRecord(attempts: 1, dueAt: timestamp(1))
            let recipient = RecipientKey(message: first, page: 0, position: 9)
            try tables.delays.put(record, for: recipient, in: &transaction)
        },
        RegistryDamage(
            "a page that addresses a device that registered later", finds: .pageDiffers(first, page: 0),
            amongOthers: true
        ) { transaction, tables in
            var bits = ChunkBits()
            bits.insert(50)
            try tables.outcomes.put(LiveOutcomes(pending: bits), for: first, page: 0, in: &transaction)
        },
        RegistryDamage("outcomes that are not counted", finds: .countsDiffer(first)) { transaction, tables in
            var bits = ChunkBits()
            bits.insert(1)
            try tables.outcomes.put(LiveOutcomes(pending: bits), for: first, page: 0, in: &transaction)
        },
        RegistryDamage("a live message that says it is a list", finds: .audienceDiffers(first), amongOthers: true) {
            transaction, tables in
            var record = try #require(try tables.messages.get(first, in: transaction))
            record.live = nil
            try tables.messages.put(record, for: first, in: &transaction)
        },
        RegistryDamage("an unfinished message out of the outbox", finds: .outboxDiffers(first)) { transaction, tables in
            try tables.outbox.delete(
                first, queue: OutboxTable.StoredQueue(lane: .interactive, app: 1), in: &transaction)
        },
        RegistryDamage("a message in the schedule that does not wait", finds: .scheduleDiffers(first)) {
            transaction, tables in
            try tables.schedule.insert(first, due: timestamp(9_000), in: &transaction)
        },
        RegistryDamage(
            "a message that waits and is not in the schedule", finds: .scheduleDiffers(first), amongOthers: true
        ) { transaction, tables in
            var progress = try #require(try tables.progress.get(first, in: transaction))
            progress.hold = .scheduled
            try tables.progress.put(progress, for: first, in: &transaction)
        },
        RegistryDamage("a pending recipient in a page that has ended", finds: .pendingInFinishedPage(first, page: 0)) {
            transaction, tables in
            var progress = try #require(try tables.progress.get(first, in: transaction))
            var bits = ChunkBits()
            for device: UInt16 in [1, 2] { bits.insert(device) }
            try tables.outcomes.put(LiveOutcomes(pending: bits), for: first, page: 0, in: &transaction)
            progress.counts.add(Outcome.pending.rawValue, count: 2)
            progress.firstPendingPage = 1
            try tables.progress.put(progress, for: first, in: &transaction)
        },
        RegistryDamage(
            "a pending recipient of a list in a page that has ended", finds: .pendingInFinishedPage(list, page: 0)
        ) {
            transaction, tables in
            var progress = try #require(try tables.progress.get(list, in: transaction))
            progress.firstPendingPage = 1
            try tables.progress.put(progress, for: list, in: &transaction)
        },
        RegistryDamage("a message that is not listed", finds: .listingDiffers(app: 1, first)) { transaction, tables in
            try tables.appMessages.delete(first, app: 1, in: &transaction)
        },
        RegistryDamage("a message in the list of another app", finds: .listingDiffers(app: 2, first)) {
            transaction, tables in
            try tables.appMessages.insert(first, app: 2, in: &transaction)
        },
        RegistryDamage("a receipt of no recipient", finds: .orphanedReceipt(first, deviceID(9)), amongOthers: true) {
            transaction, tables in
            var bits = ChunkBits()
            bits.insert(9)
            let rowKey = ReceiptTable.RowKey(message: first, kind: .opened, chunk: 0)
            try tables.receipts.put(bits, for: rowKey, in: &transaction)
        },
        RegistryDamage("receipts that are not there", finds: .receiptsDiffer(first)) { transaction, tables in
            var progress = try #require(try tables.progress.get(first, in: transaction))
            progress.receivedCount = 1
            try tables.progress.put(progress, for: first, in: &transaction)
        },
    ]

    @Test(arguments: damages)
    func `the verifier finds the damage`(_ damage: RegistryDamage) throws { try damage.expectFound() }
}
