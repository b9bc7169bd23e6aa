@testable import CarillonHTTP2
@testable import CarillonHTTP2Server

/// A client and a server that keeps all fields of each request, in the order of arrival.
final class HeaderExchange {
    let pair: HTTP2Pair
    private(set) var arrived: [[String: String]] = []
    private(set) var sent: [[String: String]] = []

    init(tableBytes: UInt32 = 4096) throws {
        var settings = HTTP2ServerSettings()
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

    /// Sends a request, and returns the block of its headers as it is on the wire.
    func sendBlock(of message: Message, path: String, id: String? = nil) throws -> [UInt8] {
        try send(message, path: path, id: id)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 1)
        defer { buffer.deallocate() }
        let count = try pair.client.fill(buffer)
        try pair.server.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        let length = Int(buffer[1]) << 8 | Int(buffer[2])
        return Array(buffer[Self.frameHeaderBytes..<Self.frameHeaderBytes + length])
    }

    private static let frameHeaderBytes = 9

    /// The headers of a message, and their fields as the server must see them.
    struct Message {
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
}
