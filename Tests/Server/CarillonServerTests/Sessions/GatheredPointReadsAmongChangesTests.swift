import CarillonCore
import CarillonWire
import Testing

@testable import CarillonServer

/// Lookups and changes of a client that were read together.
struct GatheredPointReadsAmongChangesTests {
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

    /// Returns the operations of the answers that have come, in their order.
    private func answered(_ connection: ScriptedConnection) -> [Opcode] {
        // On a busy machine a time slice can be over before a request is read.
        repeat { connection.resume() } while connection.isReadingStopped
        return connection.takeOpcodes()
    }

    @Test func lookupsAndChangesAreEachRunTogetherAndLookupsFirst() throws {
        let connection = try ScriptedConnection(as: "all", registry: registry)
        connection.receive((1...3).flatMap { _ in connection.frame(change) + connection.frame(one) })
        #expect(answered(connection) == [.lookup, .lookup, .lookup, .updateDevice, .updateDevice, .updateDevice])
        #expect(registry.submissions.map(\.count) == [3])
    }

    @Test func changesWaitForALookupThatTheWriterAnswers() throws {
        let connection = try ScriptedConnection(as: "all", registry: registry)
        connection.receive(
            connection.frame(one) + connection.frame(two) + connection.frame(change) + connection.frame(one))
        #expect(answered(connection) == [.lookup, .lookup])
        #expect(registry.submissions.isEmpty, "the second lookup must not see the change")
        #expect(registry.answerReads() == 1)
        #expect(answered(connection) == [.lookup, .updateDevice])
        #expect(registry.submissions.count == 1)
    }

    @Test func changesThatWaitEndWithTheConnection() throws {
        let connection = try ScriptedConnection(as: "all", registry: registry)
        connection.receive(connection.frame(two) + connection.frame(change))
        #expect(answered(connection) == [])
        connection.close()
        #expect(registry.answerReads() == 1)
        #expect(answered(connection) == [])
        #expect(registry.submissions.isEmpty)
    }

    @Test func changesThatWaitAreRefusedWhenTheCredentialIsWithdrawn() throws {
        let connection = try ScriptedConnection(as: "all", registry: registry)
        connection.receive(connection.frame(change) + connection.frame(two) + connection.frame(change))
        #expect(answered(connection) == [])
        connection.dispatcher.refuseWaiting()
        #expect(answered(connection) == [.lookup, .updateDevice, .updateDevice])
        #expect(registry.submissions.isEmpty)
    }
}
