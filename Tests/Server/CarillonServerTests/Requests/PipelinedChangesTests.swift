import CarillonCore
import CarillonWire
import Testing

@testable import CarillonServer

/// The changes of a client that go to the registry in one piece.
struct PipelinedChangesTests {
    private let registry = FakeRegistry { _ in .updated(DeviceID(rawValue: 1)) }

    private static func update(of app: AppID = ScriptedConnection.game) -> UpdateDeviceRequest {
        UpdateDeviceRequest(app: app, device: .id(DeviceID(rawValue: 1)), update: DeviceUpdate(locale: "de"))
    }

    /// Sends changes about these apps together; returns how many were answered.
    private func send(_ apps: [AppID], as principal: String = "all") throws -> Int {
        let connection = try ScriptedConnection(as: principal, registry: registry)
        connection.receive(apps.flatMap { connection.frame(Self.update(of: $0)) })
        // On a busy machine a time slice can be over before a request is read.
        repeat { connection.resume() } while connection.isReadingStopped
        return connection.takeOpcodes().count { $0 == .updateDevice }
    }

    private func send(count: Int, as principal: String = "all") throws -> Int {
        try send(Array(repeating: ScriptedConnection.game, count: count), as: principal)
    }

    /// The numbers of the changes that were submitted together.
    private var submitted: [Int] { registry.submissions.map(\.count) }

    @Test func `changes that were read together are submitted together`() throws {
        #expect(try send(count: 100) == 100)
        #expect(submitted == [100])
    }

    /// The changes of other clients wait for a pipeline, so it is short.
    @Test func `a batch has at most 128 changes`() throws {
        #expect(try send(count: 300) == 300)
        #expect(submitted == [128, 128, 44])
    }

    @Test func `a batch has changes of one app`() throws {
        let game = ScriptedConnection.game
        let other = ScriptedConnection.other
        #expect(try send([game, game, other, game]) == 4)
        #expect(submitted == [2, 1, 1], "in the order of the requests")
    }

    @Test func `each change of a batch counts for the rate limit`() throws {
        #expect(try send(count: 5, as: "limited") == 5, "the others are refused")
        #expect(submitted == [2])
    }

    @Test func `a client without the role submits nothing`() throws {
        #expect(try send(count: 5, as: "observer") == 5)
        #expect(submitted == [])
    }
}
