/// Text of the head of a request without its blanks.
extension StringProtocol {
    /// The text without the spaces and tabs at both ends.
    var trimmed: String {
        let start = drop { $0 == " " || $0 == "\t" }
        return String(String(start.reversed()).drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
