import CarillonCore
import CarillonSimulator
import CarillonTLS

/// Google's token endpoint, which exchanges an assertion for an access token (RFC 7523, section 2.1).
struct TokenEndpoint: Sendable {
    let accounts: [Account]
    let lifetimeSeconds: Int64

    private static let maximumAssertionLifetimeSeconds: Int64 = 3_600
    /// The largest error of a client's clock that is accepted, in seconds.
    private static let maximumSkewSeconds: Int64 = 300

    func response(to request: ReceivedRequest, tokens: inout AccessTokens, at now: Int64) -> ServiceResponse {
        guard request.method == "POST" else { return .html(405, title: "Error 405 (Method Not Allowed)!!1") }
        guard request.header("content-type")?.hasPrefix("application/x-www-form-urlencoded") == true else {
            return refusal(
                "invalid_request", description: "The content type must be application/x-www-form-urlencoded.")
        }
        let form = Self.form(String(decoding: request.body, as: UTF8.self))
        guard form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer" else {
            return refusal("unsupported_grant_type", description: "Invalid grant_type: \(form["grant_type"] ?? "")")
        }
        guard let token = JSONWebToken(form["assertion"] ?? ""), token.header["alg"]?.string == "RS256" else {
            return refusal("invalid_grant", description: "Invalid JWT: Failed to parse assertion.")
        }
        guard let account = accounts.first(where: { $0.email == token.claims["iss"]?.string }) else {
            return refusal("invalid_grant", description: "Invalid grant: account not found")
        }
        guard token.header["kid"]?.string == account.keyID,
            account.key.isValidSignature(token.signature, for: token.signed)
        else { return refusal("invalid_grant", description: "Invalid JWT Signature.") }
        guard token.claims["aud"]?.string == account.tokenURI else {
            return refusal("invalid_grant", description: "Invalid JWT: aud must be \(account.tokenURI)")
        }
        let scopes = token.claims["scope"]?.string?.split(separator: " ") ?? []
        guard
            scopes.contains("https://www.googleapis.com/auth/firebase.messaging")
                || scopes.contains("https://www.googleapis.com/auth/cloud-platform")
        else { return refusal("invalid_scope", description: "Invalid OAuth scope or ID token audience provided.") }
        guard Self.isInTime(token, now: now / 1_000) else {
            return refusal(
                "invalid_grant",
                description:
                    "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. "
                    + "Check your iat and exp values in the JWT claim.")
        }
        let text = tokens.issue(project: account.project, endsAt: now + lifetimeSeconds * 1_000)
        let body = "{\"access_token\":\(text.asJSON),\"expires_in\":\(lifetimeSeconds),\"token_type\":\"Bearer\"}"
        return ServiceResponse(status: 200, fields: ["content-type": "application/json; charset=utf-8"], body: body)
    }

    private static func isInTime(_ token: JSONWebToken, now: Int64) -> Bool {
        guard case .integer(let issued)? = token.claims["iat"], case .integer(let end)? = token.claims["exp"],
            (0...1 << 40).contains(issued), (0...1 << 40).contains(end)
        else { return false }
        return end - issued <= maximumAssertionLifetimeSeconds && issued <= now + maximumSkewSeconds && end > now
    }

    private func refusal(_ error: String, description text: String) -> ServiceResponse {
        ServiceResponse(
            status: 400, fields: ["content-type": "application/json; charset=utf-8"],
            body: "{\"error\":\(error.asJSON),\"error_description\":\(text.asJSON)}", fault: error)
    }

    private static func form(_ text: String) -> [String: String] {
        var form: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(decoded)
            if parts.count == 2 { form[parts[0]] = parts[1] }
        }
        return form
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var digits = Array(text.utf8)[...]
        while let byte = digits.popFirst() {
            if byte == UInt8(ascii: "%"), digits.count >= 2, let high = Hex.value(of: digits.removeFirst()),
                let low = Hex.value(of: digits.removeFirst())
            {
                bytes.append(high << 4 | low)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
