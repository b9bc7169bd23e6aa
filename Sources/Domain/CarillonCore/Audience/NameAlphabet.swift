/// The bytes that a name may contain (Conditions 3). They are ASCII: a byte is a character, and one spelling is one
/// name.
enum NameAlphabet {
    /// Returns true if the name of a topic or group, or the value of an attribute, may contain `byte`.
    static func isInName(_ byte: UInt8) -> Bool {
        isInKey(byte) || "~%/:@+".utf8.contains(byte)
    }

    /// Returns true if the key of an attribute may contain `byte`.
    static func isInKey(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: ".")
    }

    /// Returns true if `name` can name a topic or a group.
    static func isSetName(_ name: Substring, maximumBytes: Int) -> Bool {
        let bytes = name.utf8
        return (1...maximumBytes).contains(bytes.count) && bytes.first != UInt8(ascii: "/")
            && bytes.allSatisfy(isInName)
    }
}
