import CarillonClient
import CarillonTestKit
import CarillonWire
import Testing

@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct AppClientTests {
    @Test func `a call about an app names it`() async throws {
        let server = try await ScriptedServer.start()
        try await withCarillonClient(configuration: scriptedConfiguration(server.port)) { client in
            let game = client.app("com.example.game")
            async let accepted = game.send(
                .alert(title: "Raid", body: "21:00", data: ["raid": 77]), to: .topic("raids"),
                except: .id(DeviceID(rawValue: 7)),
                options: .init(sendAt: Timestamp(milliseconds: 5), pace: 500, label: "evening", isDryRun: true))
            let peer = try await server.accept()
            let (id, sent) = try await peer.request(SendRequest.self)
            #expect(sent.content.app == AppID("com.example.game"))
            #expect(sent.audience == .topic(TopicName("raids")!))
            #expect(sent.excludedDevice == .id(DeviceID(rawValue: 7)))
            #expect(
                String(decoding: sent.content.payload, as: UTF8.self)
                    == #"{"aps":{"alert":{"body":"21:00","title":"Raid"}},"raid":77}"#)
            let options = (sent.sendAt, sent.pace, sent.label, sent.isDryRun)
            #expect(options == (Timestamp(milliseconds: 5), 500, "evening", true))
            #expect(sent.idempotencyKey != nil)
            let answer = SendResult(id: MessageID(rawValue: 0), isDuplicate: false, total: 3, ended: 0)
            peer.answer(id, answer, to: SendRequest.self)
            #expect(try await accepted == answer)
        }
    }

    @Test func `a notification that is no payload is refused with its field`() async {
        let client = CarillonClient(configuration: scriptedConfiguration(1))
        let error = await #expect(throws: CarillonError.self) {
            try await client.app("com.example.game").send(.alert(body: "x", data: ["x": .number(.nan)]), to: .all)
        }
        #expect(error?.code == .server(.invalidArgument))
        #expect(error?.effect == .notExecuted)
        #expect(error?.field == "payload.x")
        await client.close()
    }
}
