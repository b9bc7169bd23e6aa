import ArgumentParser
import CarillonClient
import CarillonCore
import CarillonSimulatorControl
import Foundation
import NIOCore

/// The bench of interactive latency: from the call of SEND until the push arrives at the simulator.
struct LatencyBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "latency",
        abstract: "Measures interactive sends to one device, from the call to the push at the simulator."
    )

    @Option(help: "Port of the server on this machine.") var port: Int
    @Option(help: "File of the API key.") var apiKeyFile: String
    @Option(help: "Control port of the APNs simulator.") var controlPort: Int
    @Option(help: "Bundle id.") var app = "com.example.game"
    @Option(help: "Number of the device, which must be registered.") var device: Int
    @Option(help: "Sends that are measured, after a few that are not.") var count = 200
    @Option(name: .customLong("pause"), help: "Milliseconds between two sends.") var pauseMilliseconds = 10

    func run() async throws {
        guard let app = AppID(app) else { throw ValidationError("\(app) is not a bundle id") }
        guard let address = BenchDevice.address(device) else { throw ValidationError("there is no such device") }
        let key = try String(contentsOfFile: apiKeyFile, encoding: .utf8).filter { !$0.isWhitespace }
        let client = CarillonClient(
            configuration: .init(
                address: .tcp(host: "127.0.0.1", port: port), security: .plaintext, apiKey: .value(key)))
        let control = try await ControlClient.connect(host: "127.0.0.1", port: controlPort).get()
        let content = MessageContent(app: app, pushType: .alert, payload: Array(#"{"aps":{"alert":"Hello"}}"#.utf8))
        let token = address.token.hex

        var report = Report(acceptedMilliseconds: [], receivedMilliseconds: [])
        let warmUp = 10
        _ = try await control.ask("reset").get()
        for round in 1...(warmUp + count) {
            let received = control.ask("wait \(round) \(token)")
            let start = ContinuousClock.now
            _ = try await client.send(
                Message(content: content, audience: .devices([.address(address)]), lane: .interactive))
            let acceptedAt = ContinuousClock.now
            let receivedAt = try await received.get().receivedAt
            if round > warmUp {
                report.acceptedMilliseconds.append(start.duration(to: acceptedAt).fractionalMilliseconds)
                report.receivedMilliseconds.append(start.duration(to: receivedAt).fractionalMilliseconds)
            }
            try await Task.sleep(for: .milliseconds(pauseMilliseconds))
        }
        try await control.close().get()
        await client.close()
        print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }

    private struct Report: Encodable {
        /// The times from the call to its answer, which says that the message is durable.
        var acceptedMilliseconds: [Double]
        /// The times from the call until the simulator has reported the push.
        var receivedMilliseconds: [Double]
    }
}
