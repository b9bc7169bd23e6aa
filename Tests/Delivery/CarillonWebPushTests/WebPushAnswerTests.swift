import CarillonCore
import CarillonProvider
import CarillonWebPush
import Foundation
import Testing

/// The reason and the service that are read from an answer of a push service. No body traps.
struct WebPushAnswerTests {
    @Test(arguments: WebPushService.allCases) func `no body traps`(_ service: WebPushService) {
        let bodies = [
            [], [0xFF, 0xFE], Array("{".utf8), Array(#"{"reason":7,"errno":"x"}"#.utf8),
            [UInt8](repeating: 0x5B, count: 50_000), [UInt8](repeating: 0x78, count: 100_000),
        ]
        for status in [0, 100, 302, 400, 401, 403, 404, 406, 410, 429, 503, .max] as [UInt16] {
            let empty = WebPushAnswer.judgeFailure(status: status, body: [], service: service, isKeyProven: true)
            for body in bodies {
                #expect(
                    WebPushAnswer.judgeFailure(status: status, body: body, service: service, isKeyProven: true) == empty
                )
            }
        }
    }

    @Test func `the reason is in the words of the service`() {
        func reason(_ body: String, _ service: WebPushService, detail: String? = nil) -> String? {
            WebPushAnswer.judgeFailure(
                status: 400, body: Array(body.utf8), detail: detail, service: service, isKeyProven: true
            ).reason
        }
        #expect(reason(#"{"reason":"BadTtl"}"#, .apple) == "BadTtl")
        #expect(reason(#"{"errno":111}"#, .mozilla) == "errno-111")
        #expect(reason("", .windows, detail: "a\nb") == "ab")
        #expect(reason("", .windows, detail: "\n") == nil)
        #expect(reason("", .google, detail: "request 17 failed") == nil)
        #expect(reason(#"{"reason":"\#(String(repeating: "ü", count: 99))"}"#, .apple)?.utf8.count == 62)
        #expect(reason(#"{"reason":"BadTtl"}"#, .other) == nil)
    }

    @Test(
        arguments: [
            ("fcm.googleapis.com", .google), ("jmt17.google.com", .google),
            ("updates.push.services.mozilla.com", .mozilla),
            ("web.push.apple.com", .apple), ("db5p.notify.windows.com", .windows), ("push.example.org", .other),
        ] as [(String, WebPushService)])
    func `a service is known by its host`(_ host: String, _ service: WebPushService) throws {
        #expect(WebPushService(try #require(HTTPSAddress("https://\(host)/x"))) == service)
    }
}
