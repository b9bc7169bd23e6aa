import Testing

@testable import CarillonHTTP2
@testable import CarillonHTTP2Server

/// Reads header blocks without nghttp2.
struct HeaderReaderTests {
    /// A reader with the fields of the last block.
    private struct Reading: ~Copyable {
        private var reader = HeaderReader(tableSize: 4096)
        private var fields = FieldList()

        deinit {
            var fields = fields
            fields.free()
        }

        /// Returns the fields of a block as `name: value`; nil if it is invalid.
        mutating func read(_ block: [UInt8], limit: Int = 8_000) -> [String]? {
            fields.removeAll()
            let isBlock = block.withUnsafeBytes { reader.read($0, into: &fields, limit: limit) } != nil
            guard isBlock else { return nil }
            return (0..<fields.count).map { index in
                let entry = fields.entries[index]
                let all = fields.texts[Int(entry.start)...].prefix(Int(entry.nameLength + entry.valueLength))
                let name = String(decoding: all.prefix(Int(entry.nameLength)), as: UTF8.self)
                return "\(name): \(String(decoding: all.dropFirst(Int(entry.nameLength)), as: UTF8.self))"
            }
        }

        var isTooLong: Bool { fields.isTooLong }
        mutating func allowTable(_ size: UInt32) { reader.allowTable(size) }
    }

