import CarillonCore
import Testing

@testable import CarillonDelivery

/// Answers about tokens are believed until a destination calls too many tokens of an app bad.
struct TokenBreakersTests {
    private static let app = AppID("com.example.game")!
    private var breakers = TokenBreakers()

    private mutating func report(
        _ report: TokenBreakers.Report, times: Int, for destination: PushDestination = .apnsProduction
    ) -> [DeliveryEngine.AlarmReport] {
        (0..<times).compactMap { _ in breakers.tokenReported(report, of: Self.app, for: destination) }
    }

    private func isBelieved(_ report: TokenBreakers.Report, from destination: PushDestination) -> Bool {
        !breakers.isOpen(for: report, of: Self.app, from: destination)
    }

    @Test func `some refusals state that a token is bad`() {
        let reports = ([.badToken, .tokenNotForTopic, .tokenUnregistered, .badRequest] as [Outcome]).map {
            TokenBreakers.Report($0)
        }
        #expect(reports == [.bad, .bad, .unregistered, nil])
    }

    @Test mutating func `fifty bad tokens raise an alarm and no more are believed`() {
        #expect(report(.bad, times: 49).isEmpty)
        #expect(isBelieved(.bad, from: .apnsProduction))
        #expect(report(.bad, times: 1) == [.badTokens(Self.app, .apnsProduction, isOver: false)])
        #expect(!isBelieved(.bad, from: .apnsProduction))
        #expect(report(.bad, times: 100).isEmpty, "one alarm")
    }

    @Test mutating func `the other destination and the other answer are still believed`() {
        _ = report(.bad, times: 50)
        #expect(isBelieved(.bad, from: .apnsSandbox))
        #expect(isBelieved(.unregistered, from: .apnsProduction))
    }

    @Test mutating func `a few bad tokens among many good ones are believed`() {
        _ = report(.bad, times: 1)
        _ = report(.good, times: 500)
        #expect(report(.bad, times: 49).isEmpty)
        #expect(isBelieved(.bad, from: .apnsProduction))
    }

    @Test mutating func `good tokens end the alarm`() {
        _ = report(.bad, times: 50)
        #expect(report(.good, times: 1_000) == [.badTokens(Self.app, .apnsProduction, isOver: true)])
        #expect(isBelieved(.bad, from: .apnsProduction))
    }
}
