import CarillonCommandLine

/// The numbers with their nouns.
extension Int {
    /// The number with the noun "device" or "devices".
    var devices: String { counted("device") }
    /// The number with the noun "message" or "messages".
    var messages: String { counted("message") }
    /// Returns the number with a noun whose plural ends with an s.
    func counted(_ name: String) -> String { "\(grouped) \(name)\(self == 1 ? "" : "s")" }
}
