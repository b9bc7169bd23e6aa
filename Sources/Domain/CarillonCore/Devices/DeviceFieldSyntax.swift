/// The syntax of language tags and time zones. The lists of languages and zones change, so nothing but the syntax is
/// checked.
package enum DeviceFieldSyntax {
    /// Returns true if `tag` can be a language tag (RFC 5646): 2 to 35 letters, digits and `-`.
    package static func isLanguageTag(_ tag: String) -> Bool {
        (2...35).contains(tag.utf8.count)
            && tag.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
    }

    /// Returns true if `name` can be the name of a time zone in the IANA database: 1 to 64 bytes.
    package static func isTimeZone(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "/_+-".utf8.contains($0) }
    }
}
