/// The server's number for an accepted message; grows with each, never 0.
public struct MessageID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number.
    public let rawValue: UInt64

    /// Makes an id of its number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Orders by number, which is the order of acceptance.
    public static func < (left: MessageID, right: MessageID) -> Bool { left.rawValue < right.rawValue }

    /// The number in decimal.
    public var description: String { String(rawValue) }
}

/// Sixteen bytes: an idempotency key, an `apns-id`, an epoch.
public struct UUIDBytes: Hashable, Sendable, CustomStringConvertible {
    /// The first eight bytes, most significant first.
    public let high: UInt64
    /// The last eight bytes, most significant first.
    public let low: UInt64

    /// Makes it of its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// All bytes 0: "none" where a key is optional.
    public static let zero = UUIDBytes(high: 0, low: 0)

    /// A random one (RFC 9562 version 4).
    public static func random() -> UUIDBytes {
        var generator = SystemRandomNumberGenerator()
        return UUIDBytes(
            high: generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
            low: generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        )
    }

    /// The 16 bytes, most significant first.
    public var bytes: [UInt8] {
        [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
    }

    /// Lower case, 8-4-4-4-12.
    public var description: String {
        let digits = Array(Hex.string(bytes))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    /// Reads 32 hexadecimal digits, alone or as 8-4-4-4-12.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard [[32], [8, 4, 4, 4, 12]].contains(parts.map(\.utf8.count)), let bytes = Hex.bytes(parts.joined()),
            bytes.count == 16
        else { return nil }
        func half(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(high: half(bytes[0..<8]), low: half(bytes[8..<16]))
    }
}

/// What is said to each device of a message: everything that APNs is told but the token.
public struct MessageContent: Hashable, Sendable {
    /// The app.
    public var app: AppID
    /// The kind of push.
    public var pushType: PushType
    /// The priority, or nothing for the usual one of the push type.
    public var priority: Priority?
    /// How long APNs keeps it.
    public var expiration: Expiration
    /// Pushes of one collapse id replace each other on the device. 1 to 64 bytes.
    public var collapseID: String?
    /// The JSON object that APNs is given, byte for byte; of a content in several languages the one for devices whose
    /// language is none of them, and then empty if such devices get nothing.
    public var payload: [UInt8]
    /// The payloads of other languages; at most `bodyLimit`, no language twice.
    public var bodies: [LanguageBody]
    /// A key beside `aps` under which each payload bears the message's id, in decimal, as a string; so that the app can tell
    /// that it has arrived. 1 to 64 bytes, and not in the payload already.
    public var idKey: String?
    /// Of a silent push (push type background): what happens when it would exceed the budget of a device.
    public var overBudget: OverBudget

    /// Languages of one content at most.
    public static let bodyLimit = 64

    /// Makes a content.
    public init(
        app: AppID,
        pushType: PushType,
        priority: Priority? = nil,
        expiration: Expiration = .unspecified,
        collapseID: String? = nil,
        payload: [UInt8],
        bodies: [LanguageBody] = [],
        idKey: String? = nil,
        overBudget: OverBudget = .drop
    ) {
        self.app = app
        self.pushType = pushType
        self.priority = priority
        self.expiration = expiration
        self.collapseID = collapseID
        self.payload = payload
        self.bodies = bodies
        self.idKey = idKey
        self.overBudget = overBudget
    }
}

extension MessageContent {
    /// What APNs is given of that payload (0 = `payload`, n = `bodies[n − 1]`), with the message's id in it if it bears one.
    package func payload(of body: UInt8, message: MessageID) -> [UInt8] {
        let payload = body > 0 && Int(body) <= bodies.count ? bodies[Int(body) - 1].payload : payload
        return idKey.map { PayloadID.insert(message, under: $0, into: payload) } ?? payload
    }
}

/// A payload in one language.
public struct LanguageBody: Hashable, Sendable {
    /// A language tag (RFC 5646), 2 to 35 bytes.
    public var language: String
    /// The JSON object that APNs is given, byte for byte.
    public var payload: [UInt8]

    /// Makes a body.
    public init(language: String, payload: [UInt8]) {
        self.language = language
        self.payload = payload
    }
}

/// A send as a caller asks for it (Protocol 8.1): audience, content and options.
public struct Message: Hashable, Sendable {
    /// The idempotency key; zero is none.
    public var key: UUIDBytes
    /// What is said.
    public var content: MessageContent
    /// To whom.
    public var audience: Audience
    /// Somebody who is left out of the audience.
    public var except: DeviceReference?
    /// After it no attempt starts.
    public var notAfter: Timestamp?
    /// Which queue it waits in.
    public var lane: Lane
    /// When it is to be sent; absent or past = at once. Who it reaches is decided then.
    public var sendAt: Timestamp?
    /// Deliveries a second at most; at least 1.
    public var pace: UInt32?
    /// Everything is checked and counted, nothing is stored or sent.
    public var isDryRun: Bool

    /// Makes a message.
    public init(
        key: UUIDBytes = .zero,
        content: MessageContent,
        audience: Audience,
        except: DeviceReference? = nil,
        notAfter: Timestamp? = nil,
        lane: Lane = .interactive,
        sendAt: Timestamp? = nil,
        pace: UInt32? = nil,
        isDryRun: Bool = false
    ) {
        self.key = key
        self.content = content
        self.audience = audience
        self.except = except
        self.sendAt = sendAt
        self.pace = pace
        self.isDryRun = isDryRun
        self.notAfter = notAfter
        self.lane = lane
    }
}

extension Message {
    /// Makes a message to devices by name.
    public init(
        key: UUIDBytes = .zero,
        content: MessageContent,
        devices: [DeviceReference],
        notAfter: Timestamp? = nil,
        lane: Lane = .interactive
    ) {
        self.init(key: key, content: content, audience: .devices(devices), notAfter: notAfter, lane: lane)
    }
}

/// The answer to a send (Protocol 8.1).
public struct Acceptance: Hashable, Sendable {
    /// The number of the message.
    public var id: MessageID
    /// Whether the key was known and this is the first answer again.
    public var isDuplicate: Bool
    /// Devices addressed.
    public var total: UInt32
    /// Of these, how many had an outcome at once.
    public var ended: UInt32

    /// Makes an answer.
    public init(id: MessageID, isDuplicate: Bool, total: UInt32, ended: UInt32) {
        self.id = id
        self.isDuplicate = isDuplicate
        self.total = total
        self.ended = ended
    }
}

/// How far a message has come (Protocol 8.2).
public enum MessageState: UInt8, Hashable, Sendable {
    /// Accepted; nothing attempted yet.
    case waiting = 1
    /// Some devices have an outcome, some have not.
    case sending = 2
    /// Every device has an outcome.
    case finished = 3
    /// Accepted; its time has not come.
    case scheduled = 4
    /// Paused.
    case paused = 5

    /// The name used in files and output.
    public var name: String { String(describing: self) }
}

/// A message's progress (Protocol 8.2).
public struct MessageStatus: Hashable, Sendable {
    /// How far it has come.
    public var state: MessageState
    /// When it was accepted.
    public var acceptedAt: Timestamp
    /// When the last device got its outcome; zero before.
    public var finishedAt: Timestamp
    /// Devices addressed.
    public var total: UInt64
    /// Devices by outcome, pending ones included; the sum is `total`.
    public var outcomes: [Outcome: UInt64]
    /// When it is to be sent, if it was scheduled.
    public var sendAt: Timestamp?
    /// Deliveries a second at most, if there is a bound.
    public var pace: UInt32?
    /// Devices that have ended in the last second, about; only while it is sent.
    public var rate: UInt32?
    /// Devices whose app has told that it got the message.
    public var received: UInt64
    /// Devices on which somebody has opened it.
    public var opened: UInt64
    /// Whom it is addressed to: a condition, or nothing for a list of devices.
    public var audience: String?

    /// Milliseconds until it ends at this rate, while it is sent.
    public var remainingMilliseconds: UInt64? {
        guard let rate, rate > 0, let pending = outcomes[.pending] else { return nil }
        let (product, overflow) = pending.multipliedReportingOverflow(by: 1_000)
        return overflow ? nil : product / UInt64(rate)
    }

    /// Makes a status.
    public init(
        state: MessageState,
        acceptedAt: Timestamp,
        finishedAt: Timestamp,
        total: UInt64,
        outcomes: [Outcome: UInt64],
        sendAt: Timestamp? = nil,
        pace: UInt32? = nil,
        rate: UInt32? = nil,
        received: UInt64 = 0,
        opened: UInt64 = 0,
        audience: String? = nil
    ) {
        self.state = state
        self.acceptedAt = acceptedAt
        self.finishedAt = finishedAt
        self.total = total
        self.outcomes = outcomes
        self.sendAt = sendAt
        self.pace = pace
        self.rate = rate
        self.received = received
        self.opened = opened
        self.audience = audience
    }
}

/// A message in a list of them.
public struct MessageSummary: Hashable, Sendable {
    /// The message.
    public var id: MessageID
    /// How far it has come.
    public var state: MessageState
    /// When it was accepted.
    public var acceptedAt: Timestamp
    /// The kind of push.
    public var pushType: PushType
    /// Which queue it waits in.
    public var lane: Lane
    /// Devices addressed.
    public var total: UInt64
    /// Of these, how many have an outcome.
    public var ended: UInt64

    /// Makes a row.
    public init(
        id: MessageID, state: MessageState, acceptedAt: Timestamp, pushType: PushType, lane: Lane, total: UInt64,
        ended: UInt64
    ) {
        self.id = id
        self.state = state
        self.acceptedAt = acceptedAt
        self.pushType = pushType
        self.lane = lane
        self.total = total
        self.ended = ended
    }
}

/// One device of a message and how it ended (Protocol 8.3).
public struct RecipientOutcome: Hashable, Sendable {
    /// The device, or nil if the caller named a token that was not registered.
    public var device: DeviceID?
    /// How it ended, or pending.
    public var outcome: Outcome

    /// Makes a pair.
    public init(device: DeviceID?, outcome: Outcome) {
        self.device = device
        self.outcome = outcome
    }
}

/// A page of a message's recipients (Protocol 8.3).
public struct RecipientOutcomePage: Hashable, Sendable {
    /// Where the next page begins; 0 = this was the last.
    public var next: UInt64
    /// Ascending by device id.
    public var recipients: [RecipientOutcome]

    /// Makes a page.
    public init(next: UInt64, recipients: [RecipientOutcome]) {
        self.next = next
        self.recipients = recipients
    }
}
