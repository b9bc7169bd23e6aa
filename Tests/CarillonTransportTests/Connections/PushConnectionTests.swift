import Testing

@testable import CarillonTransport

/// A connection whose peer does not read: the bytes for it must not collect in memory.
struct PushConnectionTests {
    /// The bytes of the frame PING.
    private static let pingBytes = 17

    @Test func bytesThatTheChannelDoesNotTakeAreSentWhenItIsWritable() throws {
        let connection = try EmbeddedConnection()
        #expect(try connection.bytesFromConnection() > 0)
        connection.setWritable(false)
        for _ in 0..<50 { try connection.sendPing() }
        #expect(try connection.bytesFromConnection() == 0)
        connection.setWritable(true)
        #expect(try connection.bytesFromConnection() > 50 * Self.pingBytes, "every PING has its answer")
    }

    @Test func aPeerThatSendsPingsAndNeverReadsIsDropped() throws {
        let connection = try EmbeddedConnection()
        _ = try connection.bytesFromConnection()
        connection.setWritable(false)
        for _ in 0..<1_100 where connection.isOpen { try connection.sendPing() }
        #expect(!connection.isOpen)
        #expect(try connection.bytesFromConnection() < 100, "the end of TLS, and none of the collected answers")
    }
}
