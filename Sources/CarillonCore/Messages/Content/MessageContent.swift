/// The content of a message: everything that a provider receives except the token.
public struct MessageContent: Hashable, Sendable {
    /// The app.
    public var app: AppID
    /// The kind of push.
    public var pushType: PushType
    /// The priority; nil for the usual one of the push type.
    public var priority: Priority?
    /// The time for which the provider stores the push.
    public var expiration: Expiration
    /// The collapse id: of the pushes with the same one, the device shows only the newest. 1 to 64 bytes.
    public var collapseID: String?
    /// The JSON object that APNs receives, byte for byte; what FCM and browsers receive is made of it. In a content of
    /// several languages it is the one for devices with another language; empty if such devices get nothing.
    public var payload: [UInt8]
    /// The payloads in particular languages; at most `maximumBodies`, no language twice.
    public var bodies: [LanguageBody]
    /// A key beside `aps` under which each payload contains the message's id, as a decimal string, so that the app can
    /// report its arrival. 1 to 64 bytes; the payload must not have the key already.
    public var idKey: String?
    /// The treatment of a silent push (push type `background`) that would exceed the silent-push budget.
    public var overBudget: OverBudget
    /// What Android devices get instead of what is made of the payload; nil for nothing.
    public var android: AndroidContent?
    /// What browsers get instead of what is made of the payload; nil for nothing.
    public var web: WebContent?

    /// The most languages of one content.
    public static let maximumBodies = 64

    /// Nothing is checked before the message is sent.
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
    /// The payload of a body (0 = `payload`, n = `bodies[n − 1]`), with the message's id if `idKey` is set.
    package func payload(of body: UInt8, message: MessageID) -> [UInt8] {
        let payload = body > 0 && Int(body) <= bodies.count ? bodies[Int(body) - 1].payload : payload
        return idKey.map { PayloadID.insert(message, under: $0, into: payload) } ?? payload
    }
}

/// A payload in one language.
public struct LanguageBody: Hashable, Sendable {
    /// A language tag (RFC 5646), 2 to 35 bytes.
    public var language: String
    /// The JSON object, as that of the content.
    public var payload: [UInt8]

    /// Neither the tag nor the JSON is checked before the message is sent.
    public init(language: String, payload: [UInt8]) {
        self.language = language
        self.payload = payload
    }
}
