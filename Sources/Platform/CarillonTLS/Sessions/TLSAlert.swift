import CCarillonOpenSSL

/// An alert of a peer (RFC 8446, section 6).
package struct TLSAlert: RawRepresentable, Hashable, Sendable {
    /// The number of the alert.
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    // The alerts that a caller tells apart, under their names in the RFC.
    package static let handshakeFailure = TLSAlert(rawValue: 40)
    package static let badCertificate = TLSAlert(rawValue: 42)
    package static let certificateExpired = TLSAlert(rawValue: 45)
    package static let unknownAuthority = TLSAlert(rawValue: 48)
    package static let certificateRequired = TLSAlert(rawValue: 116)
    package static let noApplicationProtocol = TLSAlert(rawValue: 120)
}

extension TLSAlert: CustomStringConvertible {
    package var description: String { "alert \(rawValue), " + String(cString: SSL_alert_desc_string_long(rawValue)) }
}
