import CarillonCore
import CarillonTestKit
import Testing

@testable import CarillonTransport

/// The bytes of a connection: they arrive whole, and those that a peer does not read do not collect in memory.
@Suite(.cleansUp) struct PushConnectionTests {
    /// The bytes of the frame PING.
    private static let pingBytes = 17

    /// 800 kB of bodies through a window of 65,535 bytes.
    @Test func `large payloads arrive whole`() async throws {
        let apns = try await ScriptedAPNs { arrival in arrival.bodyBytes == 4_096 ? [.answer(200)] : [.answer(400)] }
        let sender = try Sender(to: apns.port)
        sender.source.add(devices: 1...200, payloadBytes: 4_096)

        #expect(try await sender.source.allReturned(deliveries: 200).count(.delivered) == 200)
        try await sender.closeExpectingAllReturned()
    }

    @Test func `bytes that the channel does not take are sent when it is writable`() throws {
        let connection = try EmbeddedConnection()
        #expect(try connection.bytesFromConnection() > 0)
        connection.setWritable(false)
        for _ in 0..<50 { try connection.sendPing() }
        #expect(try connection.bytesFromConnection() == 0)
        connection.setWritable(true)
        #expect(try connection.bytesFromConnection() > 50 * Self.pingBytes, "every PING has its answer")
    }

    @Test func `a peer that sends pings and never reads is dropped`() throws {
        let connection = try EmbeddedConnection()
        _ = try connection.bytesFromConnection()
        connection.setWritable(false)
        for _ in 0..<1_100 where connection.isOpen { try connection.sendPing() }
        #expect(!connection.isOpen)
        #expect(try connection.bytesFromConnection() < 100, "the end of TLS, and none of the collected answers")
    }
}
