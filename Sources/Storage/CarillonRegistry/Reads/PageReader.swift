import CarillonCore
import CarillonLMDB

/// Reads the pages of an unfinished message, each with the current tokens.
///
/// A page has at most 4,096 recipients. It is read directly before it is sent, so that a device that has changed its
/// token, was muted or was unregistered since the SEND is treated as it is now. Each recipient comes with its token, or
/// with the outcome that ends it at once (`Recipient.finalOutcome`), because then nothing is sent.
///
/// The recipients of a page come from one of two places:
///
/// - **A list.** The SEND has stored the device ids, page by page; the outcomes say which of them are pending.
/// - **A live audience.** A page is a chunk of device ids. At first its recipients are the devices that match the
///   condition now. When the first outcomes of the page are written, its recipients are stored with them: the page is
///   *fixed*. So after a restart the same recipients are continued, and none is counted twice.
///
/// For example, the audience is the topic `news`, which has devices in the chunks 0, 3 and 7. The search from page 0
/// returns page 0, and the one from page 1 returns page 3: chunks without a match cost only a step of the scan. Page 3
/// is fixed while three of its devices are pending. One of these then leaves the topic. The next reading of page 3
/// still returns all three; the one that has left comes with the outcome for that.
struct PageReader {
    private let message: MessageID
    private let content: MessageContent
    private let live: LiveAudience?
    private let channel: ChannelAddress?
    private let progress: MessageProgress
    private let tables: Tables
    private let muted: SetNumber?
    /// The silent-push budget, and the time at which it is read.
    private let budget: (limit: RegistrySettings.SilentBudget, now: Timestamp)
    private var choice: PayloadChoice

    /// Makes a reader; nil if there is no such message, or if it is finished.
    init?(_ message: MessageID, now: Timestamp, tables: Tables, in transaction: borrowing ReadTransaction) throws {
        guard let progress = try tables.progress.get(message, in: transaction), !progress.isFinished else { return nil }
        guard let record = try tables.messages.get(message, in: transaction), (record.live != nil) == progress.isLive
        else {
            throw RegistryError.corrupted("messages: a content that does not fit the progress")
        }
        self.message = message
        self.tables = tables
        budget = (try tables.meta.silentBudget(in: transaction), now)
        self.progress = progress
        content = record.content
        live = record.live
        channel = record.channel
        muted = try tables.sets.get(.muted, app: progress.app, in: transaction)?.number
        choice = PayloadChoice(record.content)
    }

    /// The result of a search for a page.
    enum SearchResult {
        case found(RecipientPage)
        /// No page has a pending recipient.
        case exhausted
        /// The search has reached its limit, and can go on at this page.
        case unfinished(from: UInt32)

        var page: RecipientPage? {
            if case .found(let page) = self { page } else { nil }
        }
    }

    /// The cost of reading a page of a list, in steps of a scan.
    private static let stepsPerListedPage = 32

    /// Searches for the first page from `page` on that has a pending recipient.
    ///
    /// - Parameter maximumSteps: the most times that the search may look at a set in a chunk.
    mutating func next(
        from page: UInt32, maximumSteps: Int = .max, in transaction: borrowing ReadTransaction
    ) throws -> SearchResult {
        guard let live, let condition = live.audience.condition else {
            return try nextListed(from: page, maximumPages: maximumSteps / Self.stepsPerListedPage, in: transaction)
        }
        return try tables.withScan(
            of: ConditionPlan(condition), app: progress.app, maximumSteps: maximumSteps, in: transaction
        ) { scan in
            var from = page
            do {
                return try nextLive(from: &from, of: live, scan: &scan, in: transaction)
            } catch is PostingScan.LimitError {
                return .unfinished(from: from)
            }
        }
    }

