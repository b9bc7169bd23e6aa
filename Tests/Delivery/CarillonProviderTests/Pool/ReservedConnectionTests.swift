import CarillonProvider
import Testing

/// One of several connections carries no bulk.
struct ReservedConnectionTests {
    @Test func `a single connection is not reserved`() {
        var reserved = ReservedConnection()
        let isPreferred = reserved.connectionBegan(1)
        #expect(isPreferred)
        #expect(reserved.number == nil, "it is being opened")
        reserved.connectionOpened(1)
        #expect(reserved.number == nil)
    }

    @Test func `the first of several connections to open is reserved`() {
        var reserved = ReservedConnection()
        let preferred = (1...4).map { reserved.connectionBegan($0) }
        #expect(preferred == [true, false, false, false])
        for number in [3, 2, 4] { reserved.connectionOpened(number) }
        #expect(reserved.number == 2, "the lowest number, until the preferred one is open")
        reserved.connectionOpened(1)
        #expect(reserved.number == 1)
    }

    @Test func `another is reserved until the successor of a retired one is open`() {
        var reserved = ReservedConnection()
        for number in 1...3 {
            _ = reserved.connectionBegan(number)
            reserved.connectionOpened(number)
        }
        reserved.connectionRetired(1)
        #expect(reserved.number == 2)
        let preferred = [4, 5].map { reserved.connectionBegan($0) }
        #expect(preferred == [true, false], "the first one becomes the preferred one")
        #expect(reserved.number == 2)
        reserved.connectionOpened(4)
        #expect(reserved.number == 4)
        for number in [2, 3, 5] { reserved.connectionRetired(number) }
        #expect(reserved.number == nil, "it is the only one")
    }

    @Test func `a failed attempt is not preferred any more`() {
        var reserved = ReservedConnection()
        let first = reserved.connectionBegan(1)
        reserved.connectionRetired(1)
        let second = reserved.connectionBegan(2)
        #expect(first)
        #expect(second)
    }
}
