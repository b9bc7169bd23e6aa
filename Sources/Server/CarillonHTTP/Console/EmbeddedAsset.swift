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
