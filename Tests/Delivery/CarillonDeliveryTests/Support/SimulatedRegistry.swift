import CarillonCore

/// A registry in memory, which judges what an engine writes to it and delivers.
struct SimulatedRegistry {
    struct RecipientKey: Hashable, Comparable, CustomStringConvertible {
        var message: MessageID
        var page: UInt32
        var position: UInt16

        init(message: MessageID, page: UInt32, position: UInt16) {
            self.message = message
            self.page = page
            self.position = position
        }

        init(_ delivery: Delivery) {
            self.init(
                message: delivery.message.id, page: delivery.page.number,
                position: delivery.page.recipients[delivery.index].position)
        }

        var description: String { "\(message).\(page).\(position)" }

        static func < (left: RecipientKey, right: RecipientKey) -> Bool {
            (left.message, left.page, left.position) < (right.message, right.page, right.position)
        }
    }

    /// The fields of a device that the engine uses; none may be older than the last announced change.
    struct DeviceState: Hashable {
        /// The token is one byte, and each replacement is the next one.
        var token: UInt8 = 1
        var isRegistered = true
        /// True if the device is in the audience of live messages.
        var isMember = true
    }

    struct Device {
        var app: AppID
        /// The environment in which the device is registered.
        var environment: APNsEnvironment
        /// The environment in which its token is good.
        var trueEnvironment: APNsEnvironment
        /// The state in the registry.
        var now = DeviceState()
        /// The state that the engine was told last.
        var known = DeviceState()
        var isQuarantined = false
        /// The number of silent pushes that the device has had.
        var silent = 0
    }

    struct Recipient: Hashable {
        var device: UInt64
        var outcome = Outcome.pending
        var attempts: UInt8 = 0
        var dueAt = Timestamp.zero
    }

    struct StoredMessage {
        /// The message as the outbox has it now.
        var outbound: OutboundMessage
        var isPaused = false
        var isFinished = false
        /// The recipients by page. Of a list, they are all recipients; of a live audience, those that are fixed, by
        /// offset.
        var pages: [UInt32: [UInt16: Recipient]]
        /// The devices that have been in a live audience since the message was accepted.
        var constantMembers: Set<UInt64> = []
        /// The last state that the engine received; paused only while nothing newer is on disk.
        var known = (isCancelled: false, isPaused: false, pace: UInt32?.none)

        var hasPending: Bool { pages.values.contains { $0.values.contains { $0.outcome == .pending } } }
        var addressed: Set<UInt64> { Set(pages.values.flatMap { $0.values.map(\.device) }) }
    }

    static let recipientsPerPage: UInt64 = 5
    /// The number of silent pushes that a device may have.
    static let budget = 2
    static let sendableSince = Timestamp(milliseconds: 1_790_000_000_000)

    private(set) var devices: [UInt64: Device] = [:]
    private(set) var messages: [MessageID: StoredMessage] = [:]

    // MARK: Devices

    mutating func register(_ device: UInt64, _ known: Device) {
        devices[device] = known
    }

    mutating func unregister(_ device: UInt64) {
        devices[device]?.now.isRegistered = false
        membershipChanged(of: device)
    }

    mutating func replaceToken(of device: UInt64) {
        devices[device]?.now.token += 1
        devices[device]?.isQuarantined = false
    }

    mutating func toggleMembership(of device: UInt64) {
        devices[device]?.now.isMember.toggle()
        membershipChanged(of: device)
    }

    private mutating func membershipChanged(of device: UInt64) {
        for id in messages.keys { messages[id]?.constantMembers.remove(device) }
    }

    mutating func markKnown(_ device: UInt64) {
        guard let known = devices[device] else { return }
        devices[device]?.known = known.now
    }

    /// Records that a new engine knows all that the registry has.
    mutating func markAllKnown() {
        for device in devices.keys { markKnown(device) }
        for id in messages.keys { markUpdateKnown(id) }
    }

    // MARK: Messages

    /// Stores a message; nil if all its recipients ended at once.
    mutating func accept(
        _ content: MessageContent, to recipients: [UInt64]?, notAfter: Timestamp?, _ lane: Lane, pace: UInt32?
    ) -> OutboundMessage? {
        let id = MessageID(rawValue: UInt64(messages.count + 1))
        let outbound = OutboundMessage(
            id: id, content: content, sendableSince: Self.sendableSince, notAfter: notAfter, lane: lane,
            isLive: recipients == nil, pace: pace)
        var pages: [UInt32: [UInt16: Recipient]] = [:]
        for (index, device) in (recipients ?? []).enumerated() {
            let (page, position) = UInt64(index).quotientAndRemainder(dividingBy: Self.recipientsPerPage)
            let isKnown = devices[device]?.app == content.app && devices[device]?.now.isRegistered == true
            pages[UInt32(page), default: [:]][UInt16(position)] = Recipient(
                device: device, outcome: isKnown ? .pending : .unregistered)
        }
        let members = devices.filter { isMember($0.value, of: outbound) }.keys
        messages[id] = StoredMessage(
            outbound: outbound, pages: pages, constantMembers: outbound.isLive ? Set(members) : [])
        markUpdateKnown(id)
        let isOver = outbound.isLive ? members.isEmpty : messages[id]?.hasPending == false
        messages[id]?.isFinished = isOver
        return isOver ? nil : outbound
    }

