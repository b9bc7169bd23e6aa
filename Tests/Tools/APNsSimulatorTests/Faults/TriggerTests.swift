import CarillonSimulator
import Foundation
import Testing

/// The requests to which a rule of the simulator applies.
///
/// `..x...`: of six requests, one a second, it applies to the third. The requests are to the devices `ab` and `cd` in
/// turn.
struct TriggerTests {
    private static func makeTrigger(_ json: String, now: Int64 = 1000, seed: UInt64 = 1) throws -> Trigger {
        try Trigger(JSONDecoder().decode(Trigger.Line.self, from: Data(json.utf8)), now: now, seed: seed)
    }

    /// Returns which of six requests, one a second from second 1 on, the rule applies to: `x`, and `.` for the others.
    private static func transcript(of json: String) throws -> String {
        var trigger = try makeTrigger(json)
        return (1...6).map { second in
            let device = Array((second.isMultiple(of: 2) ? "cd" : "ab").utf8)
            return device.withUnsafeBytes { trigger.fires(on: $0, at: Int64(second) * 1000) } ? "x" : "."
        }.joined()
    }

    @Test(
        arguments: [
            (#"{}"#, "xxxxxx"), (#"{"nth":1}"#, "x....."), (#"{"nth":6}"#, ".....x"), (#"{"every":2}"#, ".x.x.x"),
            (#"{"times":2}"#, "xx...."), (#"{"times":0}"#, "......"), (#"{"every":2,"times":1}"#, ".x...."),
            (#"{"prefix":"AB"}"#, "x.x.x."), (#"{"prefix":"ab","nth":2}"#, "..x..."), (#"{"prefix":"abc"}"#, "......"),
            (#"{"after":2000}"#, "..xxxx"), (#"{"for":3000}"#, "xxx..."), (#"{"after":1000,"for":2000}"#, ".xx..."),
            (#"{"after":2000,"nth":2}"#, "...x.."), (#"{"probability":0}"#, "......"),
            (#"{"probability":1}"#, "xxxxxx"),
        ])
    func `a trigger fires as its conditions say`(json: String, expected: String) throws {
        #expect(try Self.transcript(of: json) == expected)
    }

    @Test func `chance is the same for the same seed`() throws {
        func fired(seed: UInt64) throws -> [Bool] {
            var trigger = try Self.makeTrigger(#"{"probability":0.25}"#, seed: seed)
            return (0..<4000).map { _ in trigger.fires(on: nil, at: 0) }
        }
        let first = try fired(seed: 1)
        #expect(try fired(seed: 1) == first)
        #expect(try fired(seed: 2) != first)
        #expect((900...1100).contains(first.count { $0 }))
    }

    @Test(arguments: [#"{"nth":0}"#, #"{"every":0}"#, #"{"times":-1}"#, #"{"probability":1.1}"#, #"{"after":-1}"#])
    func `an invalid trigger is refused`(json: String) {
        #expect(throws: SimulatorError.self) { try Self.makeTrigger(json) }
    }
}
