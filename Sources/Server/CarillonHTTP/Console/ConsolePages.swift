import CarillonCore
import NIOCore
import NIOHTTP1

/// The files of the console by their paths. All but the first page have the hash of all files in their path, so that a
/// browser keeps them forever and never mixes two versions.
struct ConsolePages: Sendable {
    /// A file as it is, and compressed with gzip; nil if it is not served compressed.
    private struct Page {
        var plain: HTTPResponse
        var gzip: HTTPResponse?
    }

    private var pages: [String: Page] = [:]

    init(_ assets: [EmbeddedAsset] = EmbeddedAssets.all, hash: String = EmbeddedAssets.hash) {
        for asset in assets {
            let isFirst = asset.name == "index.html"
            let text = isFirst ? asset.text.replacing("{{assets}}", with: "/assets/\(hash)") : asset.text
            let plain = HTTPResponse(
                .ok,
                headers: [
                    "content-type": asset.type,
                    "cache-control": isFirst ? "no-cache" : "public, max-age=31536000, immutable",
                    "vary": "accept-encoding",
                ],
                body: ByteBuffer(string: text))
            var page = Page(plain: plain)
            let lineFeed = UInt8(ascii: "\n")
            if let bytes = asset.gzip.flatMap({ Base64URL.decode($0.utf8.filter { $0 != lineFeed }) }) {
                var gzip = plain
                gzip.headers.add(name: "content-encoding", value: "gzip")
                gzip.body = .bytes(ByteBuffer(bytes: bytes))
                page.gzip = gzip
            }
            pages[isFirst ? "/" : "/assets/\(hash)/\(asset.name)"] = page
        }
    }

    var paths: [String] { pages.keys.sorted() }

    func exists(_ path: String) -> Bool { pages[path] != nil }

    func answer(to request: HTTPRequest) -> HTTPResponse {
        guard let page = pages[request.path] else { return .text("there is no such page", status: .notFound) }
        if let gzip = page.gzip, Self.acceptsGzip(request.headers) { return gzip }
        return page.plain
    }

    /// Returns true if the peer names gzip among the encodings that it takes (RFC 9110, 12.5.3).
    private static func acceptsGzip(_ headers: HTTPHeaders) -> Bool {
        headers[canonicalForm: "accept-encoding"].contains { encoding in
            let parts = encoding.split(separator: ";").map { $0.trimmed.lowercased() }
            guard parts.first == "gzip" else { return false }
            let qualities = parts.dropFirst().compactMap { $0.removing(prefix: "q=") }
            return !qualities.contains { (Double($0) ?? 0) <= 0 }
        }
    }
}

/// A file of the console, as `Tools/support/embed.py` writes it into the program.
struct EmbeddedAsset: Sendable {
    /// The path below `Assets`.
    var name: String
    /// The content-type.
    var type: String
    var text: String
    /// The content, compressed with gzip, as base64url in lines; nil if it is not served compressed.
    var gzip: String?
}
