import CarillonTLS

/// A service account that the simulator knows.
struct Account: Sendable {
    var project: String
    var email: String
    var keyID: String
    /// The value that `aud` of an assertion must have.
    var tokenURI: String
    var key: RSAVerifyingKey
}
