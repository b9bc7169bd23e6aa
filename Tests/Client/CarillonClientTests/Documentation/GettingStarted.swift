import CarillonClient
import Logging
import Metrics

// The code of the article "Getting started". It is only compiled; `CarillonClientDocumentationTests` compares it with
// the article.

private func connect(logger: Logger) async throws -> CarillonClient {
    // ARTICLE: begin
    var configuration = CarillonClient.Configuration(
        addresses: try CarillonClient.Configuration.addresses("push-1.internal:7474,push-2.internal:7474"),
        security: .tls(authorities: .file("/etc/game/ca.pem")),
        apiKey: .file("/etc/game/carillon.key"))
    configuration.defaultApp = AppID("com.example.game")
    let client = CarillonClient(configuration: configuration, logger: logger)
    try await client.connect()
    // ARTICLE: end
    return client
}

private func send(client: CarillonClient, token: DeviceToken) async throws {
    // ARTICLE: begin
    let game = try client.defaultApp
    let device = try await game.register(
        DeviceAddress(environment: .production, kind: .device, token: token), locale: "de-AT")
    let message = try await game.send(
        .alert(title: "Raid", body: "It begins"), to: .device(device.id),
        translations: ["de": .init(body: "Es beginnt")])
    // ARTICLE: end
    // ARTICLE: begin
    try await game.send(
        .alert(title: "Raid", body: "It begins"), to: .topic("raids"),
        options: .init(lane: .bulk, sendAt: .fromNow(.seconds(600)), pace: 500))
    // ARTICLE: end

    // ARTICLE: begin
    let status = try await game.waitUntilFinished(message.id)
    for (outcome, devices) in status.outcomes { print(outcome, devices) }
    // ARTICLE: end
}

private func follow(
    _ game: AppClient, logger: Logger, _ store: (Event) async throws -> Void
) async throws {
    // ARTICLE: begin
    let events = try await game.events(name: "billing", kinds: [.messageFinished])
    for try await element in events {
        switch element {
        case .event(let event):
            try await store(event)
            try events.acknowledge(upTo: event.sequence)
        case .gap(let missed): logger.warning("events \(missed) are not kept any more")
        case .newHistory: logger.warning("the server has another history")
        }
    }
    // ARTICLE: end
}

private func sendAgain(_ game: AppClient, _ device: RegisterResult) async throws {
    // ARTICLE: begin
    do throws(CarillonError) {
        try await game.send(.alert(body: "Hello"), to: .device(device.id))
    } catch {
        if error.code == .notFound { return }
        if error.isTransient, error.isSafeToRetry, let key = error.key {
            try await game.send(.alert(body: "Hello"), to: .device(device.id), options: .init(key: .bytes(key)))
        }
    }
    // ARTICLE: end
}

private func measure(_ configuration: inout CarillonClient.Configuration) {
    // ARTICLE: begin
    configuration.hooks.onCall = { call in
        let labels = [("operation", call.operation), ("code", call.code?.name ?? "OK")]
        Timer(label: "carillon_call", dimensions: labels).record(duration: call.duration)
    }
    // ARTICLE: end
}

private func close(_ client: CarillonClient) async {
    // ARTICLE: begin
    await client.close()
    // ARTICLE: end
}
