import CarillonClient
import CarillonTestKit
import CarillonWire
import Logging
import Testing

/// The lines of a client in the log.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct ReporterTests {
    @Test func theLogFollowsTheConnections() async throws {
        let log = RecordingLog()
        let server = try await ScriptedServer.start()
        let port = server.port
        let client = CarillonClient(configuration: scriptedConfiguration(port, key: "very-secret"), logger: log.logger)
        async let status = client.status(of: MessageID(rawValue: 9), app: TestApps.game)
        let first = try await server.accept()
        _ = try await first.request()
        first.close()
        let second = try await server.accept()
        let (id, _) = try await second.request(MessageStatusRequest.self)
        second.answer(id, MessageStatus.finished(total: 1), to: MessageStatusRequest.self)
        _ = try await status
        let lost = "warning the connection to Carillon is lost code=CONNECTION_LOST"
        #expect(log.lines.count == 3)
        #expect(log.messages.first == "debug: connected to Carillon")
        #expect(log.entries.now.first?.metadata == ["server": "127.0.0.1:\(port)", "software": "scripted/1"])
        #expect(log.lines.dropFirst().first?.hasPrefix(lost) == true)
        #expect(log.lines.last?.hasPrefix("notice connected to Carillon again failures=1") == true)
        try await server.stop()
        #expect(!log.lines.joined().contains("very-secret"))
        await client.close()
    }

    @Test func theLogSaysWhyThereIsNoConnection() async throws {
        let log = RecordingLog()
        let port = RefusingPort().number
        var configuration = scriptedConfiguration(port)
        configuration.maximumRounds = 2
        let client = CarillonClient(configuration: configuration, logger: log.logger)
        #expect(await refusal(of: client) == .cannotConnect)
        #expect(log.lines.count == 2)
        for (line, failures) in zip(log.lines, 1...) {
            #expect(line.hasPrefix("warning cannot connect to Carillon code=CANNOT_CONNECT error=Connection refused"))
            #expect(line.contains("failures=\(failures) server="))
        }
        await client.close()
    }
}