    /// RFC 7541, appendices C.3 to C.6: each is a series of blocks on one connection. Huffman codes do not change the
    /// fields.
    private static let requests = [
        [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com"],
        [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com", "cache-control: no-cache"],
        [
            ":method: GET", ":scheme: https", ":path: /index.html", ":authority: www.example.com",
            "custom-key: custom-value",
        ],
    ]
    private static let answers = [
        [
            ":status: 302", "cache-control: private", "date: Mon, 21 Oct 2013 20:13:21 GMT",
            "location: https://www.example.com",
        ],
        [
            ":status: 307", "cache-control: private", "date: Mon, 21 Oct 2013 20:13:21 GMT",
            "location: https://www.example.com",
        ],
        [
            ":status: 200", "cache-control: private", "date: Mon, 21 Oct 2013 20:13:22 GMT",
            "location: https://www.example.com", "content-encoding: gzip",
            "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1",
        ],
    ]

    @Test(
        arguments: [
            (
                [
                    "828684410f7777772e6578616d706c652e636f6d", "828684be58086e6f2d6361636865",
                    "828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565",
                ], requests
            ),
            (
                [
                    "828684418cf1e3c2e5f23a6ba0ab90f4ff", "828684be5886a8eb10649cbf",
                    "828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf",
                ], requests
            ),
            // Answers, and a table of 256 bytes.
            (
                [
                    "3fe10148033330325807707269766174656"
                        + "11d4d6f6e2c203231204f637420323031332032303a31333a323120474d54"
                        + "6e1768747470733a2f2f7777772e6578616d706c652e636f6d", "4803333037c1c0bf",
                ], Array(answers[..<2])
            ),
            (
                [
                    "3fe101488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad17"
                        + "1863c78f0b97c8e9ae82ae43d3", "4883640effc1c0bf",
                    "88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdf"
                        + "cd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007",
                ], answers
            ),
        ] as [([String], [[String]])])
    func `the examples of the RFC are read`(_ blocks: [String], _ expected: [[String]]) {
        var reading = Reading()
        let found = blocks.map { reading.read(hexBytes($0)) }
        #expect(found == expected)
    }

    @Test func `the static table is that of the RFC`() {
        var reading = Reading()
        let fields = reading.read((1...61).map { 0x80 | UInt8($0) })
        #expect(fields?.count == 61)
        for (number, field) in [
            (1, ":authority: "), (2, ":method: GET"), (7, ":scheme: https"), (14, ":status: 500"),
            (16, "accept-encoding: gzip, deflate"), (23, "authorization: "), (28, "content-length: "), (38, "host: "),
            (53, "retry-after: "), (58, "user-agent: "), (61, "www-authenticate: "),
        ] {
            #expect(fields?[number - 1] == field)
        }
    }

    @Test(arguments: [
        ("index 0", "80"), ("an index after the table", "be"), ("a name after the table", "7f0161"),
        ("a size after a field", "8220"), ("a size above the limit", "3fe21f"), ("padding of eight bits", "4182f1ff"),
        ("padding of zeros", "4181f0"), ("the end symbol", "4184ffffffff"), ("a string that ends too late", "418cf1e3"),
        ("no string", "41"), ("no value", "400161"), ("no name", "4083"),
        ("an integer without end", "7fffffffffffffffff01"), ("an index that overflows", "ffffffffffffffff7f"),
    ])
    func `a malformed header block is refused`(_ row: (name: String, hex: String)) {
        var reading = Reading()
        let fields = reading.read(hexBytes(row.hex))
        #expect(fields == nil)
    }

    /// `{` and `}` have codes of 15 and 14 bits.
    private static let braces: [UInt8] = [0xFF, 0xFD, 0xFF, 0xEF]

    @Test func `long Huffman codes are read`() {
        var reading = Reading()
        for _ in 0..<3 {
            let fields = reading.read(HPACK.plain("x", HPACK.coded(Self.braces)) + HPACK.plain("x", HPACK.text("a")))
            #expect(fields == ["x: {}", "x: a"])
        }
    }

    @Test func `nothing is read after a broken Huffman code`() {
        var reading = Reading()
        let broken = reading.read(HPACK.plain("x", HPACK.coded([0xFF, 0xFE])))
        #expect(broken == nil, "a code without its end")
        let again = reading.read(HPACK.plain("x", HPACK.coded(Self.braces)))
        #expect(again == nil)
    }

    /// 15,872 bytes of code are a text that is longer, and an index without end follows it.
    @Test func `a text that is longer than its block is refused`() {
        var reading = Reading()
        let text = HPACK.coded([UInt8](repeating: 0x1F, count: 15_872))
        let long = reading.read(HPACK.plain("x", text) + Self.braces + [0x07, 0x1F])
        #expect(long == nil)
    }

    /// A table with room for two of the fields: the oldest is evicted.
    @Test func `fields leave a table that is full`() {
        var reading = Reading()
        let fields = ["a", "b", "c"].flatMap { HPACK.added($0, "x") }
        let first = reading.read(HPACK.tableSize(80) + fields)
        #expect(first == ["a: x", "b: x", "c: x"])
        let both = reading.read(HPACK.field(at: HPACK.newest) + HPACK.field(at: HPACK.newest + 1))
        #expect(both == ["c: x", "b: x"])
        let gone = reading.read(HPACK.field(at: HPACK.newest + 2))
        #expect(gone == nil)
    }

    @Test func `a field too large for the table empties it`() {
        var reading = Reading()
        let long = String(repeating: "y", count: 100)
        let first = reading.read(HPACK.tableSize(80) + HPACK.added("a", "x") + HPACK.added("b", long))
        #expect(first == ["a: x", "b: \(long)"])
        let gone = reading.read(HPACK.field(at: HPACK.newest))
        #expect(gone == nil)
    }

    @Test func `a new field keeps the name of the one that it evicts`() {
        var reading = Reading()
        let fields = reading.read(
            HPACK.tableSize(36) + HPACK.added("a", "x") + HPACK.added(nameAt: HPACK.newest, "y")
                + HPACK.field(at: HPACK.newest))
        #expect(fields == ["a: x", "a: y", "a: y"])
    }

    @Test func `many fields pass through the table`() {
        var reading = Reading()
        for number in 0..<5_000 {
            let value = String(repeating: "v\(number)", count: 1 + number % 40)
            let fields = reading.read(HPACK.added("a", value) + HPACK.field(at: HPACK.newest))
            #expect(fields == ["a: \(value)", "a: \(value)"])
        }
    }

    @Test func `a larger table is used once it is allowed`() {
        var reading = Reading()
        let before = reading.read(HPACK.tableSize(8_192))
        #expect(before == nil)
        reading.allowTable(8_192)
        let after = reading.read(HPACK.tableSize(8_192))
        #expect(after == [])
    }

    /// Fields that do not fit are left out, but they are in the table.
    @Test func `a list that is too long is cut`() {
        var reading = Reading()
        let fields = reading.read(HPACK.added("a", "x") + HPACK.added("b", "x"), limit: 3)
        let wasTooLong = reading.isTooLong
        #expect(fields == ["a: x"])
        #expect(wasTooLong)
        let next = reading.read(HPACK.field(at: HPACK.newest))
        #expect(next == ["b: x"])
    }

    @Test func `a list has at most 64 fields`() {
        var reading = Reading()
        let many = reading.read((1...65).flatMap { _ in HPACK.field(at: 2) })
        let areTooMany = reading.isTooLong
        #expect(many?.count == 64)
        #expect(areTooMany)
    }

    @Test func `a repeated authorization is the same text`() {
        var reading = Reading()
        // Static name 23, never indexed: coded, another, the first again, in plain, and one without anything.
        for (hex, text) in [
            ("1f088cf1e3c2e5f23a6ba0ab90f4ff", "www.example.com"),
            ("1f088cf1e3c2e5f23a6ba0ab90f4ff", "www.example.com"),
            ("1f0886a8eb10649cbf", "no-cache"), ("1f088cf1e3c2e5f23a6ba0ab90f4ff", "www.example.com"),
            ("1f0803626f62", "bob"), ("1f0803626f62", "bob"), ("1f0800", ""), ("1f0803626f62", "bob"),
            ("57086e6f2d6361636865", "no-cache"), ("be", "no-cache"),
        ] {
            let fields = reading.read(hexBytes(hex))
            #expect(fields == ["authorization: \(text)"])
        }
    }

    /// Each printable character alone and among digits, so that both short codes and long ones are at each position.
    @Test func `a path of any length and alphabet arrives`() throws {
        let pair = try HTTP2Pair()
        var paths: [String] = []
        pair.onRequest = { server, request in
            request.forEachHeader { name, value in
                if name.elementsEqual(":path".utf8) { paths.append(String(decoding: value, as: UTF8.self)) }
            }
            try server.respond(to: request.stream, with: PreparedResponse(status: 200))
        }
        try pair.exchangeAll()
        var sent: [String] = []
        for character in (UInt8(ascii: "!")...UInt8(ascii: "~")).map({ String(UnicodeScalar($0)) }) {
            for count in [0, 1, 2, 7, 8, 63, 120] {
                let token =
                    String(repeating: "0a3f", count: count).prefix(count) + character
                    + String(repeating: character, count: count % 5)
                sent.append("/3/device/\(token)")
                try pair.push(String(token), tag: UInt64(sent.count))
            }
            try pair.exchangeAll()
        }
        #expect(paths == sent)
    }
}
