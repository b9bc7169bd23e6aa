import NIOCore
import NIOHTTP1

/// The files of the console by their paths. All but the first page have the hash of all files in their path, so that a
/// browser keeps them for ever and never mixes two versions.
struct ConsolePages: Sendable {
    private var answers: [String: HTTPAnswer] = [:]

    init(_ assets: [EmbeddedAsset] = EmbeddedAssets.all, hash: String = EmbeddedAssets.hash) {
        for asset in assets {
            let isFirst = asset.name == "index.html"
            let text = isFirst ? asset.text.replacing("{{assets}}", with: "/assets/\(hash)") : asset.text
            answers[isFirst ? "/" : "/assets/\(hash)/\(asset.name)"] = HTTPAnswer(
                .ok,
                headers: [
                    "content-type": asset.type,
                    "cache-control": isFirst ? "no-cache" : "public, max-age=31536000, immutable",
                ],
                body: ByteBuffer(string: text))
        }
    }

    /// All paths.
    var paths: [String] { answers.keys.sorted() }

    /// Returns true if there is a file at the path.
    func exists(_ path: String) -> Bool { answers[path] != nil }

    /// The answer to a request for a file.
    func answer(to request: HTTPRequest) -> HTTPAnswer {
        answers[request.path] ?? .text("there is no such page", status: .notFound)
    }
}
