import CarillonCore

/// The contact who is responsible for the messages: the claim `sub` (RFC 8292, section 2.1). Push services write there
/// if there is a fault.
package struct VAPIDContact: Hashable, Sendable {
    /// A `mailto:` or `https:` URI.
    package let text: String

    /// The longest contact, in bytes.
    private static let maximumBytes = 256

    /// Checks a contact; nil if a push service would refuse it: Apple takes no white space, and no address at
    /// `localhost`.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        if let address = text.removing(prefix: "mailto:") {
            let parts = address.split(separator: "@", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, Self.isPublicName(parts[1]) else { return nil }
        } else {
            guard text.hasPrefix("https://"), let address = HTTPSAddress(text), Self.isPublicName(address.host) else {
                return nil
            }
        }
        self.text = text
    }

    private static func isPublicName(_ name: some StringProtocol) -> Bool {
        HTTPSAddress("https://" + name)?.host.contains(".") ?? false
    }
}
