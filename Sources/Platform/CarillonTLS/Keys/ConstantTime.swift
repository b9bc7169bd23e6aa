import CCarillonOpenSSL

/// Returns true if two byte strings are equal, in a time that depends on their lengths only.
package func constantTimeEquals(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
}