    /// Searches the pages of a live audience; `page` is set to the page at which the search can go on.
    private mutating func nextLive(
        from page: inout ChunkNumber, of live: LiveAudience, scan: inout AudienceScan,
        in transaction: borrowing ReadTransaction
    ) throws -> SearchResult {
        while let (number, isFixed) = try candidatePage(from: UInt64(page), of: live, scan: &scan, in: transaction) {
            page = number
            let recipients = try readRecipients(of: number, isFixed: isFixed, live: live, scan: &scan, in: transaction)
            guard recipients.pending.isEmpty else {
                let isLast = try isLast(number, of: live, scan: &scan, in: transaction)
                return .found(try livePage(number, of: recipients, isLast: isLast, in: transaction))
            }
            guard number < .max else { return .exhausted }
            page = number + 1
        }
        return .exhausted
    }

    /// Returns true if no page after that page can have recipients. Returns false also if the scan has reached its
    /// limit.
    private func isLast(
        _ page: ChunkNumber, of live: LiveAudience, scan: inout AudienceScan, in transaction: borrowing ReadTransaction
    ) throws -> Bool {
        do {
            return try candidatePage(from: UInt64(page) + 1, of: live, scan: &scan, in: transaction) == nil
        } catch is PostingScan.LimitError {
            return false
        }
    }

    private mutating func nextListed(
        from page: UInt32, maximumPages: Int, in transaction: borrowing ReadTransaction
    ) throws -> SearchResult {
        var page = page
        var remainingPages = max(1, maximumPages)
        while page < progress.pageCount {
            guard remainingPages > 0 else { return .unfinished(from: page) }
            remainingPages -= 1
            let found = try listedPage(page, in: transaction)
            if !found.recipients.isEmpty { return .found(found) }
            page += 1
        }
        return .exhausted
    }

    /// Returns the page of a number, with the pending recipients; nil if there is no such page.
    mutating func readPage(_ page: UInt32, in transaction: borrowing ReadTransaction) throws -> RecipientPage? {
        guard let live, let condition = live.audience.condition else {
            return page < progress.pageCount ? try listedPage(page, in: transaction) : nil
        }
        guard UInt64(page) < live.chunkCount else { return nil }
        return try tables.withScan(of: ConditionPlan(condition), app: progress.app, in: transaction) { scan in
            let isFixed = try tables.outcomes.nextPage(message, from: page, in: transaction) == page
            let recipients = try readRecipients(of: page, isFixed: isFixed, live: live, scan: &scan, in: transaction)
            return try livePage(page, of: recipients, isLast: false, in: transaction)
        }
    }

    // MARK: A list

    private mutating func listedPage(
        _ page: UInt32, in transaction: borrowing ReadTransaction
    ) throws -> RecipientPage {
        guard let outcomes = try tables.outcomes.get(message, page: page, in: transaction) else {
            throw RegistryError.corrupted("outcomes: a page is missing")
        }
        let isLast = page + 1 >= progress.pageCount
        let pending = outcomes.indices.filter { outcomes[$0] == Outcome.pending.rawValue }
        var builder = RecipientPage.Builder(capacity: pending.count)
        guard !pending.isEmpty else { return builder.page(page, of: message, isLast: isLast) }
        guard let ids = try tables.recipients.get(message, page: page, in: transaction), ids.count == outcomes.count
        else {
            throw RegistryError.corrupted("recipients: a page does not fit its outcomes")
        }
        let delays = try tables.delays.page(message, page: page, in: transaction)
        if let channel {
            for position in pending.map({ UInt16(truncatingIfNeeded: $0) }) {
                builder.append(.channel(channel, at: position, delay: delays[position]), token: [])
            }
            return builder.page(page, of: message, isLast: isLast)
        }
        var mutedChunk: (number: ChunkNumber, bits: ChunkBits)?
        for index in pending {
            let id = DeviceID(rawValue: ids[index])
            let position = UInt16(truncatingIfNeeded: index)
            if mutedChunk?.number != id.chunk {
                mutedChunk = (id.chunk, try readMutedDevices(of: id.chunk, in: transaction))
            }
            let isMuted = mutedChunk?.bits.contains(id.offset) ?? false
            let isKnown: Void? = try tables.devices.visit(
                id, app: progress.app, in: transaction
            ) { head, token, locale in
                let registered = RegisteredRecipient(
                    id: id, position: position, isMuted: isMuted, delay: delays[position], head: head, token: token,
                    locale: locale)
                try append(registered, to: &builder, in: transaction)
            }
            guard isKnown == nil else { continue }
            builder.append(.unregistered(at: position, device: id.rawValue == 0 ? nil : id), token: [])
        }
        return builder.page(page, of: message, isLast: isLast)
    }