    private func isMember(_ device: Device, of outbound: OutboundMessage) -> Bool {
        device.app == outbound.content.app && device.now.isRegistered && device.now.isMember
    }

    var queues: Set<OutboxQueue> {
        Set(messages.values.filter { !$0.isFinished && !$0.isPaused }.map(\.outbound.queue))
    }

    func unfinished(_ queue: OutboxQueue, after: MessageID?, limit: Int) -> [OutboundMessage] {
        messages.values.filter { stored in
            stored.outbound.queue == queue && !stored.isFinished && !stored.isPaused
                && after.map { stored.outbound.id > $0 } ?? true
        }.map(\.outbound).sorted { $0.id < $1.id }.prefix(limit).map { $0 }
    }

    mutating func updateMessage(_ id: MessageID, _ change: (inout StoredMessage) -> Void) {
        if var stored = messages[id] {
            change(&stored)
            messages[id] = stored
        }
    }

    mutating func markUpdateKnown(_ id: MessageID) {
        guard let stored = messages[id] else { return }
        messages[id]?.known = (stored.outbound.isCancelled, stored.isPaused, stored.outbound.pace)
    }

    // MARK: Pages

    /// Returns the first page from `first` on that has a pending recipient.
    func nextPage(of id: MessageID, from first: UInt32) -> RecipientPage? {
        let numbers = pagesWithPending(of: id).filter { $0 >= first }
        return numbers.first.flatMap { page($0, of: id, isLast: numbers.count == 1) }
    }

    private func pagesWithPending(of id: MessageID) -> [UInt32] {
        guard let stored = messages[id], !stored.isFinished else { return [] }
        var numbers = Set(stored.pages.filter { $0.value.values.contains { $0.outcome == .pending } }.keys)
        if stored.outbound.isLive {
            let members = devices.filter { isMember($0.value, of: stored.outbound) }
            numbers.formUnion(
                members.keys.map { UInt32($0 / Self.recipientsPerPage) }.filter { stored.pages[$0] == nil })
        }
        return numbers.sorted()
    }

    /// Returns a page with its pending recipients; of a live page that is not fixed, with those in the audience now.
    func page(_ number: UInt32, of id: MessageID, isLast: Bool = false) -> RecipientPage? {
        guard let stored = messages[id], !stored.isFinished else { return nil }
        guard stored.outbound.isLive || stored.pages[number] != nil else { return nil }
        let recipients = stored.pages[number] ?? members(ofPage: number, stored.outbound)
        var builder = RecipientPage.Builder()
        for (position, recipient) in recipients.sorted(by: { $0.key < $1.key }) where recipient.outcome == .pending {
            append(recipient, at: position, stored.outbound, to: &builder)
        }
        let addressed = stored.outbound.isLive ? ChunkBits(ascending: recipients.keys.sorted()) : nil
        return builder.page(number, of: id, addressed: addressed.map { AddressedChunk($0) }, isLast: isLast)
    }

    private func members(ofPage number: UInt32, _ outbound: OutboundMessage) -> [UInt16: Recipient] {
        var members: [UInt16: Recipient] = [:]
        for (id, device) in devices where isMember(device, of: outbound) {
            let (page, position) = id.quotientAndRemainder(dividingBy: Self.recipientsPerPage)
            if page == UInt64(number) { members[UInt16(position)] = Recipient(device: id) }
        }
        return members
    }

    private func append(
        _ recipient: Recipient, at position: UInt16, _ outbound: OutboundMessage,
        to builder: inout RecipientPage.Builder
    ) {
        let id = DeviceID(rawValue: recipient.device)
        guard let device = devices[recipient.device], device.now.isRegistered else {
            return builder.append(.unregistered(at: position, device: id), token: [])
        }
        let isSilent = outbound.content.pushType == .background
        let finalOutcome: Outcome? =
            if device.isQuarantined {
                .quarantined
            } else if outbound.isLive && !device.now.isMember {
                .left
            } else {
                isSilent && device.silent >= Self.budget ? .overBudget : nil
            }
        builder.append(
            RecipientPage.Recipient(
                position: position, device: id, environment: device.environment, finalOutcome: finalOutcome,
                registeredAt: Timestamp(milliseconds: UInt64(device.now.token)), attempts: recipient.attempts,
                dueAt: recipient.dueAt),
            token: [device.now.token])
    }

