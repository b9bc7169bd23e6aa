import CarillonCore
import CarillonTestKit
import Testing

@testable import carillon_load

/// The operations of a load and their shares.
struct MixTests {
    @Test(arguments: [
        ("lookup", "lookup=1"), ("lookup=70,send-token=20,register=10", "lookup=70,send-token=20,register=10"),
        ("send-topic=1,send-group,subscribe=3", "send-topic=1,send-group=1,subscribe=3"),
    ])
    func `a mix is parsed`(text: String, mix: String) throws {
        #expect(try Mix(text).text == mix)
    }

    @Test(arguments: [
        ("", "There are lookup, register"), ("lookup=0", "whole number"), ("lookup=-1", "whole number"),
        ("lokup=1", "'lokup' is not an operation. Did you mean 'lookup'?"), ("lookup=1,lookup=2", "twice"),
        ("lookup=1,", "'' is not an operation. There are"), ("lookup=99999999", "1 to 1000000"),
        ("nothing", "'nothing' is not an operation. There are"),
    ])
    func `an invalid mix is explained`(text: String, words: String) {
        let failure = #expect(throws: LoadTestError.self) { try Mix(text) }
        #expect(failure?.description.contains(words) == true, "\(failure?.description ?? "")")
    }

    @Test func `shares are those of the mix`() throws {
        let mix = try Mix("lookup=70,send-token=20,register=9,subscribe=1")
        var generator = SeededGenerator(seed: TestSeeds.one(4))
        var counts: [LoadOperation: Int] = [:]
        for _ in 0..<100_000 { counts[mix.next(&generator), default: 0] += 1 }
        #expect(Set(counts.keys) == [.lookup, .sendToken, .register, .subscribe])
        for share in mix.shares {
            let expected = Double(share.weight) * 1_000
            #expect(abs(Double(counts[share.operation] ?? 0) - expected) < 5 * expected.squareRoot())
        }
    }
}
