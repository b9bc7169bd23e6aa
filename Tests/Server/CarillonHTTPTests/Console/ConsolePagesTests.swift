import NIOCore
import NIOHTTP1
import Testing

@testable import CarillonHTTP

/// The files of the console, compressed for the browsers that accept it.
struct ConsolePagesTests {
    /// Returns the encoding of the answer, and the length of its body.
    private func ask(_ path: String, _ accepted: String?) -> (encoding: String?, bytes: Int) {
        var headers = HTTPHeaders()
        if let accepted { headers.add(name: "accept-encoding", value: accepted) }
        let answer = ConsolePages().answer(
            to: HTTPRequest(method: .GET, path: path, headers: headers, clientAddress: "127.0.0.1"))
        guard case .bytes(let body) = answer.body, answer.status == .ok else { return ("no page", 0) }
        #expect(answer.headers["vary"] == ["accept-encoding"])
        return (answer.headers.first(name: "content-encoding"), body.readableBytes)
    }

    @Test func `every file but the first is served compressed to browsers that accept it`() {
        let pages = ConsolePages()
        #expect(pages.paths.count == EmbeddedAssets.all.count)
        for path in pages.paths where path != "/" {
            let plain = ask(path, nil)
            let gzip = ask(path, "gzip, deflate, br, zstd")
            #expect(plain.encoding == nil)
            #expect(gzip.encoding == "gzip")
            #expect(gzip.bytes > 20, "\(path)")
        }
        #expect(ask("/", "gzip").encoding == nil)
    }

    @Test(arguments: [
        ("gzip", true), ("br, GZIP;q=0.5", true), ("gzip;q=1.0", true), ("gzip;q=0", false), ("gzip; q=0.000", false),
        ("x-gzip, br", false), ("identity", false), ("", false), ("gzip;q=", false), (";;,,;q=gzip", false),
    ])
    func `gzip is used if the browser names it and does not refuse it`(_ accepted: String, _ takes: Bool) throws {
        let path = try #require(ConsolePages().paths.first { $0.hasSuffix("/app.js") })
        #expect(ask(path, accepted).encoding == (takes ? "gzip" : nil))
    }
}
