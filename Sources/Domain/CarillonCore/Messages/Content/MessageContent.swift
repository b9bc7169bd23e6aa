/// The content of a message: everything that a provider receives except the token.
public struct MessageContent: Hashable, Sendable {
    /// The app whose devices get the push.
    public var app: AppID
    /// The push type, which decides the token kinds that get the push and the rules of the payload.
    public var pushType: PushType
    /// The priority; nil for the usual one of the push type.
    public var priority: Priority?
    /// How long the provider stores the push.
    public var expiration: Expiration
    /// The collapse id, 1 to 64 bytes: of the pushes with the same id, the device shows only the newest. Nil for none.
    public var collapseID: String?
    /// The JSON object that APNs receives, byte for byte. The messages to FCM and browsers are made from it. In a
    /// content with `bodies`, it is the payload for devices of all other languages; empty if such devices get nothing.
    public var payload: [UInt8]
    /// The payloads in particular languages; at most `maximumBodies`, no language twice.
    public var bodies: [LanguageBody]
    /// The key beside `aps` under which each payload contains the message's id, so that the app can report its arrival.
    /// The id is a decimal string. The key has 1 to 64 bytes, and the payload must not have it already.
    public var idKey: String?
    /// Says what happens to a silent push (push type `background`) that would exceed the silent-push budget.
    public var overBudget: OverBudget
    /// The content for Android devices in place of the message made of the payload; nil for none.
    public var android: AndroidContent?
    /// The content for browsers in place of the message made of the payload; nil for none.
    public var web: WebContent?

    /// The most languages of one content.
    public static let maximumBodies = 64

    /// Makes a content. It is checked only when the message is sent.
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

/// Inserts a message's id into its payload, beside `aps`, so that the app can report its arrival.
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
