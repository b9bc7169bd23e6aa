import Testing

@testable import CarillonClient

/// The credit of a subscription of events, in a window of 8 elements.
struct CreditAccountTests {
    private var account = CreditAccount(window: 8)

    @Test mutating func aSubscriptionBeginsWithAWholeWindow() {
        account.begin(taken: 0, buffered: 0)
        #expect(account.granted == 8)
        #expect(!account.isDue(taken: 3))
        #expect(account.isDue(taken: 4))
    }

    @Test mutating func creditGrowsByTheElementsThatTheProgramTook() {
        account.begin(taken: 0, buffered: 0)
        account.raise(taken: 5)
        #expect(account.granted == 13)
        #expect(!account.isDue(taken: 8))
        #expect(account.isDue(taken: 9))
    }

    /// Elements of the connection before lower the first credit: they are taken in the time of this connection, but the
    /// server has not sent them on it.
    @Test mutating func elementsInMemoryLeaveLessRoom() {
        account.begin(taken: 100, buffered: 6)
        #expect(account.granted == 2)
        account.raise(taken: 106)
        #expect(account.granted == 8)
    }

    @Test mutating func aFullMemoryGrantsNothingAtFirst() {
        account.begin(taken: 0, buffered: 20)
        #expect(account.granted == 0)
        #expect(!account.isDue(taken: 15))
        #expect(account.isDue(taken: 16))
        account.raise(taken: 12)
        #expect(account.granted == 0)
        account.raise(taken: 13)
        #expect(account.granted == 1)
    }

    @Test mutating func aDroppedFrameCountsAsTaken() {
        account.begin(taken: 0, buffered: 0)
        for _ in 0..<4 { account.frameDropped() }
        #expect(account.isDue(taken: 0))
        account.raise(taken: 0)
        #expect(account.granted == 12)
    }

    @Test mutating func anInsertedElementIsNoCreditWhenItIsTaken() {
        account.begin(taken: 0, buffered: 0)
        account.elementInserted()
        account.raise(taken: 1)
        #expect(account.granted == 8)
    }

    @Test mutating func creditThatDidNotReachTheServerIsTakenBack() {
        account.begin(taken: 0, buffered: 0)
        account.raise(taken: 8)
        account.revert(to: 8)
        #expect(account.granted == 8)
        #expect(account.isDue(taken: 8))
    }

    @Test mutating func aSmallerCreditIsNotSent() {
        account.begin(taken: 0, buffered: 0)
        account.raise(taken: 4)
        account.raise(taken: 2)
        #expect(account.granted == 12)
    }

    @Test func aWindowHasRoomForTwoEvents() { #expect(CreditAccount(window: 0).window == 2) }
}
