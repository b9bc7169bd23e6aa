import CCarillonOpenSSL
import CarillonTestKit
import Testing

@testable import CarillonTLS

/// A client and a server of TLS without sockets: what they agree on, and how bytes pass between them.
struct TLSSessionTests {
    private let server: TLSContext
    private let client: TLSContext

    init() throws { (_, server, client) = try TLSContext.serverAndClient() }

    @Test(arguments: [Int.max, 1]) func `a handshake agrees on protocol and version`(pieceBytes: Int) throws {
        let pair = try TLSPair(client: client, server: server)
        let ends = pair.handshake(pieceBytes: pieceBytes)
        #expect(ends.client == .success(.complete))
        #expect(ends.server == .success(.complete))
        #expect(pair.client.negotiatedALPN == "h2")
        #expect(pair.server.negotiatedALPN == "h2")
        #expect(String(cString: SSL_get_version(pair.client.ssl)) == "TLSv1.3")
        #expect(
            String(cString: SSL_CIPHER_get_name(SSL_get_current_cipher(pair.client.ssl))) == "TLS_AES_128_GCM_SHA256")
        #expect(pair.client.peerCertificate?.dnsNames == ["carillon.test"])
        #expect(pair.server.peerCertificate == nil)
    }

    @Test(arguments: [Int.max, 1]) func `a server sends data in the flight of its handshake`(pieceBytes: Int) throws {
        let pair = try TLSPair(client: client, server: server)
        #expect(!pair.server.mayWriteEarly)
        #expect(try pair.client.handshake() == .incomplete)
        var hasAnswered = false
        for piece in pair.client.takeAll().pieces(of: pieceBytes) {
            #expect(!hasAnswered)
            try pair.server.feed(piece)
            hasAnswered = try pair.server.answerHello()
        }
        #expect(hasAnswered)
        #expect(pair.server.mayWriteEarly)
        try Array("settings".utf8).withUnsafeBytes { try pair.server.writeEarly($0) }
        #expect(try pair.server.handshake() == .incomplete)

        // One flight: the client has the text as soon as it has the handshake.
        try pair.client.feed(pair.server.takeAll())
        #expect(try pair.client.handshake() == .complete)
        #expect(try pair.client.readAll().bytes == Array("settings".utf8))
        try pair.server.feed(pair.client.takeAll())
        #expect(try pair.server.handshake() == .complete)
        #expect(!pair.server.mayWriteEarly)
        try pair.server.send(Array("more".utf8))
        try pair.client.feed(pair.server.takeAll())
        #expect(try pair.client.readAll().bytes == Array("more".utf8))
    }

    @Test func `a client answers no hello and a server writes nothing before one`() throws {
        let pair = try TLSPair(client: client, server: server)
        #expect(throws: TLSError.self) { try pair.client.answerHello() }
        #expect(throws: TLSError.self) { try Array("early".utf8).withUnsafeBytes { try pair.server.writeEarly($0) } }
    }

    @Test(arguments: ["GET / HTTP/1.1\r\n\r\n", "CARILLON\u{0}\u{0}\u{0}\u{0}"]) func `garbage is refused`(text: String)
        throws
    {
        let session = try TLSSession(server: server)
        try session.feed(Array(text.utf8))
        let error = try #require(#expect(throws: TLSError.self) { try session.handshake() })
        #expect(error.violations?.isEmpty == false, "\(error)")
        #expect(throws: error) { try session.handshake() }
        #expect(throws: error) { try session.feed([1]) }
    }

    @Test(arguments: [1 << 10, 50_001, .max]) func `large transfers arrive whole`(pieceBytes: Int) throws {
        let pair = try TLSPair(client: client, server: server)
        _ = pair.handshake()
        let bytes = (0..<900_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        for (from, to) in [(pair.client, pair.server), (pair.server, pair.client)] {
            try from.send(bytes)
            #expect(from.pendingCiphertextBytes > bytes.count)
            var received: [UInt8] = []
            for piece in from.takeAll().pieces(of: pieceBytes) {
                try to.feed(piece)
                received += try to.readAll().bytes
            }
            #expect(received == bytes)
        }
    }

    @Test func `close_notify ends one direction`() throws {
        let pair = try TLSPair(client: client, server: server)
        _ = pair.handshake()
        try pair.client.send([1, 2, 3])
        pair.client.sendCloseNotify()
        try pair.server.feed(pair.client.takeAll())
        let (bytes, end) = try pair.server.readAll()
        #expect(bytes == [1, 2, 3])
        #expect(end == .closed)
        try pair.server.send([4])
        try pair.client.feed(pair.server.takeAll())
        #expect(try pair.client.readAll().bytes == [4])
        #expect(throws: TLSError.misuse("a write after close_notify")) { try pair.client.send([5]) }
    }

    @Test func `a changed record is refused`() throws {
        let pair = try TLSPair(client: client, server: server)
        _ = pair.handshake()
        try pair.client.send([1, 2, 3])
        var record = pair.client.takeAll()
        record[record.count - 1] ^= 1
        try pair.server.feed(record)
        #expect(throws: TLSError.self) { try pair.server.readAll() }
    }

    @Test func `unread bytes are bounded`() throws {
        let session = try TLSSession(server: server)
        try session.feed([UInt8](repeating: 22, count: TLSSession.maximumUnreadBytes))
        #expect(throws: TLSError.self) { try session.feed([22]) }
    }

    @Test func `names that would switch verification off are misuse`() {
        #expect(throws: TLSError.self) { try TLSSession(client: client, serverName: "") }
        #expect(throws: TLSError.self) { try TLSSession(client: client, serverName: "a\u{0}b") }
        #expect(throws: TLSError.self) { try TLSSession(client: server, serverName: "carillon.test") }
        #expect(throws: TLSError.self) { try TLSSession(server: client) }
    }
}

extension TLSError {
    /// OpenSSL's errors about bytes of the peer that are not TLS; nil if this is another error.
    fileprivate var violations: [OpenSSLError]? { if case .protocolViolation(let queue) = self { queue } else { nil } }
}
