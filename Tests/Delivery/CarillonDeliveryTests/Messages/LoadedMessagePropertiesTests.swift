import CarillonCore
import Testing

@testable import CarillonDelivery

/// Until when a message is tried, and how the remaining recipients end.
struct LoadedMessagePropertiesTests {
    private static let now = Moment(wall: Timestamp(milliseconds: 1_790_000_000_000), uptime: 500_000)

    /// The properties of a message that can be sent since `age` milliseconds.
    private static func makeProperties(
        _ expiration: Expiration = .unspecified, type: PushType = .alert, notAfter: Timestamp? = nil, age: UInt64 = 0,
        channel: ChannelAddress? = nil
    ) -> LoadedMessage.Properties {
        let content = MessageContent(
            app: EngineHarness.app, pushType: type, expiration: expiration, payload: Array("{}".utf8))
        let outbound = OutboundMessage(
            id: MessageID(rawValue: 1), content: content,
            sendableSince: Timestamp(milliseconds: now.wall.milliseconds - age), notAfter: notAfter, lane: .bulk,
            channel: channel)
        return LoadedMessage.Properties(outbound, notAfter: notAfter, at: now)
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
    func `the last attempt is at the earlier of notAfter and expiration`(_ ends: Ends) {
        let notAfter = ends.notAfter.map { Timestamp(milliseconds: $0) }
        let properties = Self.makeProperties(ends.expiration, notAfter: notAfter)
        #expect(properties.lastAttemptAt == Timestamp(milliseconds: ends.lastAttemptAt))
    }

    @Test func `remaining recipients expire after the time of the last attempt`() {
        let properties = Self.makeProperties(notAfter: Self.now.wall)
        #expect(properties.finalOutcome(at: Self.now) == nil, "that moment is in time")
        let later = Moment(wall: Timestamp(milliseconds: Self.now.wall.milliseconds + 1), uptime: Self.now.uptime + 1)
        #expect(properties.finalOutcome(at: later) == .expired)
    }

    @Test func `a cancelled message ends as cancelled even if its time is over`() {
        var properties = Self.makeProperties(notAfter: Timestamp(milliseconds: 1))
        #expect(properties.finalOutcome(at: Self.now) == .expired)
        properties.cancel()
        #expect(properties.finalOutcome(at: Self.now) == .cancelled)
        #expect(properties.presentOutbound.isCancelled, "so it is read again")
    }

    /// The clock of the wall may have gone back since the message was accepted.
    @Test(
        arguments: [
            (age: 0, since: 500_000), (age: 1_000, since: 499_000), (age: 600_000, since: 0),
        ] as [(age: UInt64, since: UInt64)])
    func `the age of a message is counted on the monotonic clock`(age: UInt64, since: UInt64) {
        #expect(Self.makeProperties(age: age).sendableSince == Uptime(milliseconds: since))
    }

    // MARK: At once or not at all

    /// A push, and true if it is only for now.
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
    func `a call that is not stored is only for now`(_ storing: Storing) {
        #expect(Self.makeProperties(storing.expiration, type: storing.type).isOnlyForNow == storing.isOnlyForNow)
    }

    @Test func `a broadcast push is tried again whatever its expiration`() throws {
        let id = try #require(ChannelID("dHN0LXNyY2gtY2hubA=="))
        let channel = ChannelAddress(environment: .production, id: id)
        let properties = Self.makeProperties(.once, type: .liveactivity, channel: channel)
        #expect(!properties.isOnlyForNow)
        #expect(properties.channelDevice == .channel)
    }

    // MARK: The pace

    @Test func `a pace bounds what is ready in memory`() {
        var limits = DeliveryEngine.Limits()
        limits.minimumPacedRecipients = 100
        limits.pacedSeconds = 10
        var properties = Self.makeProperties()
        #expect(properties.pacedRecipients(limits) == nil)
        let bounds = ([1, 10, 11, 1_000] as [UInt32]).map { pace -> Int? in
            properties.setPace(pace)
            return properties.pacedRecipients(limits)
        }
        #expect(bounds == [100, 100, 110, 10_000])
        #expect(properties.presentOutbound.pace == 1_000)
    }
}
