import CarillonAPNs
import Testing

/// One of several connections carries no bulk.
@Suite struct InteractiveReserveTests {
    @Test func oneConnectionIsForEverything() {
        var reserve = InteractiveReserve()
        let isFavoured = reserve.opens(1)
        #expect(isFavoured)
        #expect(reserve.connection == nil, "it is on its way")
        reserve.opened(1)
        #expect(reserve.connection == nil)
    }

    @Test func ofSeveralItIsTheOneThatWasOpenedForIt() {
        var reserve = InteractiveReserve()
        let favoured = (1...4).map { reserve.opens($0) }
        #expect(favoured == [true, false, false, false])
        for number in [3, 2, 4] { reserve.opened(number) }
        #expect(reserve.connection == 2, "the first of those that stand, until it stands itself")
        reserve.opened(1)
        #expect(reserve.connection == 1)
    }

    @Test func whenItLeavesAnotherIsThereForItUntilANewOneStands() {
        var reserve = InteractiveReserve()
        for number in 1...3 {
            _ = reserve.opens(number)
            reserve.opened(number)
        }
        reserve.left(1)
        #expect(reserve.connection == 2)
        let areFavoured = [4, 5].map { reserve.opens($0) }
        #expect(areFavoured == [true, false], "the first takes the place")
        #expect(reserve.connection == 2)
        reserve.opened(4)
        #expect(reserve.connection == 4)
        for number in [2, 3, 5] { reserve.left(number) }
        #expect(reserve.connection == nil, "it is the only one")
    }

    @Test func oneThatNeverCameToBeGivesItsPlaceUp() {
        var reserve = InteractiveReserve()
        let first = reserve.opens(1)
        reserve.left(1)
        let second = reserve.opens(2)
        #expect(first && second)
    }
}
