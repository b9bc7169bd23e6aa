import CarillonCore
import CarillonGateway
import Testing

/// The header `carillon-position` (Protocol 6.5): a client gives back the position that it got, and no answer has an
/// earlier one.
struct GatewayPositionTests {
    private static let cluster = UUIDBytes(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)

    @Test(arguments: [0, 1, 901, .max] as [UInt64])
    func `the position of an answer is read from the next request`(number: UInt64) throws {
        let position = ClusterPosition(cluster: Self.cluster, number: number)
        #expect(position.description == "00112233-4455-6677-8899-aabbccddeeff:\(number)")
        #expect(try ClusterPosition(header: position.description) == position)
    }

    @Test(
        arguments: [
            "", ":", "7", ":7", "00112233-4455-6677-8899-aabbccddeeff", "00112233-4455-6677-8899-aabbccddeeff:",
            "00112233-4455-6677-8899-aabbccddeeff:+7", "00112233-4455-6677-8899-aabbccddeeff:-7",
            "00112233-4455-6677-8899-aabbccddeeff:7:7", "00112233-4455-6677-8899-aabbccddeeff: 7",
            "00112233-4455-6677-8899-aabbccddeeff:18446744073709551616", "x0112233-4455-6677-8899-aabbccddeeff:7",
        ])
    func `a text that is no position is refused`(text: String) {
        let error = #expect(throws: GatewayError.self) { try ClusterPosition(header: text) }
        #expect(error?.status == 400)
        #expect(error?.field == "carillon-position")
    }

    @Test func `the position of an answer is not before that of its request`() {
        let own = ClusterPosition(cluster: Self.cluster, number: 90)
        let seen = ClusterPosition(cluster: Self.cluster, number: 100)
        #expect(own.raised(to: seen) == seen)
        #expect(seen.raised(to: own) == seen)
        #expect(own.raised(to: nil) == own)
        #expect(own.raised(to: ClusterPosition(cluster: .zero, number: 100)) == own)
    }
}
