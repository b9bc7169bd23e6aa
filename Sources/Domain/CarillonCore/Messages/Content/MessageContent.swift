/// The content of a message: everything that a provider receives except the token.
public struct MessageContent: Hashable, Sendable {
    /// The app whose devices get the push.
    public var app: AppID
    /// The push type, which decides the token kinds that get the push and the rules of the payload.
    public var pushType: PushType
    /// The priority; nil for the usual one of the push type.
    public var priority: Priority?
    /// The time for which the provider stores the push.
    public var expiration: Expiration
    /// The collapse id, 1 to 64 bytes: of the pushes with the same one, the device shows only the newest. nil for no
    /// collapse id.
    public var collapseID: String?
    /// The JSON object that APNs receives, byte for byte; the messages to FCM and browsers are made of it. In a content
    /// of several languages it is the payload for devices with another language; empty if such devices get nothing.
    public var payload: [UInt8]
    /// The payloads in particular languages; at most `maximumBodies`, no language twice.
    public var bodies: [LanguageBody]
    /// The key beside `aps` under which each payload contains the message's id, so that the app can report its arrival.
    /// The id is a decimal string. The key has 1 to 64 bytes, and the payload must not have it already.
    public var idKey: String?
    /// The treatment of a silent push (push type `background`) that would exceed the silent-push budget.
    public var overBudget: OverBudget
    /// The content for Android devices in place of the message made of the payload; nil for none.
    public var android: AndroidContent?
    /// The content for browsers in place of the message made of the payload; nil for none.
    public var web: WebContent?

    /// The most languages of one content.
    public static let maximumBodies = 64

    /// Makes a content. It is checked when the message is sent, and not before.
    public init(
        app: AppID,
        pushType: PushType,
        priority: Priority? = nil,
        expiration: Expiration = .unspecified,
        collapseID: String? = nil,
        payload: [UInt8],
        bodies: [LanguageBody] = [],
        idKey: String? = nil,
        overBudget: OverBudget = .drop,
        android: AndroidContent? = nil,
        web: WebContent? = nil
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
        self.android = android
        self.web = web
    }
}

extension MessageContent {
    /// Returns the payload at an index (0 = `payload`, n = `bodies[n − 1]`), with the message's id if `idKey` is set.
    package func payload(at index: UInt8, message: MessageID) -> [UInt8] {
        let payload = index > 0 && Int(index) <= bodies.count ? bodies[Int(index) - 1].payload : payload
        return idKey.map { PayloadID.insert(message, under: $0, into: payload) } ?? payload
    }
}

extension MessageContent {
    /// Returns the outcome that a recipient has without an attempt; nil if an attempt is to be made.
    ///
    /// - Parameters:
    ///   - state: the state of the device; nil if it is not registered.
    ///   - kind: the kind of its token.
    ///   - hasLeft: true if it was in the audience when its page was fixed, and is no longer.
    ///   - isMuted: true if the device or a group that it is in is muted.
    ///   - payloadIndex: its payload, chosen by `PayloadChoice`; nil if none fits.
    package func finalOutcome(
        state: DeviceState?, kind: TokenKind, hasLeft: Bool = false, isMuted: Bool = false, payloadIndex: UInt8?
    ) -> Outcome? {
        guard let state else { return .unregistered }
        if state == .quarantined { return .quarantined }
        if !pushType.reaches(kind) { return .wrongKind }
        if hasLeft { return .left }
        if isMuted { return .muted }
        return payloadIndex == nil ? .noLanguage : nil
    }
}

/// The insertion of a message's id into its payload, beside `aps`, so that the app can report its arrival.
enum PayloadID {
    /// Returns the most bytes that the insertion adds: key and value in quotes, a colon and a comma.
    static func maximumBytes(of key: String) -> Int { key.utf8.count + 20 + 6 }

    /// Returns the payload, a JSON object, with the id as its first member.
    static func insert(_ id: MessageID, under key: String, into payload: [UInt8]) -> [UInt8] {
        guard let open = payload.firstIndex(of: UInt8(ascii: "{")) else { return payload }
        let remainder = payload[(open + 1)...]
        let isEmpty = remainder.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "}")
        return Array(payload[...open]) + Array("\"\(key)\":\"\(id)\"\(isEmpty ? "" : ",")".utf8) + Array(remainder)
    }
}

/// The time for which the provider stores a push that it cannot deliver at once.
public enum Expiration: Hashable, Sendable {
    /// The time that the provider decides; APNs stores the push for up to 30 days.
    case unspecified
    /// No time: the provider makes one attempt and does not store the push.
    case once
    /// The time until that second of UNIX time.
    case at(seconds: UInt64)
}

/// A payload in one language.
public struct LanguageBody: Hashable, Sendable {
    /// The language tag (RFC 5646), 2 to 35 bytes.
    public var language: String
    /// The JSON object of the payload in this language.
    public var payload: [UInt8]

    /// Makes a body. Its tag and its JSON are checked when the message is sent, and not before.
    public init(language: String, payload: [UInt8]) {
        self.language = language
        self.payload = payload
    }
}

/// The treatment of a silent push that would exceed the budget of its device.
public enum OverBudget: UInt8, Hashable, Sendable {
    /// The delivery ends as `over-budget`.
    case drop = 1
    /// The delivery waits until the budget allows it; it expires if that is after the message's `notAfter`.
    case wait = 2
}

/// The content for Android devices alone, beside the payload that all devices share (Protocol 10.1).
public enum AndroidContent: Hashable, Sendable {
    /// The members of `message.android` (`AndroidConfig` of FCM's REST reference), as JSON. They override the message
    /// that is made of the payload, member by member; null removes one.
    case overrides([UInt8])
    /// The whole `message` but its target, as JSON: nothing is made of the payload.
    case raw([UInt8])

    /// The largest JSON of either, in bytes.
    public static let maximumBytes = 8_192

    package var byteCount: Int {
        switch self {
        case .overrides(let bytes), .raw(let bytes): bytes.count
        }
    }
}

/// The content for browsers alone, beside the payload that all devices share (Protocol 10.1).
public enum WebContent: Hashable, Sendable {
    /// A JSON object. The members of `notification` override the members of the declarative push message that is made
    /// of the payload. `mutable`, `ttl`, `urgency` and `topic` override the values of the other fields. Null removes a
    /// value.
    case overrides([UInt8])
    /// The whole plaintext, a JSON object: nothing is made of the payload. The service worker of the app reads it.
    case raw([UInt8])

    /// The largest JSON of either, in bytes. A push service takes 3,993 of them.
    public static let maximumBytes = 4_096

    package var byteCount: Int {
        switch self {
        case .overrides(let bytes), .raw(let bytes): bytes.count
        }
    }
}
