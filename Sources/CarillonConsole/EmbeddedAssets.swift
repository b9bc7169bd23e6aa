// Long: Tools/support/embed.py writes this file. Do not edit it.
// swift-format-ignore-file

/// The files of `Assets`.
enum EmbeddedAssets {
    /// The first 16 digits of the SHA-256 of all files.
    static let hash = "edaf900e385072ec"
    static let all: [EmbeddedAsset] = [
        EmbeddedAsset(
            name: "index.html", type: "text/html; charset=utf-8",
            text: #"""
                <!doctype html><title>Carillon</title><link rel=stylesheet href="{{assets}}/console.css">

                """#),
    ]
}
