import CarillonClient
public import CarillonCore

/// A game whose service speaks to Carillon on behalf of its players; what their phones receive is read from APNs.
struct Game {
    let app = AppID("com.example.game")!
    let world: StoryServers
    let client: CarillonClient

    /// Begins in a world of its own.
    init() throws {
        world = try StoryServers()
        client = CarillonClient(
            configuration: .init(
                address: .tcp(host: "127.0.0.1", port: world.port), security: .plaintext, apiKey: world.key))
    }

    // What the service does

    /// Registers a phone, as the app does at each start.
    @discardableResult
    func start(
        on phone: Phone, locale: String? = nil, replacing old: Phone? = nil, attributes: [AttributeChange] = [],
        topics: [TopicName] = []
    ) async throws -> DeviceID {
        try await client.register(
            Registration(
                app: app, address: phone.address, replaces: old?.token, locale: locale, attributes: attributes,
                topics: topics)
        ).id
    }

    /// Registers many phones that share a topic; their ids ascend.
    func crowd(_ count: Int, in topic: TopicName) async throws -> [Phone] {
        let crowd = (1...count).map { Phone(stringLiteral: "crowd \($0)") }
        let registrations = crowd.map {
            Registration(app: app, address: $0.address, locale: "en", topics: [topic])
        }
        for result in await client.register(registrations) { _ = try result.get() }
        return crowd
    }

    /// Joins a player's group and tells his other phones, in three languages.
    func signIn(_ player: GroupName, on phone: Phone) async throws {
        let announcement = try Announcement(
            PushNotification(alert: .init(body: "New sign-in on \(phone)")),
            translations: [
                "de": .init(body: "Neue Anmeldung auf \(phone)"), "zh-Hant": .init(body: "\(phone) 上有新的登入"),
            ])
        let joined = try await client.join(player, devices: [phone.reference], app: app, announcing: announcement)
        if let message = joined.announcement { try await finish(message) }
    }

    /// Leaves a player's group; the phone's own topics end too.
    func signOut(_ player: GroupName, on phone: Phone) async throws {
        try await client.leave(player, devices: [phone.reference], app: app, clearingTopics: true)
    }

    /// Subscribes groups to a topic.
    func subscribe(_ groups: GroupName..., to topic: TopicName) async throws {
        try await client.subscribe(to: [topic], groups: groups, app: app)
    }

    /// Ends what `subscribe` began.
    func unsubscribe(_ groups: GroupName..., from topic: TopicName) async throws {
        try await client.unsubscribe(from: [topic], groups: groups, app: app)
    }

    /// Sends a text, in its translations to who understands them, and waits until every device has its outcome.
    @discardableResult
    func send(
        _ text: String, _ translations: [String: String] = [:], to audience: Audience, except: Phone? = nil
    ) async throws -> [Outcome: UInt64] {
        try await send(content(text, translations), to: audience, except: except)
    }

    /// Sends a content and waits until every device has its outcome.
    @discardableResult
    func send(
        _ content: MessageContent, to audience: Audience, except: Phone? = nil
    ) async throws -> [Outcome: UInt64] {
        let message = Message(content: content, audience: audience, except: except?.reference)
        return try await finish(client.send(message).id)
    }

    /// An alert with a body, or with none for who understands none of its translations.
    func content(_ text: String?, _ translations: [String: String] = [:]) throws -> MessageContent {
        try MessageContent(
            app: app, notification: PushNotification(alert: text.map { .init(body: .plain($0)) }),
            translations: translations.mapValues { .init(body: .plain($0)) }, hasDefault: text != nil)
    }

    /// Waits until every device of a message has its outcome.
    @discardableResult
    func finish(_ message: MessageID) async throws -> [Outcome: UInt64] {
        try await client.waitUntilFinished(message, app: app, timeout: .seconds(60)).outcomes
    }

    // What the phones show

    /// Everything that arrived since this was asked last: which phone showed which texts, in which order.
    func arrivals() throws -> [Phone: [String]] {
        var arrivals: [Phone: [String]] = [:]
        for push in try world.pushes() { arrivals[push.phone, default: []].append(try push.text) }
        return arrivals
    }
}

extension GroupName: ExpressibleByStringLiteral {
    /// The name of a constant in a story; it must be one.
    public init(stringLiteral name: String) { self.init(name)! }
}

extension TopicName: ExpressibleByStringLiteral {
    /// The name of a constant in a story; it must be one.
    public init(stringLiteral name: String) { self.init(name)! }
}
