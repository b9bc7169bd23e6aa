import CarillonCore
import CarillonTestKit
import Testing

/// Evaluating conditions over chunks of devices, compared with a plain evaluation.
struct ConditionEvaluatorTests {
    /// The devices of eight sets in a few chunks, some of them empty, as postings hold them.
    private struct Postings {
        static let chunks: UInt32 = 24
        private var devices: [[UInt16: UInt8]]

        init(using random: inout SeededGenerator) {
            devices = (0..<Self.chunks).map { _ in
                guard Int.random(in: 0..<3, using: &random) > 0 else { return [:] }
                // Each chunk knows some of the sets only, so that there is something to skip.
                let mask = UInt8.random(in: .min ... .max, using: &random)
                var devices: [UInt16: UInt8] = [:]
                for _ in 0..<Int.random(in: 1...40, using: &random) {
                    devices[.random(in: 0..<4_096, using: &random)] = mask & .random(in: .min ... .max, using: &random)
                }
                return devices
            }
        }

        func devices(where isMeant: (UInt8) -> Bool) -> [UInt32: [UInt16]] {
            var selected: [UInt32: [UInt16]] = [:]
            for (chunk, devices) in zip(UInt32(0)..., devices) {
                let offsets = devices.filter { isMeant($0.value) }.keys.sorted()
                if !offsets.isEmpty { selected[chunk] = offsets }
            }
            return selected
        }

        func load(_ set: SetName, chunk: UInt32, into bits: inout ChunkBits) {
            for (offset, memberships) in devices[Int(chunk)] where RandomExpression.isMember(of: set, in: memberships) {
                bits.insert(offset)
            }
        }

        func next(_ set: SetName, from chunk: UInt32) -> UInt32? {
            (chunk..<max(chunk, Self.chunks)).first {
                devices[Int($0)].values.contains { RandomExpression.isMember(of: set, in: $0) }
            }
        }
    }

    /// A random condition with random postings, and the devices that meet it.
    private struct RandomAudience {
        static let count = 400
        let plan: ConditionPlan
        let postings: Postings
        let expected: [UInt32: [UInt16]]

        init(using random: inout SeededGenerator) throws {
            let expression = RandomExpression.random(depth: 4, using: &random)
            postings = Postings(using: &random)
            expected = postings.devices(where: expression.holds)
            plan = ConditionPlan(try Condition(expression.text(using: &random)))
        }
    }

    @Test func `the devices of a plan are those that meet the condition`() throws {
        var random = SeededGenerator(seed: TestSeeds.one(23))
        for _ in 0..<RandomAudience.count {
            let audience = try RandomAudience(using: &random)
            var evaluator = ConditionEvaluator(audience.plan)
            var found: [UInt32: [UInt16]] = [:]
            for chunk in 0..<Postings.chunks {
                let isAny = evaluator.evaluate {
                    audience.postings.load(audience.plan.sets[$0], chunk: chunk, into: &$1)
                }
                #expect(isAny == !evaluator.result.isEmpty)
                if isAny { found[chunk] = evaluator.result.offsets }
            }
            #expect(found == audience.expected)
        }
    }

    @Test func `the chunks that are skipped have no device that meets the condition`() throws {
        var random = SeededGenerator(seed: TestSeeds.one(23))
        for _ in 0..<RandomAudience.count {
            let audience = try RandomAudience(using: &random)
            let plan = audience.plan
            let postings = audience.postings
            var evaluator = ConditionEvaluator(plan)
            var found: [UInt32: [UInt16]] = [:]
            var from: UInt32 = 0
            while let chunk = evaluator.nextCandidate(from: from, next: { postings.next(plan.sets[$0], from: $1) }) {
                #expect(chunk >= from)
                if evaluator.evaluate({ postings.load(plan.sets[$0], chunk: chunk, into: &$1) }) {
                    found[chunk] = evaluator.result.offsets
                }
                from = chunk + 1
            }
            #expect(found == audience.expected)
        }
    }

    static let candidates: [(String, [UInt32])] = [
        ("'a' in topics", [2, 900]),
        ("'a' in topics && 'b' in topics", [900]),
        ("'b' in topics && 'a' in topics", [900]),
        ("'a' in topics || 'c' in topics", [2, 5, 900]),
        ("'a' in topics && 'c' in topics", []),
        ("'a' in topics && !'b' in topics", [2, 900]),
        ("'a' in topics && 'none' in topics", []),
        ("'none' in topics || 'c' in topics", [5]),
        ("('a' in topics || 'c' in topics) && 'b' in topics", [900]),
        ("!'a' in topics && 'c' in topics", [5]),
    ]

    @Test(arguments: candidates)
    func `a sparse audience costs a few seeks`(_ text: String, _ expected: [UInt32]) throws {
        let stored: [String: [UInt32]] = [
            "'a' in topics": [2, 900], "'b' in topics": [0, 1, 900, 2_400], "'c' in topics": [5],
            "all": Array(0..<2_500),
        ]
        let plan = ConditionPlan(try Condition(text))
        var evaluator = ConditionEvaluator(plan)
        var seeks = 0
        var found: [UInt32] = []
        var from: UInt32 = 0
        let next = { (set: Int, from: UInt32) -> UInt32? in
            seeks += 1
            return stored[plan.sets[set].description]?.first { $0 >= from }
        }
        while let chunk = evaluator.nextCandidate(from: from, next: next) {
            found.append(chunk)
            from = chunk + 1
        }
        #expect(found == expected)
        #expect(seeks <= 16)
    }

    @Test func `the last chunk number is a chunk`() throws {
        var evaluator = ConditionEvaluator(ConditionPlan(try Condition("'a' in topics && 'b' in topics")))
        let next = { (_: Int, from: UInt32) -> UInt32? in from == .max ? nil : .max }
        #expect(evaluator.nextCandidate(from: 0, next: { _, _ in .max }) == .max)
        #expect(evaluator.nextCandidate(from: .max, next: next) == nil)
    }

    @Test func `a reader that goes backwards does not hang the evaluation`() throws {
        var evaluator = ConditionEvaluator(ConditionPlan(try Condition("'a' in topics && 'b' in topics")))
        #expect(evaluator.nextCandidate(from: 9, next: { _, _ in 3 }) == 9)
    }

    @Test func `a set that cannot change the result is not loaded`() throws {
        let text = "'a' in topics && 'b' in topics && !('c' in topics || 'd' in topics)"
        let plan = ConditionPlan(try Condition(text))
        var evaluator = ConditionEvaluator(plan)
        var loaded: [String] = []
        let isAny = evaluator.evaluate { set, _ in loaded.append(plan.sets[set].description) }
        #expect(!isAny)
        #expect(loaded == ["'a' in topics"])
    }

    @Test func `the evaluation throws an error of the reader`() throws {
        struct DiskFault: Error {}
        var evaluator = ConditionEvaluator(ConditionPlan(.all))
        #expect(throws: DiskFault.self) {
            _ = try evaluator.evaluate { (_, _) throws(DiskFault) in throw DiskFault() }
        }
        #expect(throws: DiskFault.self) {
            _ = try evaluator.nextCandidate(from: 0) { (_, _) throws(DiskFault) in throw DiskFault() }
        }
    }
}