    // MARK: A live audience

    /// Returns the next page that may have recipients, from the outcomes or from the condition, and whether it is
    /// fixed.
    private func candidatePage(
        from page: UInt64, of live: LiveAudience, scan: inout AudienceScan, in transaction: borrowing ReadTransaction
    ) throws -> (number: ChunkNumber, isFixed: Bool)? {
        guard page < live.chunkCount, let from = ChunkNumber(exactly: page) else { return nil }
        let fixed = try tables.outcomes.nextPage(message, from: from, in: transaction)
        let wanted = try scan.next(from: from)
        guard let number = [fixed, wanted].compactMap({ $0 }).min(), UInt64(number) < live.chunkCount else {
            return nil
        }
        return (number, number == fixed)
    }

    /// The devices of a page of a live audience.
    private struct LiveDevices {
        /// The recipients of the page.
        let addressed: ChunkBits
        /// The recipients that have no outcome yet.
        let pending: ChunkBits
        /// The devices that are in the audience now; empty if no recipient is pending.
        let present: ChunkBits
    }

    private func readRecipients(
        of page: ChunkNumber,
        isFixed: Bool,
        live: LiveAudience,
        scan: inout AudienceScan,
        in transaction: borrowing ReadTransaction
    ) throws -> LiveDevices {
        if isFixed, let outcomes = try tables.outcomes.getLive(message, page: page, in: transaction) {
            let pending = outcomes.pending
            return LiveDevices(
                addressed: outcomes.addressed, pending: pending,
                present: pending.isEmpty ? ChunkBits() : try scan.devices(in: page))
        }
        var present = try scan.devices(in: page)
        live.restrict(&present, in: page)
        return LiveDevices(addressed: present, pending: present, present: present)
    }

    private mutating func livePage(
        _ number: ChunkNumber,
        of page: LiveDevices,
        isLast: Bool,
        in transaction: borrowing ReadTransaction
    ) throws -> RecipientPage {
        let mutedDevices = try readMutedDevices(of: number, in: transaction)
        let delays = try tables.delays.page(message, page: number, in: transaction)
        var builder = RecipientPage.Builder(capacity: page.pending.count)
        var missing = MissingDevices(page.pending, in: number)
        try tables.devices.visit(
            app: progress.app, chunk: number, bits: page.pending, in: transaction
        ) { offset, head, token, locale in
            missing.append(before: offset, to: &builder)
            let registered = RegisteredRecipient(
                id: DeviceID(chunk: number, offset: offset), position: offset, hasLeft: !page.present.contains(offset),
                isMuted: mutedDevices.contains(offset), delay: delays.isEmpty ? nil : delays[offset], head: head,
                token: token, locale: locale)
            try append(registered, to: &builder, in: transaction)
        }
        missing.append(before: UInt16(ChunkBits.width), to: &builder)
        return builder.page(number, of: message, addressed: AddressedChunk(page.addressed), isLast: isLast)
    }

    /// The device ids that are expected, ascending: a gap in the rows means that the device was unregistered.
    private struct MissingDevices {
        private let chunk: ChunkNumber
        private var rest: ChunkBits.Iterator
        private var next: UInt16?

        init(_ bits: ChunkBits, in chunk: ChunkNumber) {
            self.chunk = chunk
            rest = bits.makeIterator()
            next = rest.next()
        }

