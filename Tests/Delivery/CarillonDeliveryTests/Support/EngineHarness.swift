import CarillonCore
import CarillonDelivery

/// An engine under test: the test is its clock, its disk and its connections.
///
/// Tests compare lines of two forms. A delivery is `message>device`: `1>7` is message 1 on its way to device 7, and the
/// device of a broadcast push is 0. A record has its page as `message.page`: `page 1.0, recipient 3: delivered` is the
/// outcome of the recipient at position 3 of the first page of message 1.
struct EngineHarness {
    static let app = AppID("com.example.game")!
    static let otherApp = AppID("com.example.chat")!
    static let routes = Routes([app: [.apnsProduction: PoolKey.production, .apnsSandbox: PoolKey.sandbox]])
    static let queue = OutboxQueue(lane: .interactive, app: app)

    var engine: DeliveryEngine
    var now = Moment(wall: Timestamp(milliseconds: 1_790_000_000_000), uptime: 1_000)

    /// Makes an engine that has read an outbox without messages.
    init(
        routes: Routes = routes,
        limits: DeliveryEngine.Limits = DeliveryEngine.Limits(),
        policy: RetryPolicy = RetryPolicy(),
        outbox: [OutboundMessage] = []
    ) {
        engine = DeliveryEngine(routes: routes, limits: limits, policy: policy, seed: 1)
        _ = engine.takeActions()
        engine.queuesRead(Set(outbox.map(\.queue)))
        for read in engine.takeActions().messageReads {
            engine.messagesRead(outbox.filter { $0.queue == read.queue }, of: read.queue, isEnd: true, at: now)
        }
    }

    /// Makes an engine that has just been started, and has read nothing of the outbox.
    init(startedWith limits: DeliveryEngine.Limits) {
        engine = DeliveryEngine(routes: Self.routes, limits: limits, seed: 1)
    }

    /// Makes an engine that is reading the first messages of a queue.
    static func readingOutbox(limits: DeliveryEngine.Limits = DeliveryEngine.Limits()) -> EngineHarness {
        var harness = EngineHarness(startedWith: limits)
        harness.engine.queuesRead([queue])
        _ = harness.engine.takeActions()
        return harness
    }

    /// A recipient of a page: a device id, and what differs from the usual.
    struct Recipient {
        var device: UInt64?
        var finalOutcome: Outcome?
        var kind = TokenKind.device
        var environment = APNsEnvironment.production
        var token: UInt8 = 1
        var registeredAt: UInt64 = 7
        var attempts: UInt8 = 0
        var dueAt: Timestamp = .zero
    }

    static func page(
        _ recipients: [Recipient], of message: UInt64, _ number: UInt32 = 0, from first: UInt16 = 0,
        addressed: AddressedChunk? = nil, isLast: Bool = false
    ) -> RecipientPage {
        var builder = RecipientPage.Builder(capacity: recipients.count)
        for (index, recipient) in recipients.enumerated() {
            let row = RecipientPage.Recipient(
                position: first + UInt16(index), device: recipient.device.map { DeviceID(rawValue: $0) },
                kind: recipient.kind, environment: recipient.environment, finalOutcome: recipient.finalOutcome,
                registeredAt: Timestamp(milliseconds: recipient.registeredAt), attempts: recipient.attempts,
                dueAt: recipient.dueAt)
            builder.append(row, token: recipient.finalOutcome == nil ? [recipient.token] : [])
        }
        return builder.page(number, of: MessageID(rawValue: message), addressed: addressed, isLast: isLast)
    }

    static func page(
        _ devices: ClosedRange<UInt64>, of message: UInt64, _ number: UInt32 = 0, isLast: Bool = false
    ) -> RecipientPage {
        page(devices.map { Recipient(device: $0) }, of: message, number, isLast: isLast)
    }

    /// Gives the engine the messages of the queue that it asked for.
    ///
    /// - Parameters:
    ///   - last: the last message that was looked at, if it could not be read.
    ///   - isEnd: true if the queue has no more messages.
    mutating func outboxRead(_ ids: [UInt64], upTo last: UInt64? = nil, isEnd: Bool = false) {
        engine.messagesRead(
            ids.map { OutboundMessage.message($0) }, upTo: last.map { MessageID(rawValue: $0) }, of: Self.queue,
            isEnd: isEnd, at: now)
    }

    /// Accepts messages, and gives the engine none of their pages.
    mutating func accept(_ ids: ClosedRange<UInt64>, app: AppID = app, lane: Lane = .interactive) {
        for id in ids { engine.messageAccepted(.message(id, app: app, lane: lane), at: now) }
    }

    /// Takes the actions of the engine, and returns what it asks to read.
    mutating func readRequests() -> [String] {
        let actions = engine.takeActions()
        return (actions.readsQueues ? ["the queues"] : [])
            + actions.messageReads.map { read in
                "messages after \(read.after.map { "\($0)" } ?? "none"), at most \(read.limit)"
            }
            + actions.pageReads.map {
                $0.isNext ? "the next page of \($0.message)" : "page \($0.page) of \($0.message)"
            }
    }

    /// Accepts a message of one page, and gives the page to the engine when it asks for the read.
    mutating func send(_ outbound: OutboundMessage, to recipients: [Recipient]) {
        engine.messageAccepted(outbound, at: now)
        pageRead(recipients, of: outbound.id.rawValue)
    }

