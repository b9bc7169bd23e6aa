import CarillonCore
import Testing

/// Token buckets, at times that a test chooses, and what several grants allow together.
struct AccessTests {
    @Test func aBucketGivesWhatItHoldsAndRefills() {
        var bucket = TokenBucket(capacity: 2, perSecond: 10, now: 1_000)
        #expect([1_000, 1_000, 1_000].map { bucket.take(now: $0) } == [true, true, false])
        #expect(bucket.millisecondsUntilNext() == 100)
        #expect([1_099, 1_100, 1_100].map { bucket.take(now: $0) } == [false, true, false])
        // The bucket never has more tokens than its capacity.
        #expect([99_000, 99_000, 99_000].map { bucket.take(now: $0) } == [true, true, false])
    }

    @Test func aBucketKeepsFractionsOfTokens() {
        var bucket = TokenBucket(capacity: 1, perSecond: 3, now: 0)
        #expect(bucket.take(now: 0) == true)
        #expect(bucket.millisecondsUntilNext() == 334)
        let taken = (1...3_000 as ClosedRange<UInt64>).count { bucket.take(now: Uptime(milliseconds: $0)) }
        #expect(taken == 8)
    }

    @Test func aClockThatGoesBackOrFarAheadDoesNotTrap() {
        var bucket = TokenBucket(capacity: .max, perSecond: .max, now: 5_000)
        #expect(bucket.take(now: 0) == true)
        #expect(bucket.take(now: .max) == true)
        #expect(bucket.take(now: .max) == true)
        #expect(bucket.millisecondsUntilNext() == 0)
    }

    @Test func aBucketWithoutRefillHasNoTimeOfTheNextToken() {
        var bucket = TokenBucket(capacity: 0, perSecond: 0, now: 0)
        #expect([0, .max].map { bucket.take(now: $0) } == [true, false])
        #expect(bucket.millisecondsUntilNext() == UInt32.max - 1)
    }

    static let game = AppID("com.example.game")!
    static let chat = AppID("com.example.chat")!

    /// An app, the roles of which a request needs one, and true if the principal may make it.
    struct Request: CustomTestStringConvertible {
        let app: AppID
        let roles: Roles
        let isAllowed: Bool

        var testDescription: String { "\(roles) of \(app)" }
    }

    @Test(
        arguments: [
            Request(app: game, roles: .register, isAllowed: true),
            Request(app: game, roles: .send, isAllowed: true),
            Request(app: game, roles: .observe, isAllowed: true),
            Request(app: game, roles: .admin, isAllowed: false),
            Request(app: game, roles: [.admin, .send], isAllowed: true),
            Request(app: game, roles: [], isAllowed: false),
            Request(app: chat, roles: .observe, isAllowed: true),
            Request(app: chat, roles: .send, isAllowed: false),
            Request(app: chat, roles: [.register, .send], isAllowed: false),
        ])
    func aRequestIsAllowedIfAnyGrantAllowsIt(_ request: Request) {
        let principal = Principal(
            name: "shop",
            grants: [
                Grant(app: Self.game, roles: .register), Grant(app: Self.game, roles: .send),
                Grant(app: nil, roles: .observe),
            ])
        #expect(principal.mayUse(request.app, as: request.roles) == request.isAllowed)
    }

    @Test func aPrincipalWithoutAGrantMayDoNothing() {
        let powerless = Principal(name: "powerless", grants: [])
        #expect(!powerless.mayUse(Self.game, as: [.register, .send, .observe, .admin]))
    }

    @Test func aTimestampStopsAtItsBounds() {
        #expect(Timestamp(milliseconds: .max - 1).advanced(byMilliseconds: 5).milliseconds == .max)
        #expect(Timestamp(milliseconds: 5).milliseconds(since: Timestamp(milliseconds: 9)) == 0)
        #expect(Timestamp(milliseconds: 9).milliseconds(since: Timestamp(milliseconds: 5)) == 4)
    }
}
