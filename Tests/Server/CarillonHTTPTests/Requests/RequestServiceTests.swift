import CarillonCore
import CarillonGateway
import NIOHTTP1
import Testing

@testable import CarillonHTTP

/// The responses for errors.
struct RequestServiceTests {
    @Test func `retry-after is in whole seconds and only if there is a time`() {
        let errors = [
            GatewayError.overloaded("full"), .positionNotReached, .sessionEnded,
            GatewayError(.rateLimited, message: "wait").with(retryAfterMilliseconds: 6_001),
            GatewayError(.draining, message: "gone").with(retryAfterMilliseconds: 0),
            GatewayError(.storageFull, message: "full").with(retryAfterMilliseconds: 1_000),
        ]
        let headers = errors.map { error in
            let response = HTTPResponse.refusal(error)
            return "\(response.status.code) \(response.headers.first(name: "retry-after") ?? "none")"
        }
        #expect(headers == ["503 1", "503 1", "503 none", "429 7", "503 1", "507 none"])
    }
}
