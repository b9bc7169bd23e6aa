import CarillonCore
package import CarillonTLS

/// A new API key for a client: the key itself is shown once, its hash is stored.
package struct NewAPIKey {
    package let key: String
    /// The SHA-256 of the key, for the file of principals.
    package let sha256: String

    /// Makes a key of 32 random bytes, in letters that need no quoting.
    package init() throws(TLSError) {
        key = "crln_" + Hex.string(try randomBytes(32))
        sha256 = Hex.string(SHA256.hash(Array(key.utf8)))
    }
}
