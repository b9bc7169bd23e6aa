import CarillonCore
import CarillonTestKit
import Testing

@testable import CarillonCluster

/// The bytes of the rows of claims and of the live members.
struct ClaimBytesTests {
    private let a = SampleCluster.a.incarnation
    private let b = SampleCluster.b.incarnation
    private let live = SampleCluster.live

    @Test func `rows are read as they were written`() throws {
        var claims = MessageClaims(pageCount: 10, hasOneSender: false)
        _ = claims.claim(4, by: a, among: live)
        _ = claims.claim(4, by: b, among: live)
        _ = claims.releaseBlock(at: 0, by: a)
        #expect(try MessageClaims(claims.bytes) == claims)
        claims.setOneSender(true, among: live)
        #expect(try MessageClaims(claims.bytes) == claims)
        #expect(try LiveMembers(live.bytes) == live)
        let silent = SilentPushClaim.afterClaim(nil, blocks: 3, by: a)
        #expect(try SilentPushClaim(silent.bytes) == silent)
    }

    @Test func `a damaged row is refused or read as it is written`() {
        var random = SeededGenerator(seed: TestSeeds.one())
        var claims = MessageClaims(pageCount: 100, hasOneSender: true)
        for _ in 0..<5 { _ = claims.claim(3, by: a, among: live) }
        let rows = [claims.bytes, live.bytes, SilentPushClaim.afterClaim(nil, blocks: 3, by: a).bytes]
        for row in rows {
            for length in 0..<row.count { expectRefusedOrEqual(Array(row.prefix(length))) }
            for _ in 0..<200 {
                var damaged = row
                damaged[Int.random(in: 0..<row.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                expectRefusedOrEqual(damaged)
            }
            #expect(throws: StoredBytesError.self) { try LiveMembers(row + [0]) }
            #expect(throws: StoredBytesError.self) { try SilentPushClaim(row + [0]) }
            #expect(throws: StoredBytesError.self) { try MessageClaims(Array(row.prefix(17))) }
        }
    }

    /// Expects that bytes are refused, or are written as they were read.
    private func expectRefusedOrEqual(_ bytes: [UInt8]) {
        if let read = try? MessageClaims(bytes) { #expect(read.bytes == bytes) }
        if let read = try? LiveMembers(bytes) { #expect(read.bytes == bytes) }
        if let read = try? SilentPushClaim(bytes) { #expect(read.bytes == bytes) }
    }
}
