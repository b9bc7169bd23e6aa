import Testing

@testable import CarillonHTTP2
@testable import CarillonHTTP2Server

/// The headers that many requests share: they are encoded once, and the peer must not notice.
struct RequestPackerTests {
    /// The first byte of a literal field that is never indexed (RFC 7541 6.2.3); the index of its name is added.
    private static let literal: UInt8 = 0x10

    /// The byte of a field that a table has (RFC 7541 6.1). The static table ends with 61; 62 is the newest field of
    /// the connection.
    private static func indexed(_ index: UInt8) -> UInt8 { 0x80 | index }

    @Test func `repeated headers take a byte each`() throws {
        let exchange = try HeaderExchange()
        let message = try HeaderExchange.Message("goal")
        let blocks = try (0..<4).map { _ in try exchange.sendBlock(of: message, path: "/a", id: "7") }
        // Path and id are literals that no table keeps, then each text after its length; the id brings its name along.
        let path: [UInt8] = [Self.literal | 4, 2] + Array("/a".utf8)
        let id: [UInt8] = [Self.literal, 7] + Array("apns-id".utf8) + [1] + Array("7".utf8)
        let post = Self.indexed(3)
        let https = Self.indexed(7)
        let authority = Self.indexed(64)
        let topic = Self.indexed(63)
        let collapseID = Self.indexed(62)
        let expected = [post, https, authority] + path + id + [topic, collapseID]
        #expect(Array(blocks[1].prefix(expected.count)) == expected)
        #expect(blocks[1] == blocks[2])
        #expect(blocks[2] == blocks[3])
        #expect(blocks[0].count > blocks[1].count)
    }

    @Test func `a repeated credential takes a byte`() throws {
        let exchange = try HeaderExchange()
        let token = "Bearer " + String(repeating: "~", count: 1_000)
        let message = try HeaderExchange.Message("goal", token: token, indexing: .incremental)
        let other = try HeaderExchange.Message("goal", token: "Bearer 2", indexing: .incremental)
        let lengths = try [message, message, message, other, other, message].map {
            try exchange.sendBlock(of: $0, path: "/a").count
        }
        // Three pseudo-fields, the path in four bytes, topic, collapse id, credential. The second credential is
        // inserted in ten bytes: a name, a length, eight letters.
        #expect(lengths.dropFirst() == [10, 10, 19, 10, 10])
        #expect(lengths[0] > 1_000)
        // The server looks at what has arrived when more arrives.
        try exchange.send(message)
        try exchange.pair.exchangeAll()
        #expect(exchange.firstChanged == nil)
    }

    @Test func `the placeholder for authorization is as long as the name`() {
        #expect(PreparedHeaders.authorizationPlaceholder.utf8.count == "authorization".utf8.count)
    }

    @Test func `a request has one credential`() {
        let field = HeaderField("authorization", "a")
        #expect(throws: HTTP2Error.invalidHeader("authorization")) {
            try PreparedHeaders(authority: "example", fields: [field, field])
        }
    }

    @Test(arguments: [0, 1, 100, 150, 4096, 65_536] as [UInt32], [Indexing.incremental, .never])
    func `headers arrive with a table of any size`(_ tableBytes: UInt32, _ credential: Indexing) throws {
        let exchange = try HeaderExchange(tableBytes: tableBytes)
        let one = try HeaderExchange.Message("goal", indexing: credential)
        let other = try HeaderExchange.Message("half-time", token: "bearer another", indexing: credential)
        for round in 0..<200 {
            try exchange.send(round % 7 < 4 ? one : other, id: "id-\(round)")
            if round % 5 == 0 { try exchange.pair.exchangeAll() }
        }
        try exchange.pair.exchangeAll()
        #expect(exchange.firstChanged == nil)
    }

    @Test(arguments: [Indexing.incremental, .never]) func `a table that changes its size is followed`(
        _ credential: Indexing
    ) throws {
        let exchange = try HeaderExchange()
        let message = try HeaderExchange.Message("goal", indexing: credential)
        for sizes: [UInt32] in [[4096], [0], [4096], [60], [0, 4096], [200], [8192]] {
            for size in sizes { try exchange.pair.server.update(settings: [(1, size)]) }
            for _ in 0..<3 { try exchange.send(message) }
            // Requests from before the change are in flight when it arrives.
            try exchange.pair.exchangeAll()
            for _ in 0..<3 { try exchange.send(message) }
            try exchange.pair.exchangeAll()
        }
        #expect(exchange.firstChanged == nil)
        #expect(exchange.sent.count == 42)
    }

    @Test(arguments: [Indexing.incremental, .never]) func `headers arrive though the table is full`(
        _ credential: Indexing
    ) throws {
        let exchange = try HeaderExchange()
        let messages = try (0..<300).map { number in
            try HeaderExchange.Message(
                "match-\(number)", token: "bearer \(String(repeating: "x", count: 11 * number + 1))",
                indexing: credential)
        }
        for round in 0..<3 {
            for message in messages {
                for _ in 0...round { try exchange.send(message) }
            }
            try exchange.pair.exchangeAll()
        }
        #expect(exchange.firstChanged == nil)
    }

    @Test func `texts of any length arrive`() throws {
        let exchange = try HeaderExchange()
        let message = try HeaderExchange.Message("goal")
        for length in [1, 2, 76, 125, 126, 127, 128, 129, 254, 255, 256, 300, 600] {
            try exchange.send(message, path: "/" + String(repeating: "a", count: length - 1), id: "1")
            try exchange.send(message, path: "/", id: String(repeating: "b", count: length))
        }
        try exchange.pair.exchangeAll()
        #expect(exchange.firstChanged == nil)
    }

    @Test(arguments: [Indexing.incremental, .never])
    func `headers that fit no frame are refused`(_ indexing: Indexing) throws {
        #expect(throws: HTTP2Error.self) {
            try PreparedHeaders(
                authority: "example",
                fields: [HeaderField("x", String(repeating: "~", count: 16_000), indexing: indexing)])
        }
    }

    @Test func `the longest headers arrive`() throws {
        var settings = HTTP2ServerSettings()
        settings.maxHeaderListSize = 64 << 10
        let pair = try HTTP2Pair(server: settings)
        var lengths: [Int] = []
        pair.onRequest = { server, request in
            lengths.append(request.bytes("x")?.count ?? 0)
            try server.respond(to: request.stream, with: PreparedResponse(status: 200))
        }
        try pair.exchangeAll()
        // A tilde has a long Huffman code, so it is sent unchanged.
        let headers = try PreparedHeaders(
            authority: "example", fields: [HeaderField("x", String(repeating: "~", count: 15_000))])
        let path = [UInt8](repeating: UInt8(ascii: "/"), count: ClientStream.maximumRequestFieldBytes)
        try path.withUnsafeBytes { _ = try pair.client.submit(headers: headers, path: $0, body: nil, tag: 1) }
        try pair.exchangeAll()
        #expect(lengths == [15_000])
    }
}
