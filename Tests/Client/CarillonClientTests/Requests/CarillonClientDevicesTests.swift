import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game
private let phone = DeviceReference.id(DeviceID(rawValue: 7))

/// Registrations, updates, listings and quarantine of devices by calls.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct CarillonClientDevicesTests {
    @Test func `a registration is sent with its time and answered`() async throws {
        let server = try await ScriptedServer.start()
        let client = scriptedClient(of: server)
        async let registered = client.register(Samples.registration)
        let peer = try await server.accept()
        let (id, sent) = try await peer.request(RegisterRequest.self)
        #expect(sent.seenAt > .zero)
        #expect(sent.address == Samples.registration.address)
        peer.answer(id, RegisterAnswer(device: DeviceID(rawValue: 7), result: .created), to: RegisterRequest.self)
        #expect(try await registered == RegisterResult(id: DeviceID(rawValue: 7), result: .created))
        await client.close()
        try await peer.closed()
    }

    @Test func `a batch has a result for each item`() async throws {
        let server = try await ScriptedServer.start()
        let client = scriptedClient(of: server)
        async let results = client.register(Array(repeating: Samples.registration, count: 1_500))
        let peer = try await server.accept()
        for expected in [1_000, 500] {
            let (id, batch) = try await peer.request(RegisterBatchRequest.self)
            let items = batch.items
            #expect(items.count == expected)
            var rows = [RegisterBatchItemAnswer](
                repeating: .registered(DeviceID(rawValue: 1), .refreshed),
                count: expected
            )
            rows[3] = .refused(.stale)
            peer.answer(id, rows, to: RegisterBatchRequest.self)
        }
        let all = await results
        #expect(all.count == 1_500)
        let refused = all.enumerated().filter { (try? $0.element.get()) == nil }
        #expect(refused.map(\.offset) == [3, 1_003])
        let error = #expect(throws: CarillonError.self) { try all[3].get() }
        #expect(error?.code == .server(.stale))
        #expect(error?.item == 3)
    }

    @Test func `a batch is divided into requests of the greatest size`() async throws {
        let topics = (0..<64).map { TopicName("\($0)" + String(repeating: "x", count: 190))! }
        let batch = (0..<200).map { number in
            Registration(
                app: app,
                address: DeviceAddress(environment: .production, kind: .device, token: DeviceToken([UInt8(number)])!),
                topics: topics
            )
        }
        let server = try await ScriptedServer.start()
        let client = scriptedClient(of: server)
        async let results = client.register(batch)
        let peer = try await server.accept()
        var counts: [Int] = []
        while counts.reduce(0, +) < batch.count {
            let (id, batch) = try await peer.request(RegisterBatchRequest.self)
            let items = batch.items
            counts.append(items.count)
            let rows = items.map { _ in RegisterBatchItemAnswer.registered(DeviceID(rawValue: 1), .created) }
            peer.answer(id, rows, to: RegisterBatchRequest.self)
        }
        #expect(counts.count == 3)
        #expect(await results.allSatisfy { (try? $0.get()) != nil })
    }

    @Test func `a device is updated`() async throws {
        let update = DeviceUpdate(locale: "de", attributes: [AttributeChange(key: "tier", value: "")!], isMuted: true)
        let (request, id) = try await exchange(AnyAnswer(DeviceID(rawValue: 7), to: UpdateDeviceRequest.self)) {
            client throws(CarillonError) in
            try await client.update(phone, app: app, with: update)
        }
        #expect(request == AnyRequest(UpdateDeviceRequest(app: app, device: phone, update: update)))
        #expect(id == DeviceID(rawValue: 7))
    }

    @Test func `all devices are listed`() async throws {
        let token = try #require(DeviceToken([1, 2]))
        let devices = [7, 9].map { id in
            DeviceRecord(
                id: DeviceID(rawValue: id),
                address: DeviceAddress(environment: .production, kind: .device, token: token),
                registeredAt: .zero, seenAt: .zero, state: .quarantined, locale: "zh", isMuted: true)
        }
        let pages = [
            DevicePage(next: 9, devices: [devices[0]]), DevicePage(next: 0, devices: [devices[1]]),
        ]
        let (made, listed) = try await listing(pages.map { AnyAnswer($0, to: DevicesRequest.self) }) {
            $0.devices(of: app)
        }
        #expect(listed == devices)
        #expect(made == [0, 9].map { AnyRequest(DevicesRequest(app: app, cursor: $0, limit: 1_000)) })
    }

    @Test func `quarantined devices are listed`() async throws {
        let ids = [7, 9].map { DeviceID(rawValue: $0) }
        let pages = [DeviceIDPage(next: 9, devices: [ids[0]]), DeviceIDPage(next: 0, devices: [ids[1]])]
        let (made, listed) = try await listing(pages.map { AnyAnswer($0, to: QuarantineRequest.self) }) {
            $0.quarantinedDevices(of: app)
        }
        #expect(listed == ids)
        #expect(made == [0, 9].map { AnyRequest(QuarantineRequest(app: app, cursor: $0, limit: 1_000)) })
    }

    @Test func `a device is restored`() async throws {
        let (request, id) = try await exchange(AnyAnswer(DeviceID(rawValue: 7), to: RestoreRequest.self)) {
            client throws(CarillonError) in
            try await client.restore(phone, app: app)
        }
        #expect(request == AnyRequest(RestoreRequest(app: app, device: phone)))
        #expect(id == DeviceID(rawValue: 7))
    }
}
