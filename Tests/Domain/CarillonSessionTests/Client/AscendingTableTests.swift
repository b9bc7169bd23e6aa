import CarillonCore
import CarillonTestKit
import Testing

@testable import CarillonSession

/// The table of calls and requests by their ids.
struct AscendingTableTests {
    @Test func `the table agrees with a dictionary`() {
        var generator = SeededGenerator(seed: TestSeeds.one())
        for stays: UInt64 in [1, 3, 50, 2_000] {
            var table = AscendingTable<Int>()
            var model: [UInt64: Int] = [:]
            var id: UInt64 = 0
            for step in 0..<20_000 {
                id += UInt64.random(in: 1...3, using: &generator)
                table[id] = step
                model[id] = step
                // Most ids are removed soon; every hundredth stays.
                let leaves = id - min(id, UInt64.random(in: 0...stays, using: &generator))
                if leaves % 100 != 0 { #expect(table.remove(leaves) == model.removeValue(forKey: leaves)) }
                let other = UInt64.random(in: 0...id + 3, using: &generator)
                #expect(table[other] == model[other])
                if step % 7 == 0, model[other] != nil {
                    table[other] = -step
                    model[other] = -step
                }
                #expect(table.count == model.count)
            }
            #expect(table.elements.map(\.id) == model.keys.sorted())
            #expect(table.elements.allSatisfy { model[$0.id] == $0.value })
            for each in table.elements { table[each.id] = nil }
            #expect(table.isEmpty)
            table[id + 1_000_000] = 1
            #expect(table.elements.map(\.id) == [id + 1_000_000])
        }
    }

    @Test func `an entry that stays does not make the table large`() {
        var table = AscendingTable<Int>()
        table[1] = 1
        for id: UInt64 in 2..<1_000_000 {
            table[id] = 0
            #expect(table.remove(id) == 0)
        }
        #expect(table[1] == 1)
        #expect(table.count == 1)
        #expect(table.slotCount == 16)
    }
}
