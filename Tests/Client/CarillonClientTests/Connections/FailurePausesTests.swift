import Testing

@testable import CarillonClient

/// The pauses of a subscription grow with each failure, and begin anew after an answer.
struct FailurePausesTests {
    @Test func `pauses grow until a request is answered`() {
        var configuration = CarillonClient.Configuration(addresses: [])
        configuration.backoff = .milliseconds(100)
        configuration.maximumBackoff = .milliseconds(400)
        var pauses = FailurePauses(FailureBackoff(configuration))
        let growing = (1...4).map { _ in pauses.countFailure() }
        let bounds = [50...100, 100...200, 200...400, 200...400] as [ClosedRange<UInt64>]
        #expect(zip(bounds, growing).allSatisfy { $0.contains($1) }, "\(growing)")
        pauses.succeeded()
        #expect(bounds[0].contains(pauses.countFailure()))
    }
}
