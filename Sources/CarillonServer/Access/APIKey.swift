import CarillonCore
package import CarillonTLS

/// An API key for clients: the key itself is shown once, its hash is stored.
package enum APIKey {
    /// Makes a key of 32 random bytes, in letters that need no quoting, and its SHA-256 for the file of principals.
    package static func make() throws(TLSError) -> (key: String, sha256: String) {
        let key = "crln_" + Hex.string(try randomBytes(32))
        return (key, Hex.string(SHA256.hash(Array(key.utf8))))
    }
}
