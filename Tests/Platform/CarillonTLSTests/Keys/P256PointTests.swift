import CarillonTLS
import Testing

struct P256PointTests {
    @Test func aPointOfTheCurveIsValid() {
        #expect(P256Point.isValid(SamplePoints.generator))
    }

    @Test(arguments: SamplePoints.invalid) func bytesThatAreNoPointAreInvalidAndNoKey(_ bytes: [UInt8]) {
        #expect(!P256Point.isValid(bytes))
        #expect(VerifyingKey(point: bytes) == nil)
    }
}
