import CarillonCore
import CarillonTestKit
import Testing

@testable import CarillonClient

/// Choosing the next address to try, without sockets.
struct ServerSelectionTests {
    private var generator = SeededGenerator(seed: TestSeeds.one(test: "ServerSelectionTests"))
    private let lost = CarillonError(.cannotConnect, retryAfter: .zero, message: "no")
    private let refused = CarillonError(.authenticationFailed, message: "wrong key")

    private func selection(_ count: Int) -> ServerSelection {
        var configuration = CarillonClient.Configuration(addresses: [])
        configuration.backoff = .milliseconds(100)
        configuration.maximumBackoff = .milliseconds(100)
        return ServerSelection(count: count, backoff: FailureBackoff(configuration), refusalPauseMilliseconds: 60_000)
    }

    @Test mutating func `a round tries each address and then pauses`() throws {
        var servers = selection(2)
        #expect(servers.next(at: 0) == .address(0))
        #expect(servers.connectionFailed(0, with: lost, cause: "a", at: 0, using: &generator) == false)
        #expect(servers.next(at: 0) == .address(1))
        #expect(servers.connectionFailed(1, with: lost, cause: "b", at: 0, using: &generator))
        #expect(servers.causes == ["a", "b"])
        #expect(servers.failedRounds == 1)
        let pause = servers.next(at: 0)
        let pauseEnd = try #require(pause.pauseEnd)
        #expect((50...100).contains(pauseEnd.milliseconds))
        #expect(servers.next(at: pauseEnd) == .address(0))
    }

    @Test func `after a connection that has worked the next address comes at once`() {
        var servers = selection(3)
        #expect(servers.next(at: 0) == .address(0))
        servers.connectionOpened(0)
        servers.connectionWorked()
        #expect(servers.next(at: 0) == .address(1))
        servers.connectionOpened(1)
        servers.connectionWorked()
        #expect(servers.next(at: 0) == .address(2))
    }

    @Test mutating func `an address that drains is left out until its time`() {
        var servers = selection(2)
        servers.delay(1, milliseconds: 5_000, at: 0)
        #expect(servers.next(at: 0) == .address(0))
        // The only one of its round: a failure ends the round, so that the client does not ask it in a loop.
        #expect(servers.connectionFailed(0, with: lost, cause: "a", at: 0, using: &generator))
        servers.delay(0, milliseconds: 9_000, at: 0)
        #expect(servers.next(at: 1_000) == .wait(until: 5_000))
        #expect(servers.next(at: 5_000) == .address(1))
    }

    @Test func `a refusal keeps an address out for its time`() {
        var servers = selection(2)
        servers.refuse(0, with: refused, key: [1], at: 0)
        #expect(servers.next(at: 0) == .address(1))
        servers.refuse(1, with: refused, key: [1], at: 10)
        #expect(servers.areAllRefused)
        #expect(servers.next(at: 20) == .refused(servers.firstRefusal ?? lost))
        #expect(servers.next(at: 60_000) == .address(0))
        #expect([0, 1].map { servers.isRefused($0) } == [false, true])
    }

    @Test func `another key ends the refusals of the first`() {
        var servers = selection(2)
        for index in 0...1 { servers.refuse(index, with: refused, key: [1], at: 0) }
        servers.liftRefusals(key: [1])
        #expect(servers.areAllRefused)
        servers.liftRefusals(key: [2])
        #expect(servers.firstRefusal == nil)
    }

    @Test func `another key ends no refusal because of a certificate`() {
        var servers = selection(1)
        servers.refuse(0, with: CarillonError(.untrusted, message: "no"), key: [2], at: 0)
        servers.liftRefusals(key: [3])
        #expect(servers.isRefused(0))
    }
}

extension ServerSelection.Choice {
    /// The time until which the client waits before it tries an address; nil if it does not wait.
    fileprivate var pauseEnd: Uptime? { if case .wait(let until) = self { until } else { nil } }
}
