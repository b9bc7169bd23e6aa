/// Finds the word that was meant by a misspelt one.
package enum Spelling {
    /// The longest word that is compared, in bytes; a longer one has no suggestion.
    private static let maximumBytes = 64
    /// The fewest bytes of an abbreviation.
    private static let minimumAbbreviationBytes = 3

    /// Returns the word of `words` that is nearest to `word`; nil if no word is near.
    ///
    /// Examples, with `send`, `status`, `stats` and `register` as `words`:
    ///
    /// | `word` | Result | Why |
    /// |---|---|---|
    /// | `sned`, `SEND` | `send` | One swap is near; case does not count. |
    /// | `sdne` | nil | Two errors are more than a third of four bytes. |
    /// | `reg` | `register` | No word is near, and only this one begins with it. |
    /// | `sta` | nil | No word is near, and two begin with it. |
    /// | `re` | nil | Words of one or two bytes are near only to themselves, and too short to be the beginning. |
    ///
    /// An error is a byte that is wrong, missing, too many, or swapped with its neighbour. A near word may have one
    /// error, or as many as a third of the bytes of the longer word, but never more than three. Bytes are compared, not
    /// letters: "ü" is two.
    package static func nearest(to word: String, among words: some Sequence<String>) -> String? {
        let wanted = Array(word.lowercased().utf8)
        guard (1...maximumBytes).contains(wanted.count) else { return nil }
        var best: (word: String, distance: Int)?
        var continuations: [String] = []
        for candidate in words where candidate.utf8.count <= maximumBytes {
            let bytes = Array(candidate.lowercased().utf8)
            if wanted.count >= minimumAbbreviationBytes, bytes.starts(with: wanted) { continuations.append(candidate) }
            let limit = min(max(1, max(wanted.count, bytes.count) / 3), 3)
            // Too short: any two words of one or two bytes differ by two bytes at most.
            guard wanted.count > 2 || wanted == bytes, abs(wanted.count - bytes.count) <= limit else { continue }
            let distance = editDistance(wanted, bytes)
            if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.word ?? (continuations.count == 1 ? continuations[0] : nil)
    }

    /// Returns the question after an unknown word, with a blank before it, such as " Did you mean 'send'?"; empty if no
    /// word is near.
    package static func suggestion(for word: String, among words: some Sequence<String>) -> String {
        nearest(to: word, among: words).map { " Did you mean '\($0)'?" } ?? ""
    }

    /// Returns the number of bytes to insert, remove, replace or swap with their neighbour (optimal string
    /// alignment).
    private static func editDistance(_ first: [UInt8], _ second: [UInt8]) -> Int {
        var beforeLast = [Int]()
        var last = Array(0...second.count)
        for (row, byte) in first.enumerated() {
            var current = [row + 1]
            for (column, other) in second.enumerated() {
                var cost = min(last[column] + (byte == other ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, byte == second[column - 1], first[row - 1] == other {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            beforeLast = last
            last = current
        }
        return last[second.count]
    }
}
