import CarillonCore
import CarillonWire
import Testing

@testable import CarillonServer

/// Lookups and changes of a client that were read together.
struct PipelinedPointReadsAmongChangesTests {
    private static let game = ScriptedConnection.game
    private let one = LookupRequest(app: game, device: .id(DeviceID(rawValue: 1)))
    private let two = LookupRequest(app: game, device: .id(DeviceID(rawValue: 2)))
    private let change = UpdateDeviceRequest(
        app: game, device: .id(DeviceID(rawValue: 1)), update: DeviceUpdate(locale: "de"))

    /// A registry whose snapshots show the first device only.
    private let registry = FakeRegistry(isSnapshotCurrent: false, unchanged: [.device(.id(DeviceID(rawValue: 1)))]) {
        _ in
        .updated(DeviceID(rawValue: 1))
    }

    @Test func `lookups and changes are each run together and lookups first`() throws {
        let connection = try ScriptedConnection(as: "all", registry: registry)
        connection.receive((1...3).flatMap { _ in connection.frame(change) + connection.frame(one) })
        #expect(
            connection.takeAnsweredOpcodes()
                == [.lookup, .lookup, .lookup, .updateDevice, .updateDevice, .updateDevice])
        #expect(registry.submissions.map(\.count) == [3])
    }

    @Test func `changes wait for a lookup that the writer answers`() throws {
        let connection = try ScriptedConnection(as: "all", registry: registry)
        connection.receive(
            connection.frame(one) + connection.frame(two) + connection.frame(change) + connection.frame(one))
        #expect(connection.takeAnsweredOpcodes() == [.lookup, .lookup])
        #expect(registry.submissions.isEmpty, "the second lookup must not see the change")
        #expect(registry.answerReads() == 1)
        #expect(connection.takeAnsweredOpcodes() == [.lookup, .updateDevice])
        #expect(registry.submissions.count == 1)
    }

    @Test func `changes that wait end with the connection`() throws {
        let connection = try ScriptedConnection(as: "all", registry: registry)
        connection.receive(connection.frame(two) + connection.frame(change))
        #expect(connection.takeAnsweredOpcodes() == [])
        connection.close()
        #expect(registry.answerReads() == 1)
        #expect(connection.takeAnsweredOpcodes() == [])
        #expect(registry.submissions.isEmpty)
    }

    @Test func `changes that wait are refused when the credential is withdrawn`() throws {
        let connection = try ScriptedConnection(as: "all", registry: registry)
        connection.receive(connection.frame(change) + connection.frame(two) + connection.frame(change))
        #expect(connection.takeAnsweredOpcodes() == [])
        connection.dispatcher.refuseWaiting()
        #expect(connection.takeAnsweredOpcodes() == [.lookup, .updateDevice, .updateDevice])
        #expect(registry.submissions.isEmpty)
    }
}
