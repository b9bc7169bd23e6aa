import CarillonCore
import Testing

@testable import CarillonDelivery

/// Until when a message is tried, and how its recipients end that are left.
struct MessageTermsTests {
    private static let now = Moment(wall: Timestamp(milliseconds: 1_790_000_000_000), uptime: 500_000)

    /// The terms of a message that can be sent since `age` milliseconds.
    private static func terms(
        _ expiration: Expiration = .unspecified, type: PushType = .alert, notAfter: Timestamp? = nil, age: UInt64 = 0,
        channel: ChannelAddress? = nil
    ) -> MessageTerms {
        let content = MessageContent(
            app: EngineHarness.app, pushType: type, expiration: expiration, payload: Array("{}".utf8))
        let entry = OutboxEntry(
            id: MessageID(rawValue: 1), content: content,
            sendableSince: Timestamp(milliseconds: now.wall.milliseconds - age), notAfter: notAfter, lane: .bulk,
            channel: channel)
        return MessageTerms(entry, notAfter: notAfter, at: now)
    }

    // MARK: The last attempt

    /// `notAfter` is in milliseconds and the expiration of a provider in seconds.
    @Test(
        arguments: [
            (nil, .unspecified, .max), (2_000, .unspecified, 2_000), (nil, .at(seconds: 3), 3_000),
            (2_000, .at(seconds: 3), 2_000), (4_000, .at(seconds: 3), 3_000), (nil, .once, .max),
            (nil, .at(seconds: .max), .max), (2_000, .at(seconds: .max), 2_000),
        ] as [(UInt64?, Expiration, UInt64)])
    func theEarlierEndCounts(notAfter: UInt64?, expiration: Expiration, expected: UInt64) {
        let notAfter = notAfter.map { Timestamp(milliseconds: $0) }
        #expect(Self.terms(expiration, notAfter: notAfter).lastAttemptAt == Timestamp(milliseconds: expected))
    }

    @Test func afterTheLastAttemptTheRecipientsThatAreLeftExpire() {
        let terms = Self.terms(notAfter: Self.now.wall)
        #expect(terms.finalOutcome(at: Self.now) == nil, "that moment is in time")
        let later = Moment(wall: Timestamp(milliseconds: Self.now.wall.milliseconds + 1), uptime: Self.now.uptime + 1)
        #expect(terms.finalOutcome(at: later) == .expired)
    }

    @Test func aCancelledMessageEndsAsCancelledEvenIfItsTimeIsOver() {
        var terms = Self.terms(notAfter: Timestamp(milliseconds: 1))
        #expect(terms.finalOutcome(at: Self.now) == .expired)
        terms.cancel()
        #expect(terms.finalOutcome(at: Self.now) == .cancelled)
        #expect(terms.entry.isCancelled, "so it is read again")
    }

    /// The clock of the wall may have gone back since the message was accepted.
    @Test(arguments: [(0, 500_000), (1_000, 499_000), (600_000, 0)] as [(UInt64, UInt64)])
    func theAgeOfAMessageIsCountedOnTheMonotonicClock(age: UInt64, expected: UInt64) {
        #expect(Self.terms(age: age).sendableSince == Uptime(milliseconds: expected))
    }

    // MARK: At once or not at all

    @Test(
        arguments: [
            (.once, .alert, true), (.unspecified, .alert, false), (.at(seconds: 9), .alert, false),
            (.unspecified, .voip, true), (.unspecified, .pushtotalk, true), (.at(seconds: 9), .voip, false),
        ] as [(Expiration, PushType, Bool)])
    func aCallThatIsNotStoredIsTriedOnce(expiration: Expiration, type: PushType, expected: Bool) {
        #expect(Self.terms(expiration, type: type).isTriedOnce == expected)
    }

    @Test func aBroadcastPushIsTriedAgainWhateverItsExpiration() throws {
        let id = try #require(ChannelID("dHN0LXNyY2gtY2hubA=="))
        let channel = ChannelAddress(environment: .production, id: id)
        let terms = Self.terms(.once, type: .liveactivity, channel: channel)
        #expect(!terms.isTriedOnce)
        #expect(terms.channelDevice == .channel)
    }

    // MARK: The pace

    @Test func aPaceBoundsWhatIsReadyInMemory() {
        var limits = DeliveryEngine.EngineLimits()
        (limits.minimumPacedRecipients, limits.pacedSeconds) = (100, 10)
        var terms = Self.terms()
        #expect(terms.pacedRecipients(limits) == nil)
        let bounds = ([1, 10, 11, 1_000] as [UInt32]).map { pace -> Int? in
            terms.setPace(pace)
            return terms.pacedRecipients(limits)
        }
        #expect(bounds == [100, 100, 110, 10_000])
        #expect(terms.entry.pace == 1_000)
    }
}
