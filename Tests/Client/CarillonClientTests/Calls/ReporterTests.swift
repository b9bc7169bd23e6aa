import CarillonClient
import CarillonTestKit
import CarillonWire
import Logging
import Testing

/// The lines of a client in the log.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct ReporterTests {
    @Test func `a connection that is made, lost and made again is logged without the key`() async throws {
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
        #expect(
            log.messages == [
                "debug: connected to Carillon", "warning: the connection to Carillon is lost",
                "notice: connected to Carillon again",
            ])
        let values = log.entries.now.map(\.metadata)
        #expect(values.first == ["server": "127.0.0.1:\(port)", "software": "scripted/1"])
        #expect(values.map { $0["code"] } == [nil, "CONNECTION_LOST", nil])
        #expect(values.map { $0["failures"] } == [nil, "1", "1"])
        try await server.stop()
        #expect(!log.lines.joined().contains("very-secret"))
        await client.close()
    }

    @Test func `the log says why there is no connection`() async throws {
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
