import CarillonTLS
import Foundation
import Synchronization

/// A verifier of provider tokens: the keys that may sign them, and the tokens that were verified so far. It checks the
/// signature of each token once.
final class ProviderTokenVerifier: Sendable {
    struct Signer: Sendable {
        var team: String
        var keyID: String
        var key: VerifyingKey
    }

    private let signers: [Signer]
    private let verifiedTokens = Mutex<[[UInt8]: ProviderToken]>([:])

    private static let maximumTokenBytes = 4096
    private static let maximumCachedTokens = 1024

    init(signers: [Signer]) { self.signers = signers }

    /// Verifies a JSON Web Token signed with ES256 (RFC 7515, 7518), and returns its claims; nil if it is not valid.
    func verifiedToken(_ token: UnsafeRawBufferPointer) -> ProviderToken? {
        guard token.count <= ProviderTokenVerifier.maximumTokenBytes else { return nil }
        let bytes = Array(token)
        if let known = verifiedTokens.withLock({ $0[bytes] }) { return known }
        guard let fresh = readVerified(bytes) else { return nil }
        verifiedTokens.withLock { cache in
            if cache.count >= ProviderTokenVerifier.maximumCachedTokens { cache.removeAll() }
            cache[bytes] = fresh
        }
        return fresh
    }

    private struct Header: Decodable {
        var alg: String
        var kid: String
    }

    private struct Claims: Decodable {
        var iss: String
        var iat: Int64
    }

    private func readVerified(_ token: [UInt8]) -> ProviderToken? {
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = decode(Header.self, from: parts[0]), header.alg == "ES256",
            let claims = decode(Claims.self, from: parts[1]), let signature = bytes(ofBase64URL: parts[2]),
            signature.count == 64
        else { return nil }
        let signed = Array(token[..<parts[1].endIndex])
        let isSigned = signers.contains { signer in
            signer.team == claims.iss && signer.keyID == header.kid
                && signer.key.isValidSignature(signature, for: signed)
        }
        return isSigned ? ProviderToken(team: claims.iss, keyID: header.kid, issuedAtSeconds: claims.iat) : nil
    }

    private func decode<Value: Decodable>(_ type: Value.Type, from part: ArraySlice<UInt8>) -> Value? {
        // Why try?: nil says that it is no token.
        bytes(ofBase64URL: part).flatMap { try? JSONDecoder().decode(type, from: Data($0)) }
    }

    private func bytes(ofBase64URL part: ArraySlice<UInt8>) -> [UInt8]? {
        guard !part.contains(where: { "+/=".utf8.contains($0) }) else { return nil }
        let standard = String(decoding: part, as: UTF8.self).replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        return Data(base64Encoded: standard + padding).map(Array.init)
    }
}

/// The claims of a verified provider token.
struct ProviderToken: Equatable {
    var team: String
    var keyID: String
    /// The time of issue, in seconds since 1970.
    var issuedAtSeconds: Int64

    static let maximumAgeSeconds: Int64 = 3600
    static let maximumSkewSeconds: Int64 = 300

    /// Returns true if the token is at most an hour old, and was not issued in the future.
    func isCurrent(atSeconds now: Int64) -> Bool {
        let (age, overflow) = now.subtractingReportingOverflow(issuedAtSeconds)
        return !overflow && age <= ProviderToken.maximumAgeSeconds && age >= -ProviderToken.maximumSkewSeconds
    }
}
