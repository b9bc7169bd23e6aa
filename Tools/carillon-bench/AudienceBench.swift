import ArgumentParser
import CarillonClient
import CarillonClock
import CarillonCore
import CarillonSimulatorControl
import Foundation
import NIOCore

/// The bench of counting, subscribing and sending on a server with many devices. The ids are 1 to `devices`, the topics
/// `half`, `tenth` and `thousandth` have these shares of the devices, and each device has a locale.
struct AudienceBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audience",
        abstract: "Measures conditions, subscriptions and the first delivery on a server with many devices."
    )

    @Option(help: "Port of the server on this machine.") var port: Int
    @Option(help: "File of the API key.") var apiKeyFile: String
    @Option(help: "Control port of the APNs simulator.") var controlPort: Int
    @Option(help: "Bundle id.") var app = "com.example.game"
    @Option(help: "Number of registered devices.") var devices: Int
    @Option(help: "Random subscriptions, in requests of 1,000 devices each.") var subscriptions: Int
    @Option(help: "Random subscriptions in requests of one device each.") var single: Int
    @Option(help: "Counts of each condition.") var counts = 51
    @Option(help: "Sends to each audience.") var sends = 7

    /// The conditions whose devices are counted, each of three terms.
    private static let conditions = [
        "'half' in topics && 'tenth' in topics && 'thousandth' in topics",
        "'half' in topics && ('tenth' in topics || 'thousandth' in topics)",
        "'half' in topics && 'tenth' in topics && locale == 'de'",
        "'half' in topics && !'tenth' in topics && platform == 'ios'",
    ]

    func run() async throws {
        guard let app = AppID(app) else { throw ValidationError("\(app) is not a bundle id") }
        let key = try String(contentsOfFile: apiKeyFile, encoding: .utf8).filter { !$0.isWhitespace }
        let client = CarillonClient(
            configuration: .init(
                address: .tcp(host: "127.0.0.1", port: port), security: .plaintext, apiKey: .value(key)))
        _ = try await client.serverInfo()

        var counted: [Counted] = []
        for condition in Self.conditions { counted.append(try await count(condition, app: app, client: client)) }
        // The sends come before the subscriptions, whose postings would be stored between the postings of the topics.
        var sent: [Sent] = []
        for topic in ["thousandth", "tenth", "half"] { sent.append(try await send(to: topic, app, client)) }
        let batched = try await subscribe(subscriptions, perRequest: 1_000, inFlight: 8, app: app, client: client)
        let alone = try await subscribe(single, perRequest: 1, inFlight: 2_000, app: app, client: client)
        await client.close()

        let report = Report(
            counts: counted, sends: sent, subscriptionsPerSecond: batched, singleSubscriptionsPerSecond: alone)
        print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }

    private struct Report: Encodable {
        var counts: [Counted]
        var sends: [Sent]
        var subscriptionsPerSecond: Double
        var singleSubscriptionsPerSecond: Double
    }

    private struct Counted: Encodable {
        var condition: String
        var devices: UInt64
        var milliseconds: [Double]
    }

    private struct Sent: Encodable {
        var topic: String
        /// The times from the call to its answer, which says that the message is durable.
        var acceptedMilliseconds: [Double]
        /// The times from the call until the simulator has answered a push.
        var firstDeliveryMilliseconds: [Double]
    }

    // MARK: Counting

    private func count(_ text: String, app: AppID, client: CarillonClient) async throws -> Counted {
        let condition = try Condition(text)
        var counted = Counted(condition: text, devices: 0, milliseconds: [])
        for _ in 0..<counts {
            let start = ContinuousClock.now
            counted.devices = try await client.explain(condition, app: app).devices
            counted.milliseconds.append(start.duration(to: .now).fractionalMilliseconds)
        }
        return counted
    }

    // MARK: Sending

    /// Sends until the first push arrives at the simulator, and waits for the end of the message before the next one.
    private func send(to topic: String, _ app: AppID, _ client: CarillonClient) async throws -> Sent {
        guard let name = TopicName(topic) else { throw ValidationError("not a topic") }
        let content = MessageContent(app: app, pushType: .alert, payload: Array(#"{"aps":{"alert":"Hello"}}"#.utf8))
        var sent = Sent(topic: topic, acceptedMilliseconds: [], firstDeliveryMilliseconds: [])
        let control = try await ControlClient.connect(host: "127.0.0.1", port: controlPort).get()
        // The first round has no connection to APNs yet and does not count.
        for round in 0...sends {
            _ = try await control.ask("reset").get()
            let firstDelivery = control.ask("wait 1")
            // Gives the server time to write the end of the message before.
            try await Task.sleep(for: .milliseconds(100))
            let start = ContinuousClock.now
            let now = Clock.wallTime()
            // Only the beginning is measured: deliveries that have not begun after half a second expire.
            let notAfter = Timestamp(milliseconds: now.milliseconds + 500)
            let message = Message(content: content, audience: .topic(name), notAfter: notAfter, lane: .bulk)
            let accepted = try await client.send(message)
            let acceptedAt = ContinuousClock.now
            let deliveredAt = try await firstDelivery.get().receivedAt
            if round > 0 {
                sent.acceptedMilliseconds.append(start.duration(to: acceptedAt).fractionalMilliseconds)
                sent.firstDeliveryMilliseconds.append(start.duration(to: deliveredAt).fractionalMilliseconds)
            }
            _ = try await client.waitUntilFinished(accepted.id, app: app, timeout: .seconds(300))
        }
        try await control.close().get()
        return sent
    }

    // MARK: Subscribing

    /// Subscribes random devices to random topics of a hundred, and returns the subscriptions a second.
    private func subscribe(
        _ count: Int,
        perRequest: Int,
        inFlight: Int,
        app: AppID,
        client: CarillonClient
    ) async throws -> Double {
        guard count > 0 else { return 0 }
        var generator = SeededGenerator(seed: 7)
        let topics = (0..<100).compactMap { TopicName("random/\(perRequest)/\($0)") }
        let requests = (0..<(count + perRequest - 1) / perRequest).map { _ in
            let devices = (0..<perRequest).map { _ in
                DeviceReference.id(DeviceID(rawValue: UInt64.random(in: 1...UInt64(self.devices), using: &generator)))
            }
            return (topic: topics.randomElement(using: &generator) ?? topics[0], devices: devices)
        }
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, request) in requests.enumerated() {
                if index >= inFlight { try await group.next() }
                group.addTask {
                    let result = try await client.subscribe(to: [request.topic], devices: request.devices, app: app)
                    guard result.unknown.isEmpty else { throw ValidationError("devices are missing") }
                }
            }
            try await group.waitForAll()
        }
        return Double(requests.count * perRequest) / (start.duration(to: .now).fractionalMilliseconds / 1_000)
    }
}
