import CarillonCore
import CarillonWire
import Testing

@testable import CarillonServer

/// Point reads of a client that also sends, while no snapshot shows every answered change.
struct PipelinedPointReadsBetweenSendsTests {
    private static let game = ScriptedConnection.game
    private let registry = FakeRegistry(isSnapshotCurrent: false) { change in
        guard case .accept = change else { return .applied }
        return .accepted(
            SendResult(id: MessageID(rawValue: 7), isDuplicate: false, total: 1, ended: 0), outbound: nil)
    }
    private let lookup = LookupRequest(app: game, device: .id(DeviceID(rawValue: 1)))
    private let message = Message(
        idempotencyKey: UUIDBytes(high: 0xFEED, low: 0xBEEF),
        content: MessageContent(app: game, pushType: .alert, payload: Array(#"{"aps":{"alert":"Hello"}}"#.utf8)),
        audience: .devices([.id(DeviceID(rawValue: 1))]))

    @Test func `lookups between sends are read together`() throws {
        let connection = try ScriptedConnection(as: "all", registry: registry)
        connection.receive((1...4).flatMap { _ in connection.frame(lookup) + connection.frame(message) })
        #expect(connection.takeAnsweredOpcodes() == Array(repeating: .send, count: 4), "no send waits for a read")
        #expect(registry.answerReads() == 1)
        #expect(connection.takeAnsweredOpcodes() == Array(repeating: .lookup, count: 4))
    }

    @Test func `another request between lookups and sends waits`() throws {
        let connection = try ScriptedConnection(as: "all", registry: registry)
        let restore = RestoreRequest(app: Self.game, device: .id(DeviceID(rawValue: 1)))
        connection.receive(
            connection.frame(lookup) + connection.frame(message) + connection.frame(restore)
                + connection.frame(lookup) + connection.frame(message))
        #expect(connection.takeAnsweredOpcodes() == [.send])
        #expect(registry.answerReads() == 1)
        #expect(connection.takeAnsweredOpcodes() == [.lookup], "the change waits for the lookup that was read with it")
        #expect(registry.answerReads() == 1)
        #expect(connection.takeAnsweredOpcodes() == [.lookup, .restore, .send])
    }

    @Test func `the fault of a send between lookups is answered`() throws {
        let connection = try ScriptedConnection(as: "all", registry: registry)
        let first = connection.frame(lookup)
        var faulty = connection.frame(message)
        faulty[faulty.count - 1] = 0xFF
        connection.receive(first + faulty + connection.frame(lookup))
        #expect(connection.takeAnsweredOpcodes() == [.send])
        #expect(registry.answerReads() == 1)
        #expect(connection.takeAnsweredOpcodes() == [.lookup, .lookup])
    }

    @Test func `a lookup that a snapshot shows does not wait for the writer`() throws {
        let changed = LookupRequest(app: Self.game, device: .id(DeviceID(rawValue: 2)))
        let registry = FakeRegistry(isSnapshotCurrent: false, unchanged: [.device(.id(DeviceID(rawValue: 1)))]) { _ in
            .applied
        }
        let connection = try ScriptedConnection(as: "all", registry: registry)
        connection.receive(connection.frame(lookup) + connection.frame(changed) + connection.frame(lookup))
        #expect(connection.takeAnsweredOpcodes() == [.lookup, .lookup])
        #expect(registry.answerReads() == 1)
        #expect(connection.takeAnsweredOpcodes() == [.lookup])
    }
}
