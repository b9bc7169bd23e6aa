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

private func registeringMany(_ game: AppClient, tokens: [DeviceToken]) async {
    let batch = tokens.map { token in
        Registration(app: game.app, address: DeviceAddress(environment: .production, kind: .device, token: token))
    }
    for (registration, result) in zip(batch, await game.register(batch)) {
        if case .failure(let error) = result { print(registration.address.token, "was refused:", error) }
    }
}

private func showingDevices(_ game: AppClient, phone: RegisterResult) async throws {
    if try await game.unregister(.id(phone.id)) == nil { print("the device was not registered") }

    let device = try await game.lookup(.id(phone.id))
    print(device.platform, device.locale ?? "no locale", device.isMuted ? "muted" : "not muted")

    try await game.update(.id(phone.id), with: DeviceUpdate(locale: "de-AT", isMuted: false))

    let memberships = try await game.memberships(of: .id(phone.id))
    for row in memberships.groups { print("in the group", row.group) }

    for try await row in game.topics(of: .id(phone.id)) where row.source == nil { print("subscribed:", row.topic) }

    try await game.restore(.id(phone.id))

    for try await device in game.quarantinedDevices() { print("dead token:", device) }

    for try await device in game.devices() where device.locale == nil { print("no locale:", device.id) }
}

private func grouping(_ game: AppClient, phone: RegisterResult) async throws {
    let account = GroupName("user/42")!
    let result = try await game.join(account, devices: [.id(phone.id)])
    if result.joined == 0 { print("the device was in the group already") }

    try await game.leave(account, devices: [.id(phone.id)], clearingTopics: true)

    try await game.switchGroup(of: .id(phone.id), from: GroupName("hero/1")!, to: GroupName("hero/2")!)

    let devices = try await game.setMuted(true, group: account)
    print(devices, "devices are muted")

    for try await device in game.devices(of: account) { print(device) }

    for try await topic in game.topics(of: account) { print(topic) }
}

private func showingTopics(_ game: AppClient, phone: RegisterResult) async throws {
    try await game.unsubscribe(from: [TopicName("raids")!], devices: [.id(phone.id)])

    for try await topic in game.topics(prefix: "raids") { print(topic.topic, topic.devices) }

    let explanation = try await game.explain(Condition("'raids' in topics && locale == 'de'"))
    print(explanation.condition, "matches", explanation.devices, "devices")
}

private func showingMessages(_ game: AppClient, message: SendResult, phone: RegisterResult) async throws {
    for try await message in game.messages(state: .sending) { print(message.id, message.ended, message.total) }

    for try await recipient in game.outcomes(of: message.id) where recipient.outcome != .delivered {
        print(recipient.outcome)
    }

    let trace = try await game.trace(message.id, device: .id(phone.id))
    print(trace.outcome, "after", trace.attempts.count, "attempts")

    let copy = try await game.resend(message.id, to: [.expired, .gaveUp], notAfter: .fromNow(.seconds(3_600)))
    print(copy.id, "for", copy.total, "devices")

    try await game.reportReceipts([Receipt(message: message.id, device: .id(phone.id), kind: .opened)])

    for try await device in game.devices(withReceipt: .opened, of: message.id) { print(device) }
}

private func followingOneApp(_ game: AppClient) async throws {
    for try await element in try await game.events(kinds: [.messageFinished]) {
        if case .event(let event) = element { print(event.message?.description ?? "no message") }
    }
}

private func managingChannels(_ game: AppClient) async throws {
    let channel = try await game.createChannel(in: .production, storagePolicy: .mostRecent)

    let policy = try await game.channelStoragePolicy(of: channel, in: .production)

    for try await channel in game.channels(in: .production) { print(channel) }

    try await game.deleteChannel(channel, in: .production)
    _ = policy
}

private func sendingPayload(_ game: AppClient) async throws {
    let payload = Array(#"{"aps":{"alert":"It begins"},"raid":7}"#.utf8)
    try await game.send(payload: payload, to: .topic("raids"))
}

private func changing(_ game: AppClient, message: SendResult) async throws {
    let status = try await game.status(of: message.id)
    print(status.state, status.outcomes[.delivered, default: 0], "of", status.total)

    try await game.updateMessage(message.id, with: .pause)
}

private func opening(_ configuration: CarillonClient.Configuration) async throws {
    let client = CarillonClient(configuration: configuration)
    try await client.connect()
    print(try await client.serverInfo().software, "answers after", try await client.ping())
    await client.close()
}

private func readingOwnWrites(writer: CarillonClient, reader: CarillonClient, phone: RegisterResult) async throws {
    if let position = writer.position { reader.readAfter(position) }
    let device = try await reader.app("com.example.game").lookup(.id(phone.id))
    _ = device
}

private func observing(_ client: CarillonClient) async throws {
    let statistics = try await client.statistics(limit: 10)
    for message in statistics.sending { print(message) }
}
