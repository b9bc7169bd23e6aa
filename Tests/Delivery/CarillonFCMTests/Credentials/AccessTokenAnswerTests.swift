import CarillonCore
import CarillonFCM
import Testing

/// The meaning of an answer of the token endpoint: a token, a refusal in Google's words, or an outage.
struct AccessTokenAnswerTests {
    private func answer(_ status: UInt16, _ body: String, retryAfterMilliseconds: UInt64? = nil) -> AccessTokenAnswer {
        AccessTokenAnswer(status: status, body: Array(body.utf8), retryAfterMilliseconds: retryAfterMilliseconds)
    }

    @Test func `an access token is read from the answer`() {
        let body = #"{"access_token":"ya29.c.b0Aa-_x","expires_in":3599,"token_type":"Bearer"}"#
        #expect(answer(200, body) == .token("ya29.c.b0Aa-_x", lifetimeSeconds: 3_599))
    }

    @Test(arguments: [("1e300", 3_600), ("86400", 3_600), ("1", 1), ("1.9", 1)] as [(String, UInt64)])
    func `a lifetime is bounded`(_ given: String, _ seconds: UInt64) {
        let body = #"{"access_token":"a","expires_in":\#(given),"token_type":"bearer"}"#
        #expect(answer(200, body) == .token("a", lifetimeSeconds: seconds))
    }

    @Test(arguments: [
        "", "<html>", "{}", #"{"access_token":"a","expires_in":3599}"#, #"{"access_token":"a","token_type":"Bearer"}"#,
        #"{"access_token":"a","expires_in":0,"token_type":"Bearer"}"#,
        #"{"access_token":"a","expires_in":-5,"token_type":"Bearer"}"#,
        #"{"access_token":"","expires_in":5,"token_type":"Bearer"}"#,
        #"{"access_token":"a\r\nb: c","expires_in":5,"token_type":"Bearer"}"#,
        #"{"access_token":"a","expires_in":5,"token_type":"mac"}"#,
        #"{"access_token":"\#(String(repeating: "a", count: 4_097))","expires_in":5,"token_type":"Bearer"}"#,
    ])
    func `an answer without a usable token counts as an outage`(_ body: String) {
        #expect(answer(200, body, retryAfterMilliseconds: 5) == .unavailable("answer-malformed", afterMilliseconds: 5))
    }

    @Test func `a refusal has Google's words without control characters`() {
        let text = #"{"error":"invalid_grant","error_description":"Invalid JWT Signature.\n\u001b[2J"}"#
        #expect(answer(400, text) == .refused("invalid_grant: Invalid JWT Signature.[2J"))
        #expect(answer(401, #"{"error":"invalid_client"}"#) == .refused("invalid_client"))
    }

    @Test func `a long refusal is cut at 300 bytes`() throws {
        let long = String(repeating: "ü", count: 1_000)
        let words = try #require(answer(400, #"{"error":"\#(long)"}"#).refusal)
        #expect((290...300).contains(words.utf8.count))
    }

    @Test(arguments: [400, 401, 403, 404, 408, 429, 500, 503, 302, 0] as [UInt16])
    func `an answer that is neither token nor refusal is an outage`(_ status: UInt16) {
        #expect(
            answer(status, "<html>", retryAfterMilliseconds: 7)
                == .unavailable("status \(status)", afterMilliseconds: 7))
    }
}

extension AccessTokenAnswer {
    /// The words of a refusal; nil if Google has not refused.
    fileprivate var refusal: String? { if case .refused(let words) = self { words } else { nil } }
}
