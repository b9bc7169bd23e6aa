import CarillonCore
import CarillonDelivery

/// An engine on a desk: a test is its clock, its disk and its connections.
struct EngineDesk {
    static let app = AppID("com.example.game")!
    static let otherApp = AppID("com.example.chat")!
    static let production = PoolKey(environment: .production, credential: "key")
    static let sandbox = PoolKey(environment: .sandbox, credential: "key")
    static let routes = Routes([app: [.production: production, .sandbox: sandbox]])

    var engine: DeliveryEngine
    var now = Moment(wall: Timestamp(milliseconds: 1_790_000_000_000), uptimeMilliseconds: 1_000)

    /// An engine that has read an outbox without messages.
    init(
        routes: Routes = routes,
        limits: DeliveryEngine.Limits = DeliveryEngine.Limits(),
        policy: RetryPolicy = RetryPolicy(),
        outbox: [OutboxEntry] = []
    ) {
        engine = DeliveryEngine(routes: routes, limits: limits, policy: policy, seed: 1)
        _ = engine.takeEffects()
        engine.messagesRead(outbox, wasLast: true, at: now)
    }

    static func entry(
        _ id: UInt64,
        _ pushType: PushType = .alert,
        app: AppID = app,
        lane: Lane = .interactive,
        pages: UInt32 = 1,
        expiration: Expiration = .unspecified,
        acceptedAt: UInt64 = 1_790_000_000_000,
        notAfter: UInt64? = nil
    ) -> OutboxEntry {
        OutboxEntry(
            id: MessageID(rawValue: id),
            content: MessageContent(app: app, pushType: pushType, expiration: expiration, payload: Array("{}".utf8)),
            acceptedAt: Timestamp(milliseconds: acceptedAt),
            notAfter: notAfter.map { Timestamp(milliseconds: $0) },
            lane: lane,
            pages: pages
        )
    }

    /// A recipient in words: a device id, and what is special about it.
    struct Row {
        var device: UInt64?
        var state: DeviceState? = .active
        var environment = Environment.production
        var kind = TokenKind.device
        var token: UInt8 = 1
    }

    static func page(_ rows: [Row], of message: UInt64, _ number: UInt32 = 0, from first: UInt16 = 0) -> RecipientPage {
        var builder = RecipientPage.Builder(capacity: rows.count)
        for (index, row) in rows.enumerated() {
            let recipient = RecipientPage.Recipient(
                position: first + UInt16(index), device: row.device.map { DeviceID(rawValue: $0) }, state: row.state,
                environment: row.environment, kind: row.kind, registeredAt: Timestamp(milliseconds: 7))
            builder.append(recipient, token: row.state == nil ? [] : [row.token])
        }
        return builder.page(number, of: MessageID(rawValue: message))
    }

    static func page(_ devices: ClosedRange<UInt64>, of message: UInt64, _ number: UInt32 = 0) -> RecipientPage {
        page(devices.map { Row(device: $0) }, of: message, number)
    }

    /// Accepts a message of one page and hands that page over when it is asked for.
    mutating func send(_ entry: OutboxEntry, to rows: [Row]) {
        engine.messageAccepted(entry, at: now)
        for read in engine.takeEffects().reads where read.message == entry.id {
            engine.pageRead(Self.page(rows, of: entry.id.rawValue, read.page), read, at: now)
        }
    }

    mutating func send(_ entry: OutboxEntry, to devices: ClosedRange<UInt64>) {
        send(entry, to: devices.map { Row(device: $0) })
    }

    mutating func pull(_ limit: Int, for pool: PoolKey = production) -> [Delivery] {
        var deliveries: [Delivery] = []
        engine.pull(for: pool, limit: limit, at: now, into: &deliveries)
        return deliveries
    }

    mutating func complete(_ deliveries: [Delivery], _ verdict: Verdict) {
        engine.completed(deliveries.map { DeliveryResult($0, verdict) }, at: now)
    }

    /// What the engine wants written, in words: `message.page: position outcome`.
    mutating func records() -> [String] {
        engine.takeEffects().records.flatMap(Self.words)
    }

    static func words(_ record: OutcomeRecord) -> [String] {
        record.entries.map { "\(record.message).\(record.page): \($0.position) \($0.outcome)" }
    }

    /// Lets time pass, then fires the timer as the shell does.
    mutating func advance(_ milliseconds: UInt64) {
        now.wall = now.wall.advanced(byMilliseconds: milliseconds)
        now.uptimeMilliseconds += milliseconds
        engine.timerFired(at: now)
    }
}

extension [Delivery] {
    /// `message>device` of each, in order.
    var words: [String] { map { "\($0.message.id)>\($0.device)" } }

    /// The first byte of each token.
    var tokens: [UInt8] { map { delivery in delivery.page.withToken(at: delivery.index) { $0.first ?? 0 } } }
}
