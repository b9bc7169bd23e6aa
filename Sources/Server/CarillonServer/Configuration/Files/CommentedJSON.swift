package import Configuration

/// A configuration file of JSON in which lines that begin with `//` are comments.
package struct CommentedJSON: FileConfigSnapshot {
    private let json: JSONSnapshot

    /// Reads the file's bytes without its comments.
    package init(data: RawSpan, providerName: String, parsingOptions: JSONSnapshot.ParsingOptions) throws {
        let bytes = data.withUnsafeBytes(Self.withoutComments)
        json = try JSONSnapshot(
            data: bytes.span.bytes, providerName: providerName, parsingOptions: parsingOptions)
    }

    /// Empties the lines of comments, so that errors still name the right line. A string of JSON cannot span lines, so
    /// none is changed.
    static func withoutComments(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            let words = line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            return words.starts(with: "//".utf8) ? [] : Array(line)
        }
        .joined(separator: [UInt8(ascii: "\n")]).map { $0 }
    }

    /// The provider's name.
    package var providerName: String { json.providerName }
    /// The file as JSON.
    package var description: String { json.description }
    /// The file as JSON, in detail.
    package var debugDescription: String { json.debugDescription }

    /// Returns the value of a key.
    package func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        try json.value(forKey: key, type: type)
    }
}
