import CarillonCore
import Testing

@testable import CarillonSession

/// The faults that a client may make, and what it says of itself.
struct ConnectedClientTests {
    private static let limits: SessionLimits = {
        var limits = SessionLimits()
        limits.errorsAtOnce = 2
        limits.errorsPerSecond = 1
        limits.minimumPingIntervalMilliseconds = 100
        return limits
    }()

    private var client = ConnectedClient(limits: limits, now: 0)

    @Test mutating func `errors are limited`() {
        let allowed = [client.admitError(at: 0), client.admitError(at: 0), client.admitError(at: 0)]
        #expect(allowed == [true, true, false])
        let later = client.admitError(at: 1_000)
        #expect(later)
    }

    @Test mutating func `the second ping that comes too soon is too many`() {
        let allowed = [client.admitPing(at: 0), client.admitPing(at: 50), client.admitPing(at: 90)]
        #expect(allowed == [true, true, false])
    }

    @Test mutating func `a ping in time forgives the one before`() {
        let allowed = [0, 50, 150, 200].map { client.admitPing(at: $0) }
        #expect(allowed == [true, true, true, true])
    }

    @Test mutating func `a receive limit of zero is that of the server`() {
        client.limitAnswers(to: 4_096)
        #expect(client.receiveLimit == 4_096)
        client.limitAnswers(to: 0)
        #expect(client.receiveLimit == Self.limits.frameBytes)
    }
}
