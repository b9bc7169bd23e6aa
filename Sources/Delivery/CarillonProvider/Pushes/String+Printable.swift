import CarillonCore

/// Texts of a peer, as logs and TRACE may show them.
extension String {
    /// Returns the beginning of the text, without control characters, which could change a line of a log.
    ///
    /// - Parameter maximumBytes: the most bytes of UTF-8 that are returned.
    package func printable(maximumBytes: Int) -> String {
        var kept = ""
        for scalar in unicodeScalars where !scalar.isControlCharacter {
            guard kept.utf8.count + 4 <= maximumBytes else { break }
            kept.unicodeScalars.append(scalar)
        }
        return kept
    }
}
