/// A line of the control port: a word and its argument.
package struct ControlCommand {
    /// The first word of the line.
    package let name: String
    /// The rest of the line; empty if there is none.
    package let argument: String

    /// Reads a line; nil if it is blank.
    init?(_ line: String) {
        let parts = line.split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
        guard let name = parts.first else { return nil }
        self.name = name
        argument = parts.count > 1 ? parts[1] : ""
    }
}
