import CarillonTLS
import Testing

struct ConstantTimeTests {
    @Test func theComparisonInConstantTimeFindsEqualBytes() {
        #expect(constantTimeEquals([1, 2, 3], [1, 2, 3]))
        #expect(!constantTimeEquals([1, 2, 3], [1, 2, 4]))
        #expect(!constantTimeEquals([1, 2, 3], [1, 2]))
        #expect(constantTimeEquals([], []))
    }
}
