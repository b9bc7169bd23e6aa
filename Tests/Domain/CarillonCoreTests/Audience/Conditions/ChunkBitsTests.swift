import CarillonCore
import CarillonTestKit
import Testing

/// The sets of offsets, compared with the sets of the standard library.
struct ChunkBitsTests {
    private func randomSet(using random: inout SeededGenerator) -> Set<UInt16> {
        let count = [0, 1, 63, 400, 4_000].randomElement(using: &random) ?? 0
        var set: Set<UInt16> = []
        for _ in 0..<count { set.insert(.random(in: 0..<4_096, using: &random)) }
        return set
    }

    @Test func `operations agree with those of sets`() throws {
        var random = SeededGenerator(seed: TestSeeds.one(3))
        for _ in 0..<100 {
            let left = randomSet(using: &random)
            let right = randomSet(using: &random)
            let bits = try #require(ChunkBits(ascending: left.sorted()))
            let others = try #require(ChunkBits(ascending: right.sorted()))
            #expect(bits.offsets == left.sorted())
            #expect(bits.count == left.count)
            #expect(bits.isEmpty == left.isEmpty)
            var both = bits
            both.formIntersection(others)
            #expect(both.offsets == left.intersection(right).sorted())
            var either = bits
            either.formUnion(others)
            #expect(either.offsets == left.union(right).sorted())
            var difference = bits
            difference.subtract(others)
            #expect(difference.offsets == left.subtracting(right).sorted())
            let areEqual = bits == others
            #expect(areEqual == (left == right))
        }
    }

    @Test func `runs are the offsets that follow on each other`() throws {
        var random = SeededGenerator(seed: TestSeeds.one(4))
        for _ in 0..<100 {
            // Dense sets have long runs, across words too.
            let holes = randomSet(using: &random)
            let set = Bool.random(using: &random) ? holes : Set(0..<4_096).subtracting(holes)
            var runs: [Range<Int>] = []
            try #require(ChunkBits(ascending: set.sorted())).forEachRun { runs.append($0) }
            #expect(runs.flatMap { $0.map { UInt16($0) } } == set.sorted())
            for (before, after) in zip(runs, runs.dropFirst()) { #expect(before.upperBound < after.lowerBound) }
        }
    }

    @Test(
        arguments: [
            (0..<0, []), (0..<4_096, [0..<4_096]), (0..<64, [0..<64]), (63..<65, [63..<65]),
            (4_095..<4_096, [4_095..<4_096]),
        ] as [(Range<UInt16>, [Range<Int>])])
    func `a range is one run`(_ offsets: Range<UInt16>, _ expected: [Range<Int>]) throws {
        var runs: [Range<Int>] = []
        try #require(ChunkBits(ascending: offsets)).forEachRun { runs.append($0) }
        #expect(runs == expected)
    }

    @Test(arguments: [0, 1, 63, 64, 127, 4_032, 4_095] as [UInt16])
    func `an offset is inserted and removed`(_ offset: UInt16) {
        var bits = ChunkBits()
        let entered = [bits.insert(offset), bits.insert(offset)]
        #expect(entered == [true, false])
        #expect(bits.contains(offset))
        #expect(bits.offsets == [offset])
        #expect(!bits.contains(offset ^ 1))
        let left = [bits.remove(offset), bits.remove(offset)]
        #expect(left == [true, false])
        #expect(bits.isEmpty)
        #expect(bits == ChunkBits())
    }

    @Test func `an offset beyond the chunk is not in the set`() throws {
        var full = try #require(ChunkBits(ascending: 0..<4_096))
        #expect(full.count == 4_096)
        #expect(!full.contains(4_096))
        #expect(!full.contains(.max))
        full.remove(.max)
        #expect(full.offsets == Array(0..<4_096))
    }

    @Test(arguments: [[1, 1], [2, 1], [4_096], [0, .max], [.max, .max]] as [[UInt16]])
    func `offsets that do not ascend are refused`(_ offsets: [UInt16]) {
        #expect(ChunkBits(ascending: offsets) == nil)
    }

    @Test func `the bitmap has the lowest offset in the lowest bit of the first byte`() throws {
        let bits = try #require(ChunkBits(ascending: [0, 9, 4_095]))
        let bitmap = bits.bitmap
        #expect(bitmap.count == ChunkBits.byteCount)
        #expect(bitmap[0] == 0x01)
        #expect(bitmap[1] == 0x02)
        #expect(bitmap[511] == 0x80)
        #expect(bitmap[2..<511].allSatisfy { $0 == 0 })
        #expect(bitmap.withUnsafeBytes { ChunkBits(bitmap: $0) } == bits)
        // Values of a database stand at any address.
        #expect(([7] + bitmap).withUnsafeBytes { ChunkBits(bitmap: .init(rebasing: $0[1...])) } == bits)
    }

    @Test(arguments: [0, 1, 511, 513])
    func `a bitmap of another size is refused`(_ size: Int) {
        #expect([UInt8](repeating: 0, count: size).withUnsafeBytes { ChunkBits(bitmap: $0) } == nil)
    }
}