    // MARK: Writing

    /// Writes a record; returns its fault, or nil.
    mutating func write(_ record: OutcomeRecord) -> String? {
        guard var stored = messages[record.message] else { return "there is no such message" }
        var page = stored.pages[record.page] ?? [:]
        if stored.outbound.isLive {
            guard let addressed = record.addressed else {
                return "a page of a live audience does not say whom it addresses"
            }
            if stored.pages[record.page] == nil {
                for offset in addressed.bits.offsets {
                    page[offset] = Recipient(device: UInt64(record.page) * Self.recipientsPerPage + UInt64(offset))
                }
            } else if addressed.bits.offsets != page.keys.sorted() {
                return "a page addresses others than before"
            }
        }
        for delay in record.delays {
            guard page[delay.position]?.outcome == .pending else {
                return "a delayed recipient has an outcome, or is not in the page"
            }
            page[delay.position]?.attempts = delay.attempts
            page[delay.position]?.dueAt = delay.dueAt
        }
        for ended in record.endedRecipients {
            guard let known = page[ended.position], known.outcome == .pending, ended.outcome != .pending else {
                return
                    "a recipient ended twice, or is not in the page: \(record.message).\(record.page).\(ended.position)"
            }
            page[ended.position]?.outcome = ended.outcome
            apply(ended, of: known.device, stored.outbound)
        }
        for attempt in record.attempts where page[attempt.position] == nil {
            return "an attempt at no recipient of the page"
        }
        stored.pages[record.page] = page
        stored.outbound.firstPendingPage = max(stored.outbound.firstPendingPage, record.firstPendingPage)
        if !stored.outbound.isLive { stored.isFinished = !stored.hasPending }
        messages[record.message] = stored
        let below = stored.pages.filter { $0.key < stored.outbound.firstPendingPage }.values.flatMap(\.values)
        return below.contains { $0.outcome == .pending } ? "a recipient before the first pending page is pending" : nil
    }

    /// Changes the device in the registry as the outcome demands.
    private mutating func apply(_ ended: OutcomeRecord.EndedRecipient, of device: UInt64, _ message: OutboundMessage) {
        if let deadToken = ended.deadToken,
            deadToken.registeredAt.milliseconds == devices[device].map({ UInt64($0.now.token) })
        {
            devices[device]?.isQuarantined = true
        }
        if let environment = ended.movedTo { devices[device]?.environment = environment }
        if ended.outcome == .delivered && message.content.pushType == .background { devices[device]?.silent += 1 }
    }

    /// Finishes a live message; returns its fault, or nil.
    mutating func finish(_ id: MessageID) -> String? {
        guard let stored = messages[id], stored.outbound.isLive else { return "it is not a live message" }
        if stored.hasPending { return "a recipient is pending" }
        let missing = stored.constantMembers.subtracting(stored.addressed)
        if !missing.isEmpty { return "the devices \(missing.sorted()) were never addressed" }
        messages[id]?.isFinished = true
        return nil
    }

    func recipient(_ key: RecipientKey) -> Recipient? { messages[key.message]?.pages[key.page]?[key.position] }

    // MARK: What may be pulled

    /// Returns the reason why a delivery must not be made; nil if it may be.
    func fault(of delivery: Delivery, at wall: Timestamp) -> String? {
        guard let stored = messages[delivery.message.id], let device = devices[delivery.device.rawValue] else {
            return "there is no such message or device"
        }
        let token = delivery.page.withToken(at: delivery.index) { Array($0) }
        if let recipient = recipient(RecipientKey(delivery)) {
            if recipient.device != delivery.device.rawValue { return "it is for another device" }
            if recipient.outcome != .pending { return "it has ended as \(recipient.outcome)" }
        } else if !stored.outbound.isLive {
            return "its page has no such recipient"
        }
        if device.app != stored.outbound.content.app { return "the device is another app's" }
        if !device.known.isRegistered { return "the device is unregistered, and the engine knows" }
        // A device that has come back since, which the engine was not told yet, may have been read as a member.
        let hasLeft = !device.known.isMember && !device.now.isMember
        if stored.outbound.isLive && hasLeft { return "the device has left, and the engine knows" }
        if stored.known.isCancelled { return "the message is cancelled, and the engine knows" }
        if stored.known.isPaused { return "the message is paused, and the engine knows" }
        if let notAfter = stored.outbound.notAfter, wall > notAfter { return "its time has passed" }
        guard let first = token.first, first >= device.known.token else { return "the token \(token) is an old one" }
        return nil
    }
}