        /// Appends the devices before `offset`, which has a row, as unregistered.
        mutating func append(before offset: UInt16, to builder: inout RecipientPage.Builder) {
            while let id = next, id < offset {
                builder.append(.unregistered(at: id, device: DeviceID(chunk: chunk, offset: id)), token: [])
                next = rest.next()
            }
            next = rest.next()
        }
    }

    // MARK: A recipient

    private func readMutedDevices(
        of chunk: ChunkNumber, in transaction: borrowing ReadTransaction
    ) throws -> ChunkBits {
        try muted.flatMap {
            try tables.postings.get(PostingTable.RowKey(app: progress.app, set: $0, chunk: chunk), in: transaction)
        }
            ?? ChunkBits()
    }

    /// A registered recipient, before it is known whether it is sent to.
    private struct RegisteredRecipient {
        let id: DeviceID
        let position: UInt16
        /// True if the recipient was in the audience when its page was fixed, and has left it since.
        var hasLeft = false
        let isMuted: Bool
        /// The next attempt; nil if the recipient waits for none.
        let delay: DelayRecord?
        let head: DeviceHead
        // Safety: valid while the row is visited.
        let token: UnsafeBufferPointer<UInt8>
        let locale: UnsafeBufferPointer<UInt8>
    }

    @inline(__always)
    private mutating func append(
        _ registered: RegisteredRecipient,
        to builder: inout RecipientPage.Builder,
        in transaction: borrowing ReadTransaction
    ) throws {
        let head = registered.head
        let token = registered.token
        let locale = choice.isTrivial ? "" : String(decoding: registered.locale, as: UTF8.self)
        let payloadIndex = choice.payloadIndex(for: locale)
        var recipient = RecipientPage.Recipient(
            position: registered.position,
            device: registered.id,
            kind: head.kind,
            environment: head.environment,
            finalOutcome: content.finalOutcome(
                state: head.state, kind: head.kind, hasLeft: registered.hasLeft, isMuted: registered.isMuted,
                payloadIndex: payloadIndex),
            payloadIndex: payloadIndex ?? 0,
            registeredAt: head.registeredAt,
            attempts: registered.delay?.attempts ?? 0,
            dueAt: registered.delay?.dueAt ?? .zero
        )
        if content.pushType == .background, recipient.finalOutcome == nil,
            let time = try nextPushTime(for: registered.id, in: transaction)
        {
            switch content.overBudget {
            case .drop: recipient.finalOutcome = .overBudget
            case .wait: recipient.dueAt = max(recipient.dueAt, time)
            }
        }
        guard head.kind == .web else { return builder.append(recipient, token: token) }
        let isStored: Void? = try tables.browsers.visit(
            registered.id, app: progress.app, in: transaction
        ) { bytes in
            guard bytes.count <= WebPushSubscription.maximumBytes else {
                throw RegistryError.corrupted("browsers: an invalid subscription")
            }
            bytes.withUnsafeBufferPointer { builder.append(recipient, token: token, subscription: $0) }
        }
        if isStored == nil { builder.append(recipient, token: token) }
    }

    /// Returns the time at which a device may have a silent push; nil if it may have it now.
    private func nextPushTime(for id: DeviceID, in transaction: borrowing ReadTransaction) throws -> Timestamp? {
        budget.limit.nextPushTime(
            after: try tables.silentPushes.get(id, app: progress.app, in: transaction), at: budget.now)
    }
}

extension RecipientPage.Recipient {
    /// Makes the recipient for a broadcast channel, which is not a device.
    fileprivate static func channel(
        _ channel: ChannelAddress, at position: UInt16, delay: DelayRecord?
    ) -> RecipientPage.Recipient {
        RecipientPage.Recipient(
            position: position, device: nil, environment: channel.environment, attempts: delay?.attempts ?? 0,
            dueAt: delay?.dueAt ?? .zero)
    }
}