    /// Gives the engine the page of a message that it reads; returns false if it reads none.
    ///
    /// - Parameter recipients: nil if the message has no such page.
    @discardableResult
    mutating func pageRead(
        _ recipients: [Recipient]?, of message: UInt64, from first: UInt16 = 0, isLast: Bool = true
    ) -> Bool {
        let reads = engine.takeActions().pageReads.filter { $0.message.rawValue == message }
        for read in reads {
            engine.pageRead(
                recipients.map { Self.page($0, of: message, read.page, from: first, isLast: isLast) }, for: read,
                at: now)
        }
        return !reads.isEmpty
    }

    /// Gives the engine each page that it asks for, until it asks for no more. Its records are on disk at once.
    ///
    /// - Parameter page: returns a page by the number of its message and its own; nil if there is no such page.
    mutating func readPages(_ page: (_ message: UInt64, _ number: UInt32) -> RecipientPage?) {
        while case let reads = takeActions().pageReads, !reads.isEmpty {
            for read in reads { engine.pageRead(page(read.message.rawValue, read.page), for: read, at: now) }
        }
    }

    /// Gives the engine the outbox that it reads from the beginning: these messages of one queue.
    mutating func rereadOutbox(_ entries: [OutboundMessage]) {
        engine.queuesRead([Self.queue])
        for read in engine.takeActions().messageReads {
            engine.messagesRead(entries, of: read.queue, isEnd: true, at: now)
        }
    }

    mutating func send(_ outbound: OutboundMessage, to devices: ClosedRange<UInt64>) {
        send(outbound, to: devices.map { Recipient(device: $0) })
    }

    mutating func pull(_ limit: Int, for pool: PoolKey = .production, bulkLimit: Int = .max) -> [Delivery] {
        var deliveries: [Delivery] = []
        engine.pull(for: pool, PullLimits(limit, bulk: bulkLimit), at: now, into: &deliveries)
        return deliveries
    }

    mutating func complete(
        _ deliveries: [Delivery], _ verdict: Verdict, status: UInt16 = 0, reason: String? = nil,
        uniqueID: String? = nil, for pool: PoolKey = .production
    ) {
        let results = deliveries.map {
            AttemptResult(
                $0.attempt, verdict: verdict, status: status, reason: reason, connection: 7, uniqueID: uniqueID)
        }
        engine.attemptsEnded(results, for: pool, at: now)
    }

    /// Refuses the credential on one connection after the other, until the pool is parked.
    mutating func refuseCredential(of pool: PoolKey = .production) {
        for _ in 0..<2 { engine.credentialRefused(of: pool, reason: "BadCertificate", at: now) }
    }

    /// Takes the actions of the engine, and returns its records in words.
    mutating func records() -> [String] {
        engine.takeActions().records.transcript
    }

    /// Takes the actions of the engine; its records are on disk at once.
    mutating func takeActions() -> DeliveryEngine.Actions {
        let actions = engine.takeActions()
        for record in actions.records { engine.recordWritten(record, at: now) }
        return actions
    }

    /// Lets time pass, then fires the timer as the shell does.
    mutating func advance(_ milliseconds: UInt64) {
        now.wall = now.wall.later(byMilliseconds: milliseconds)
        now.uptime += milliseconds
        engine.timerFired(at: now)
    }
}

extension PoolKey {
    /// The pools of the routes of a harness.
    static let production = PoolKey(destination: .apnsProduction, credential: "key")
    static let sandbox = PoolKey(destination: .apnsSandbox, credential: "key")
}

extension OutboundMessage {
    /// Makes a message with that number.
    static func message(
        _ id: UInt64,
        _ pushType: PushType = .alert,
        app: AppID = EngineHarness.app,
        lane: Lane = .interactive,
        expiration: Expiration = .unspecified,
        sendableSince: UInt64 = 1_790_000_000_000,
        notAfter: UInt64? = nil,
        isLive: Bool = false,
        firstPendingPage: UInt32 = 0,
        pace: UInt32? = nil
    ) -> OutboundMessage {
        OutboundMessage(
            id: MessageID(rawValue: id),
            content: MessageContent(app: app, pushType: pushType, expiration: expiration, payload: Array("{}".utf8)),
            sendableSince: Timestamp(milliseconds: sendableSince),
            notAfter: notAfter.map { Timestamp(milliseconds: $0) },
            lane: lane,
            isLive: isLive,
            firstPendingPage: firstPendingPage,
            pace: pace
        )
    }
}

extension [Delivery] {
    /// The deliveries in order, each as `message>device`.
    var transcript: [String] { map { "\($0.message.id)>\($0.device)" } }

    var tokens: [UInt8] { map { delivery in delivery.page.withToken(at: delivery.index) { $0.first ?? 0 } } }
}

extension [OutcomeRecord] {
    /// The records in words, such as `page 1.0, recipient 3: delivered`.
    var transcript: [String] {
        flatMap { record -> [String] in
            let page = "page \(record.message).\(record.page)"
            return record.endedRecipients.map { "\(page), recipient \($0.position): \($0.outcome)" }
                + record.delays.map { "\(page), recipient \($0.position): waits after attempt \($0.attempts)" }
        }
    }
}
