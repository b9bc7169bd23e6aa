import CarillonCore
import Testing

@testable import CarillonSession

/// The bounds of the handshake, of silence and of slow frames.
struct SessionTimersTests {
    private static let limits: SessionLimits = {
        var limits = SessionLimits()
        limits.handshakeTimeoutMilliseconds = 500
        limits.frameTimeoutMilliseconds = 50
        limits.keepaliveMilliseconds = 3_000
        limits.pingTimeoutMilliseconds = 100
        return limits
    }()

    private var timers = SessionTimers(limits: limits)

    @Test mutating func `silence is bounded from the last bytes or from the ping`() {
        timers.transportReady(at: 1_000)
        #expect(timers.handshakeDeadline == 1_500)
        #expect(timers.silenceDeadline == 4_000)
        timers.pingSent(at: 4_000)
        #expect(timers.isPinging)
        #expect(timers.silenceDeadline == 4_100)
        timers.bytesReceived(at: 4_050)
        #expect(!timers.isPinging)
        #expect(timers.silenceDeadline == 7_050)
    }

    @Test mutating func `a slow frame has time for its bytes`() {
        timers.frameIsIncomplete(bytes: nil, at: 1_000)
        #expect(timers.frameDeadline == 1_050)
        #expect(timers.incompleteFrameBytes == 0)
        timers.frameIsIncomplete(bytes: 8_192, at: 1_040)
        #expect((timers.frameDeadline, timers.incompleteFrameBytes) == (3_050, 8_192), "since its first bytes")
        timers.readingResumed(at: 2_000)
        #expect(timers.frameDeadline == 4_050)
        timers.frameIsComplete()
        #expect(timers.frameDeadline == nil)
    }
}
