import CarillonCore
import Testing

@testable import CarillonDelivery

/// Until when a message is tried, and how its recipients end that are left.
struct MessageRunTermsTests {
    private static let now = Moment(wall: Timestamp(milliseconds: 1_790_000_000_000), uptime: 500_000)

    /// The terms of a message that can be sent since `age` milliseconds.
    private static func terms(
        _ expiration: Expiration = .unspecified, type: PushType = .alert, notAfter: Timestamp? = nil, age: UInt64 = 0,
        channel: ChannelAddress? = nil
    ) -> MessageRun.Terms {
        let content = MessageContent(
            app: EngineHarness.app, pushType: type, expiration: expiration, payload: Array("{}".utf8))
        let outbound = OutboundMessage(
            id: MessageID(rawValue: 1), content: content,
            sendableSince: Timestamp(milliseconds: now.wall.milliseconds - age), notAfter: notAfter, lane: .bulk,
            channel: channel)
        return MessageRun.Terms(outbound, notAfter: notAfter, at: now)
    }

    // MARK: The last attempt

    /// The two ends of a message, and the earlier one. `notAfter` is in milliseconds, the expiration in seconds.
    struct Ends: CustomTestStringConvertible {
        var notAfter: UInt64?
        var expiration = Expiration.unspecified
        let lastAttemptAt: UInt64

        var testDescription: String { "\(notAfter.map { "\($0) ms" } ?? "no end"), \(expiration)" }
    }

    @Test(
        arguments: [
            Ends(lastAttemptAt: .max),
            Ends(notAfter: 2_000, lastAttemptAt: 2_000),
            Ends(expiration: .at(seconds: 3), lastAttemptAt: 3_000),
            Ends(notAfter: 2_000, expiration: .at(seconds: 3), lastAttemptAt: 2_000),
            Ends(notAfter: 4_000, expiration: .at(seconds: 3), lastAttemptAt: 3_000),
            Ends(expiration: .once, lastAttemptAt: .max),
            Ends(expiration: .at(seconds: .max), lastAttemptAt: .max),
            Ends(notAfter: 2_000, expiration: .at(seconds: .max), lastAttemptAt: 2_000),
        ])
    func theLastAttemptIsAtTheEarlierOfNotAfterAndExpiration(_ ends: Ends) {
        let terms = Self.terms(ends.expiration, notAfter: ends.notAfter.map { Timestamp(milliseconds: $0) })
        #expect(terms.lastAttemptAt == Timestamp(milliseconds: ends.lastAttemptAt))
    }

    @Test func remainingRecipientsExpireAfterTheTimeOfTheLastAttempt() {
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
        #expect(terms.presentOutbound.isCancelled, "so it is read again")
    }

    /// The clock of the wall may have gone back since the message was accepted.
    @Test(
        arguments: [
            (age: 0, since: 500_000), (age: 1_000, since: 499_000), (age: 600_000, since: 0),
        ] as [(age: UInt64, since: UInt64)])
    func theAgeOfAMessageIsCountedOnTheMonotonicClock(age: UInt64, since: UInt64) {
        #expect(Self.terms(age: age).sendableSince == Uptime(milliseconds: since))
    }

    // MARK: At once or not at all

    /// A push, and true if it is tried only once.
    struct Storing: CustomTestStringConvertible {
        var expiration = Expiration.unspecified
        let type: PushType
        let isOnlyForNow: Bool

        var testDescription: String { "\(type.name), \(expiration)" }
    }

    @Test(
        arguments: [
            Storing(expiration: .once, type: .alert, isOnlyForNow: true),
            Storing(type: .alert, isOnlyForNow: false),
            Storing(expiration: .at(seconds: 9), type: .alert, isOnlyForNow: false),
            Storing(type: .voip, isOnlyForNow: true),
            Storing(type: .pushtotalk, isOnlyForNow: true),
            Storing(expiration: .at(seconds: 9), type: .voip, isOnlyForNow: false),
        ])
    func aCallThatIsNotStoredIsTriedOnce(_ storing: Storing) {
        #expect(Self.terms(storing.expiration, type: storing.type).isOnlyForNow == storing.isOnlyForNow)
    }

    @Test func aBroadcastPushIsTriedAgainWhateverItsExpiration() throws {
        let id = try #require(ChannelID("dHN0LXNyY2gtY2hubA=="))
        let channel = ChannelAddress(environment: .production, id: id)
        let terms = Self.terms(.once, type: .liveactivity, channel: channel)
        #expect(!terms.isOnlyForNow)
        #expect(terms.channelDevice == .channel)
    }

    // MARK: The pace

    @Test func aPaceBoundsWhatIsReadyInMemory() {
        var limits = DeliveryEngine.Limits()
        (limits.minimumPacedRecipients, limits.pacedSeconds) = (100, 10)
        var terms = Self.terms()
        #expect(terms.pacedRecipients(limits) == nil)
        let bounds = ([1, 10, 11, 1_000] as [UInt32]).map { pace -> Int? in
            terms.setPace(pace)
            return terms.pacedRecipients(limits)
        }
        #expect(bounds == [100, 100, 110, 10_000])
        #expect(terms.presentOutbound.pace == 1_000)
    }
}
