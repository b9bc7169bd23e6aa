import CarillonCore
import CarillonLMDB

/// The outcomes of a page, of a list or of a live audience.
struct PageOutcomes {
    /// The outcomes by position, or by offset in the chunk.
    private(set) var bytes: [UInt8]
    /// The recipients of a page of a live audience; nil for a list.
    let addressed: ChunkBits?
    /// The recipients of ``addressed`` as bytes, which are looked at for each outcome; empty for a list.
    private let bitmap: [UInt8]
    /// True if the page is fixed with this record.
    let isNew: Bool

    /// Takes the outcomes of a page of a list.
    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        addressed = nil
        bitmap = []
        isNew = false
    }

    /// Takes the outcomes of a page of a live audience.
    private init(_ outcomes: LiveOutcomes, isNew: Bool) {
        bytes = outcomes.byOffset
        addressed = outcomes.addressed
        bitmap = outcomes.addressed.bitmap
        self.isNew = isNew
    }

    /// The number of recipients of a page of a live audience; 0 for a list, whose recipients are counted at acceptance.
    var newRecipientCount: UInt64 { UInt64(addressed?.count ?? 0) }

    func hasAllRecipients(of record: OutcomeRecord) -> Bool {
        record.endedRecipients.allSatisfy { hasRecipient(at: $0.position) }
            && record.delays.allSatisfy { hasRecipient(at: $0.position) }
            && record.attempts.allSatisfy { hasRecipient(at: $0.position) }
    }

    private func hasRecipient(at position: UInt16) -> Bool {
        guard Int(position) < bytes.count else { return false }
        return bitmap.isEmpty || bitmap[Int(position >> 3)] & 1 << UInt8(position & 7) != 0
    }

    /// Returns true if the recipient at a position, which the page addresses, has no outcome yet.
    func isPending(_ position: UInt16) -> Bool { bytes[Int(position)] == Outcome.pending.rawValue }

    mutating func set(_ outcome: Outcome, at position: UInt16) { bytes[Int(position)] = outcome.rawValue }

    /// Reads the outcomes of the page of a record; nil if the message has no such page. The first record of a page of a
    /// live audience makes the page, with the recipients that the record addresses.
    static func read(
        for record: OutcomeRecord, progress: MessageProgress, tables: Tables,
        in transaction: borrowing WriteTransaction
    ) throws -> PageOutcomes? {
        let message = record.message
        let page = record.page
        guard progress.isLive else {
            return try tables.outcomes.get(message, page: page, in: transaction).map { PageOutcomes($0) }
        }
        if let outcomes = try tables.outcomes.getLive(message, page: page, in: transaction) {
            return PageOutcomes(outcomes, isNew: false)
        }
        guard !progress.isFinished, let bits = record.addressed?.bits, !bits.isEmpty else { return nil }
        guard let live = try tables.messages.get(message, in: transaction)?.live else {
            throw RegistryError.corrupted("messages: an audience is missing")
        }
        var addressed = bits
        live.restrict(&addressed, in: page)
        guard UInt64(page) < live.chunkCount, addressed == bits else { return nil }
        return PageOutcomes(LiveOutcomes(pending: bits), isNew: true)
    }
}
