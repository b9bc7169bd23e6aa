import CarillonClient

// The examples in doc comments. They are only compiled; `CarillonClientDocumentationTests` compares them with the
// comments.

private func connecting(digits: String) async throws {
    try await withCarillonClient(
        configuration: .init(
            addresses: [.tcp(host: "push-1.internal", port: 7474), .tcp(host: "push-2.internal", port: 7474)],
            security: .tls(authorities: .file("/etc/carillon/ca.pem")),
            apiKey: .file("/etc/carillon/game.key")
        )
    ) { client in
        let game = client.app("com.example.game")
        let address = DeviceAddress(environment: .production, kind: .device, token: DeviceToken(hex: digits)!)
        let device = try await game.register(address)
        let accepted = try await game.send(.alert(body: "Hello"), to: .device(device.id))
        print(try await game.waitUntilFinished(accepted.id).outcomes)
    }
}

private func connectingBySettings() async throws -> UInt64 {
    let configuration = try CarillonClient.Configuration.fromEnvironment()
    let phones = try await withCarillonClient(configuration: configuration) { client in
        try await client.app("com.example.game").explain(Condition("'raids' in topics")).devices
    }
    return phones
}

private func configuring() {
    var configuration = CarillonClient.Configuration(
        addresses: [.tcp(host: "push-1.internal", port: 7474), .tcp(host: "push-2.internal", port: 7474)],
        security: .tls(authorities: .file("/etc/carillon/ca.pem")),
        apiKey: .file("/etc/carillon/game.key"))
    configuration.requestTimeout = .seconds(3)
    configuration.defaultApp = AppID("com.example.game")

    configuration.hooks.onCall = { call in
        if let code = call.code { print(call.operation, "failed:", code, "after", call.attempts, "attempts") }
    }
    configuration.hooks.onState = { state in
        if case .refused(let address, let error) = state { print(address, "refuses this client:", error) }
    }
}

private func calling(_ client: CarillonClient) {
    let hasty = client.with(timeout: .seconds(1)).withoutRetries()
    _ = hasty
}

private func callsAboutOneApp(_ client: CarillonClient, address: DeviceAddress) async throws {
    let game = client.app("com.example.game")
    let phone = try await game.register(address, topics: [TopicName("raids")!])
    let message = try await game.send(.alert(title: "Raid", body: "21:00"), to: .topic("raids"))
    print(try await game.waitUntilFinished(message.id).outcomes)
    _ = phone
}

private func registering(_ game: AppClient, token: DeviceToken) async throws {
    let phone = try await game.register(
        DeviceAddress(environment: .production, kind: .device, token: token),
        locale: "de-AT", topics: [TopicName("raids")!])
    if phone.result == .created { print("a new device:", phone.id) }

    let raids = TopicName("raids")!
    let result = try await game.subscribe(to: [raids], devices: [.id(phone.id)], groups: [GroupName("guild/7")!])
    print(result.changed, "new subscriptions")
}

private func sending(_ game: AppClient) async throws {
    let message = try await game.send(
        .alert(title: "Raid", body: "It begins"), to: .topic("raids"),
        translations: ["de": .init(title: "Überfall", body: "Es beginnt")])
    print(message.id, "for", message.total, "devices")

    let status = try await game.waitUntilFinished(message.id, timeout: .seconds(300))
    for (outcome, devices) in status.outcomes { print(outcome, devices) }

    try await game.send(.alert(body: "21:00"), to: .topic("raids"), options: .init(lane: .bulk, pace: 500))
}

private func sendingAgain(_ game: AppClient, notification: PushNotification) async throws {
    do throws(CarillonError) {
        try await game.send(notification, to: .topic("raids"))
    } catch {
        guard error.isTransient, error.isSafeToRetry, let key = error.key else { throw error }
        try await game.send(notification, to: .topic("raids"), options: .init(key: .bytes(key)))
    }
}

private func notification() -> PushNotification {
    var notification = PushNotification(alert: .init(title: "Raid", body: "It begins"), badge: 1, sound: .system)
    notification.interruptionLevel = .timeSensitive
    notification.data = ["raid": 7, "place": "The keep"]
    return notification
}

private func audiences(phone: RegisterResult, address: DeviceAddress) throws -> [Audience] {
    let players = Audience.devices([.id(phone.id), .address(address)])
    let guild = Audience.groups([GroupName("guild/7")!])
    let germans = Audience.condition(try Condition("'raids' in topics && locale == 'de'"))
    return [players, guild, germans]
}

private func listing(_ game: AppClient, _ client: CarillonClient, app: AppID, message: MessageID) async throws -> Int {
    for try await recipient in client.outcomes(of: message, app: app) where recipient.outcome != .delivered {
        print(recipient.outcome)
    }
    for try await group in client.groups(of: app, prefix: "guild/") { print(group.group, group.devices) }
    for try await group in game.groups(prefix: "guild/") where group.isMuted { print(group.group) }
    let devices = try await game.devices(in: TopicName("raids")!).reduce(0) { count, _ in count + 1 }
    return devices
}

private func following(_ client: CarillonClient, _ store: (Event) async throws -> Void) async throws {
    let events = try await client.events(name: "billing", kinds: [.messageFinished])
    for try await element in events {
        guard case .event(let event) = element else { continue }
        try await store(event)
        try events.acknowledge(upTo: event.sequence)
    }
}
