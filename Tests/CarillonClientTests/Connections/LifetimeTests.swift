import CarillonClient
import CarillonTestKit
import CarillonWire
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

/// The life of a client, its lines in the log, and the calls about one app.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct LifetimeTests {
    private func configuration(_ port: Int, key: String? = nil) -> CarillonClient.Configuration {
        var configuration = CarillonClient.Configuration(
            address: .tcp(host: "127.0.0.1", port: port), security: .plaintext, apiKey: key.map { .value($0) })
        configuration.backoff = .milliseconds(1)
        configuration.backoffLimit = .milliseconds(20)
        return configuration
    }

    private func refusal(of client: CarillonClient) async -> CarillonError.Code? {
        do throws(CarillonError) {
            _ = try await client.serverInformation()
            return nil
        } catch {
            return error.code
        }
    }

    @Test func aClientOfABlockIsClosedAtItsEnd() async throws {
        let server = try await ScriptedServer.start()
        let client = try await withCarillonClient(configuration: configuration(server.port)) { client in
            _ = try await client.serverInformation()
            return client
        }
        try await server.accept().closed()
        #expect(await refusal(of: client) == .closed)
    }

    @Test func aClientOfABlockIsClosedAfterAnError() async throws {
        struct Fault: Error {}
        let server = try await ScriptedServer.start()
        await #expect(throws: Fault.self) {
            try await withCarillonClient(configuration: configuration(server.port)) { client in
                _ = try await client.serverInformation()
                throw Fault()
            }
        }
        try await server.accept().closed()
    }

    @Test func runEndsWithItsTaskAndClosesTheClient() async throws {
        let server = try await ScriptedServer.start()
        let client = CarillonClient(configuration: configuration(server.port))
        let running = Task { try await client.run() }
        _ = try await client.serverInformation()
        running.cancel()
        try await running.value
        try await server.accept().closed()
        #expect(await refusal(of: client) == .closed)
    }

    @Test func theClientUsesTheGroupThatItIsGiven() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server = try await ScriptedServer.start()
        try await withCarillonClient(configuration: configuration(server.port), eventLoopGroup: group) { client in
            _ = try await client.serverInformation()
        }
        // It would fail if the client still had a channel on it.
        try await group.shutdownGracefully()
    }

    @Test func theLogFollowsTheConnections() async throws {
        let log = RecordingLog()
        let server = try await ScriptedServer.start()
        let port = server.port
        let client = CarillonClient(configuration: configuration(port, key: "very-secret"), logger: log.logger)
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
        let server = try await ScriptedServer.start()
        let port = server.port
        try await server.stop()
        var configuration = configuration(port)
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

    @Test func aCallAboutAnAppNamesIt() async throws {
        let server = try await ScriptedServer.start()
        try await withCarillonClient(configuration: configuration(server.port)) { client in
            let game = client.app("com.example.game")
            async let accepted = game.send(
                .alert(title: "Raid", body: "21:00", data: ["raid": 77]), to: .topic("raids"),
                except: .id(DeviceID(rawValue: 7)),
                options: .init(sendAt: Timestamp(milliseconds: 5), pace: 500, label: "evening", isDryRun: true))
            let peer = try await server.accept()
            let (id, sent) = try await peer.request(SendRequest.self)
            #expect(sent.content.app == AppID("com.example.game"))
            #expect((sent.audience, sent.excludedDevice) == (.topic(TopicName("raids")!), .id(DeviceID(rawValue: 7))))
            #expect(
                String(decoding: sent.content.payload, as: UTF8.self)
                    == #"{"aps":{"alert":{"body":"21:00","title":"Raid"}},"raid":77}"#)
            let options = (sent.sendAt, sent.pace, sent.label, sent.isDryRun)
            #expect(options == (Timestamp(milliseconds: 5), 500, "evening", true))
            #expect(sent.idempotencyKey != nil)
            let answer = Acceptance(id: MessageID(rawValue: 0), isDuplicate: false, total: 3, ended: 0)
            peer.answer(id, answer, to: SendRequest.self)
            #expect(try await accepted == answer)
        }
    }

    @Test func aNotificationThatIsNoPayloadIsRefusedWithItsField() async throws {
        let client = CarillonClient(configuration: configuration(1))
        do throws(CarillonError) {
            _ = try await client.app("com.example.game").send(.alert(body: "x", data: ["x": .number(.nan)]), to: .all)
            Issue.record("it was sent")
        } catch {
            #expect(error.code == .server(.invalidArgument))
            #expect(error.effect == .notExecuted)
            #expect(error.field == "payload.x")
        }
        await client.close()
    }

    @Test func constantsAreNamesOfAudiences() {
        #expect(Audience.topic("raids") == .topic(TopicName("raids")!))
        #expect(Audience.group("user/42") == .groups([GroupName("user/42")!]))
        #expect(Audience.device(DeviceID(rawValue: 7)) == .devices([.id(DeviceID(rawValue: 7))]))
    }
}
