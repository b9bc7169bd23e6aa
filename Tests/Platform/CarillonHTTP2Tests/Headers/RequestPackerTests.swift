import Testing

@testable import CarillonHTTP2
@testable import CarillonHTTP2Server

/// The headers that many requests share: they are encoded once, and the peer must not notice.
struct RequestPackerTests {
    /// A client and a server that keeps all fields of each request, in the order of arrival.
    private final class Recorder {
        let pair: HTTP2Pair
        private(set) var arrived: [[String: String]] = []
        private(set) var sent: [[String: String]] = []

        init(tableBytes: UInt32 = 4096) throws {
            var settings = ServerSettings()
            settings.headerTableSize = tableBytes
            pair = try HTTP2Pair(server: settings)
            pair.onRequest = { [unowned self] server, request in
                var fields: [String: String] = [:]
                request.forEachHeader { name, value in
                    fields[String(decoding: name, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
                }
                arrived.append(fields)
                try server.respond(to: request.stream, with: PreparedResponse(status: 200))
            }
            try pair.exchangeAll()
        }

        /// The first request that did not arrive as it was sent.
        var firstChanged: Int? {
            arrived.count == sent.count ? zip(arrived, sent).enumerated().first { $1.0 != $1.1 }?.offset : arrived.count
        }

        func send(_ message: Message, path: String = "/3/device/00ff", id: String? = nil) throws {
            var path = path
            var id = id ?? ""
            let hasID = !id.isEmpty
            try path.withUTF8 { path in
                try id.withUTF8 { id in
                    _ = try pair.client.submit(
                        headers: message.headers, path: UnsafeRawBufferPointer(path),
                        requestID: hasID ? UnsafeRawBufferPointer(id) : nil, body: .sample, tag: UInt64(sent.count))
                }
            }
            let fields = [":method": "POST", ":scheme": "https", ":authority": "api.push.example", ":path": path]
            sent.append(
                fields.merging(message.fields) { $1 }.merging(hasID ? ["apns-id": id] : [:]) { $1 })
        }
    }

    private struct Message {
        let fields: [String: String]
        let headers: PreparedHeaders

        init(_ collapseID: String, token: String = "bearer abc", indexing: Indexing = .never) throws {
            fields = ["authorization": token, "apns-topic": "com.example.app", "apns-collapse-id": collapseID]
            headers = try PreparedHeaders(
                authority: "api.push.example",
                fields: fields.sorted { $0.key > $1.key }.map { name, value in
                    HeaderField(name, value, indexing: name == "authorization" ? indexing : .incremental)
                })
        }
    }

    /// The first byte of a literal field that is never indexed (RFC 7541 6.2.3); the index of its name is added.
    private static let literal: UInt8 = 0x10

    /// The byte of a field that a table has (RFC 7541 6.1). The static table ends with 61; 62 is the newest field of
    /// the connection.
    private static func indexed(_ index: UInt8) -> UInt8 { 0x80 | index }

    @Test func repeatedHeadersTakeAByteEach() throws {
        let exchange = try Recorder()
        let message = try Message("goal")
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 1)
        defer { buffer.deallocate() }
        var blocks: [[UInt8]] = []
        for _ in 0..<4 {
            try exchange.send(message, path: "/a", id: "7")
            let count = try exchange.pair.client.fill(buffer)
            let length = Int(buffer[1]) << 8 | Int(buffer[2])
            blocks.append(Array(buffer[9..<9 + length]))
            try exchange.pair.server.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        // Path and id are literals that no table keeps, then each text after its length; the id brings its name along.
        let path: [UInt8] = [Self.literal | 4, 2] + Array("/a".utf8)
        let id: [UInt8] = [Self.literal, 7] + Array("apns-id".utf8) + [1] + Array("7".utf8)
        let (post, https, authority) = (Self.indexed(3), Self.indexed(7), Self.indexed(64))
        let (topic, collapseID) = (Self.indexed(63), Self.indexed(62))
        let expected = [post, https, authority] + path + id + [topic, collapseID]
        #expect(Array(blocks[1].prefix(expected.count)) == expected)
        #expect(blocks[1] == blocks[2])
        #expect(blocks[2] == blocks[3])
        #expect(blocks[0].count > blocks[1].count)
    }

    @Test func aRepeatedCredentialTakesAByte() throws {
        let exchange = try Recorder()
        let token = "Bearer " + String(repeating: "~", count: 1_000)
        let message = try Message("goal", token: token, indexing: .incremental)
        let other = try Message("goal", token: "Bearer 2", indexing: .incremental)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 1)
        defer { buffer.deallocate() }
        var lengths: [Int] = []
        for next in [message, message, message, other, other, message] {
            try exchange.send(next, path: "/a")
            let count = try exchange.pair.client.fill(buffer)
            lengths.append(Int(buffer[1]) << 8 | Int(buffer[2]))
            try exchange.pair.server.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
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

    @Test func thePlaceholderForAuthorizationIsAsLongAsTheName() {
        #expect(PreparedHeaders.authorizationPlaceholder.utf8.count == "authorization".utf8.count)
    }

    @Test func aRequestHasOneCredential() {
        let field = HeaderField("authorization", "a")
        #expect(throws: HTTP2Error.invalidHeader("authorization")) {
            try PreparedHeaders(authority: "example", fields: [field, field])
        }
    }

    @Test(arguments: [0, 1, 100, 150, 4096, 65_536] as [UInt32], [Indexing.incremental, .never])
    func headersArriveWithATableOfAnySize(_ tableBytes: UInt32, _ credential: Indexing) throws {
        let exchange = try Recorder(tableBytes: tableBytes)
        let one = try Message("goal", indexing: credential)
        let other = try Message("half-time", token: "bearer another", indexing: credential)
        for round in 0..<200 {
            try exchange.send(round % 7 < 4 ? one : other, id: "id-\(round)")
            if round % 5 == 0 { try exchange.pair.exchangeAll() }
        }
        try exchange.pair.exchangeAll()
        #expect(exchange.firstChanged == nil)
    }

    @Test(arguments: [Indexing.incremental, .never]) func aTableThatChangesItsSizeIsFollowed(
        _ credential: Indexing
    ) throws {
        let exchange = try Recorder()
        let message = try Message("goal", indexing: credential)
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

    @Test(arguments: [Indexing.incremental, .never]) func headersArriveThoughTheTableIsFull(
        _ credential: Indexing
    ) throws {
        let exchange = try Recorder()
        let messages = try (0..<300).map { number in
            try Message(
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

    @Test func textsOfAnyLengthArrive() throws {
        let exchange = try Recorder()
        let message = try Message("goal")
        for length in [1, 2, 76, 125, 126, 127, 128, 129, 254, 255, 256, 300, 600] {
            try exchange.send(message, path: "/" + String(repeating: "a", count: length - 1), id: "1")
            try exchange.send(message, path: "/", id: String(repeating: "b", count: length))
        }
        try exchange.pair.exchangeAll()
        #expect(exchange.firstChanged == nil)
    }

    @Test(arguments: [Indexing.incremental, .never])
    func headersThatFitNoFrameAreRefused(_ indexing: Indexing) throws {
        #expect(throws: HTTP2Error.self) {
            try PreparedHeaders(
                authority: "example",
                fields: [HeaderField("x", String(repeating: "~", count: 16_000), indexing: indexing)])
        }
    }

    @Test func theLongestHeadersArrive() throws {
        var settings = ServerSettings()
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
