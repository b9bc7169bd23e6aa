import Testing

@testable import CarillonClient

/// The credit of a subscription of events, in a window of 8 elements.
struct CreditAccountTests {
    private var account = CreditAccount(window: 8)

    @Test mutating func `a subscription begins with a whole window`() {
        account.begin(taken: 0, buffered: 0)
        #expect(account.granted == 8)
        #expect(!account.isDue(taken: 3))
        #expect(account.isDue(taken: 4))
    }

    @Test mutating func `credit grows by the elements that the program took`() {
        account.begin(taken: 0, buffered: 0)
        account.raise(taken: 5)
        #expect(account.granted == 13)
        #expect(!account.isDue(taken: 8))
        #expect(account.isDue(taken: 9))
    }

    /// Elements of the connection before lower the first credit: they are taken in the time of this connection, but the
    /// server has not sent them on it.
    @Test mutating func `elements in memory leave less room`() {
        account.begin(taken: 100, buffered: 6)
        #expect(account.granted == 2)
        account.raise(taken: 106)
        #expect(account.granted == 8)
    }

    @Test mutating func `a full memory grants nothing at first`() {
        account.begin(taken: 0, buffered: 20)
        #expect(account.granted == 0)
        #expect(!account.isDue(taken: 15))
        #expect(account.isDue(taken: 16))
        account.raise(taken: 12)
        #expect(account.granted == 0)
        account.raise(taken: 13)
        #expect(account.granted == 1)
    }

    @Test mutating func `a dropped frame counts as taken`() {
        account.begin(taken: 0, buffered: 0)
        for _ in 0..<4 { account.frameDropped() }
        #expect(account.isDue(taken: 0))
        account.raise(taken: 0)
        #expect(account.granted == 12)
    }

    @Test mutating func `an inserted element is no credit when it is taken`() {
        account.begin(taken: 0, buffered: 0)
        account.elementInserted()
        account.raise(taken: 1)
        #expect(account.granted == 8)
    }

    @Test mutating func `credit that did not reach the server is taken back`() {
        account.begin(taken: 0, buffered: 0)
        account.raise(taken: 8)
        account.revert(to: 8)
        #expect(account.granted == 8)
        #expect(account.isDue(taken: 8))
    }

    @Test mutating func `a smaller credit is not sent`() {
        account.begin(taken: 0, buffered: 0)
        account.raise(taken: 4)
        account.raise(taken: 2)
        #expect(account.granted == 12)
    }

    @Test func `a window has room for two events`() { #expect(CreditAccount(window: 0).window == 2) }
}
