import CarillonClient
public import CarillonCore

/// A game: its service is a client of Carillon, and the simulator records what the phones of its players receive.
struct Game {
    let app = AppID("com.example.game")!
    let servers: StoryServers
    let client: CarillonClient

    /// Starts servers of its own.
    init() async throws {
        servers = try await StoryServers()
        client = CarillonClient(
            configuration: .init(
                address: .tcp(host: "127.0.0.1", port: servers.port), security: .plaintext, apiKey: .value(servers.key))
        )
    }

    // MARK: The service

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

    /// Adds a phone to the group of a player, and announces that to the other phones of the group in three languages.
    func signIn(_ player: GroupName, on phone: Phone) async throws {
        let announcement = try Announcement(
            PushNotification(alert: .init(body: "New sign-in on \(phone)")),
            translations: [
                "de": .init(body: "Neue Anmeldung auf \(phone)"), "zh-Hant": .init(body: "\(phone) 上有新的登入"),
            ])
        let joined = try await client.join(player, devices: [phone.reference], app: app, announcing: announcement)
        if let message = joined.announcement { try await finish(message) }
    }

    /// Removes a phone from the group of a player and from its own topics.
    func signOut(_ player: GroupName, on phone: Phone) async throws {
        try await client.leave(player, devices: [phone.reference], app: app, clearingTopics: true)
    }

    func subscribe(_ groups: GroupName..., to topic: TopicName) async throws {
        try await client.subscribe(to: [topic], groups: groups, app: app)
    }

    func unsubscribe(_ groups: GroupName..., from topic: TopicName) async throws {
        try await client.unsubscribe(from: [topic], groups: groups, app: app)
    }

    /// Sends a text with translations, and waits until every device has its outcome.
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
        let message = Message(content: content, audience: audience, excludedDevice: except?.reference)
        return try await finish(client.send(message).id)
    }

    /// Makes an alert with translations; without `text`, devices whose language has no translation get none.
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

    // MARK: The phones

    /// Returns the texts that each phone has shown since the last call, in order.
    func arrivals() throws -> [Phone: [String]] {
        var arrivals: [Phone: [String]] = [:]
        for push in try servers.pushes() { arrivals[push.phone, default: []].append(try push.text) }
        return arrivals
    }
}

extension GroupName: ExpressibleByStringLiteral {
    /// Makes a name that is a constant in a test; it must be valid.
    public init(stringLiteral name: String) { self.init(name)! }
}

extension TopicName: ExpressibleByStringLiteral {
    /// Makes a name that is a constant in a test; it must be valid.
    public init(stringLiteral name: String) { self.init(name)! }
}
