import CarillonCore
import CarillonTestKit
import CarillonWire
import Foundation
import Testing

@testable import carillon_load

private let game = TestApps.game

/// The operations of a load, their shares and their keys.
struct WorkloadTests {
    private func plan(_ mix: String, keys: KeyDistribution = .uniform, devices: Int = 90) throws -> Workload.Plan {
        let population = Population(
            app: game, seed: 1, devices: devices, groupSize: 3, topics: 10, firstNewDevice: devices)
        return Workload.Plan(
            population: population, mix: try Mix(mix), keys: keys, payloadBytes: 176, markerKey: "load7",
            runNumber: 5)
    }

    @Test(arguments: [
        ("lookup", "lookup=1"), ("lookup=70,send-token=20,register=10", "lookup=70,send-token=20,register=10"),
        ("send-topic=1,send-group,subscribe=3", "send-topic=1,send-group=1,subscribe=3"),
    ])
    func aMixIsParsed(text: String, mix: String) throws {
        #expect(try Mix(text).text == mix)
    }

    @Test(arguments: [
        ("", "There are lookup, register"), ("lookup=0", "whole number"), ("lookup=-1", "whole number"),
        ("lokup=1", "'lokup' is not an operation. Did you mean 'lookup'?"), ("lookup=1,lookup=2", "twice"),
        ("lookup=1,", "'' is not an operation. There are"), ("lookup=99999999", "1 to 1000000"),
        ("nothing", "'nothing' is not an operation. There are"),
    ])
    func anInvalidMixIsExplained(text: String, words: String) {
        let failure = #expect(throws: LoadError.self) { try Mix(text) }
        #expect(failure?.description.contains(words) == true, "\(failure?.description ?? "")")
    }

    @Test func sharesAreThoseOfTheMix() throws {
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

    @Test(arguments: [
        ("uniform", "uniform"), ("zipf", "zipf:0.99"), ("zipf:1.2", "zipf:1.2"),
    ])
    func aDistributionIsParsed(text: String, form: String) throws {
        #expect(try KeyDistribution(text).text == form)
        for wrong in ["zipf:0", "zipf:x", "other", ""] {
            #expect(throws: LoadError.self) { try KeyDistribution(wrong) }
        }
    }

    @Test(arguments: [0.5, 0.99, 1, 1.5])
    func zipfChoosesTheKeysInProportion(exponent: Double) {
        let chooser = KeyChooser(count: 50, .zipf(exponent: exponent))
        var generator = SeededGenerator(seed: TestSeeds.one(9))
        var counts = Array(repeating: 0, count: 50)
        for _ in 0..<200_000 { counts[chooser.next(&generator)] += 1 }
        let sum = (1...50).reduce(0) { $0 + pow(Double($1), -exponent) }
        for (rank, count) in counts.sorted(by: >).enumerated() {
            let expected = 200_000 * pow(Double(rank + 1), -exponent) / sum
            #expect(abs(Double(count) - expected) < 6 * expected.squareRoot() + 1, "rank \(rank + 1)")
        }
    }

    @Test(arguments: [1, 2, 10, 1_000_000])
    func chosenKeysAreInRangeAndSpread(count: Int) {
        for distribution in [KeyDistribution.uniform, .zipf(exponent: 0.99)] {
            let chooser = KeyChooser(count: count, distribution)
            var generator = SeededGenerator(seed: TestSeeds.one(2))
            var seen: Set<Int> = []
            for _ in 0..<2_000 { seen.insert(chooser.next(&generator)) }
            #expect(seen.allSatisfy { (0..<count).contains($0) })
            #expect(seen.count > min(count, 100) / 2)
        }
    }

    @Test func theSameSeedGivesTheSameRequests() throws {
        let plan = try plan("lookup,register,subscribe,send-token,send-group,send-topic")
        func requests(seed: UInt64, part: Int) -> [AnyRequest] {
            var workload = Workload(plan, seed: seed, part: part, of: 2)
            return (0..<100).map { _ in
                let operation = workload.nextOperation()
                return workload.request(operation, marker: 5, now: Timestamp(milliseconds: 7))
            }
        }
        #expect(requests(seed: 1, part: 0) == requests(seed: 1, part: 0))
        #expect(requests(seed: 1, part: 0) != requests(seed: 2, part: 0))
        #expect(requests(seed: 1, part: 0) != requests(seed: 1, part: 1))
    }

    /// The second run has other markers, and a server refuses a key with another body.
    @Test func twoRunsWithTheSameSeedHaveDifferentIdempotencyKeys() throws {
        var plan = try plan("send-token")
        func key() throws -> UUIDBytes {
            var workload = Workload(plan, seed: 1, part: 0, of: 1)
            let message = try #require(workload.request(.sendToken, marker: 5, now: .zero).as(SendRequest.self))
            return try #require(message.idempotencyKey)
        }
        let first = try key()
        plan.runNumber += 1
        #expect(try key() != first)
    }

    @Test(arguments: LoadOperation.allCases)
    func everyRequestIsReadBackAsItWasWritten(operation: LoadOperation) throws {
        let plan = try plan(operation.name, keys: .zipf(exponent: 1))
        var workload = Workload(plan, seed: 1, part: 0, of: 1)
        for _ in 0..<50 {
            let request = workload.request(workload.nextOperation(), marker: 123, now: Timestamp(milliseconds: 7))
            var writer = FrameWriter()
            writer.request(request, id: 1)
            let read = try writer.bytes.withUnsafeBytes { bytes in
                try AnyRequest.decode(request.opcode, UnsafeRawBufferPointer(rebasing: bytes[FrameHeader.byteCount...]))
            }
            #expect(read.request == request)
        }
    }

    @Test func aPushContainsItsMarker() throws {
        var workload = Workload(try plan("send-token"), seed: 1, part: 0, of: 1)
        guard let message = workload.request(.sendToken, marker: 987, now: .zero).as(SendRequest.self) else {
            Issue.record("no send")
            return
        }
        let payload = Data(message.content.payload)
        let object = try #require(try JSONSerialization.jsonObject(with: payload) as? [String: Any])
        #expect(object["load7"] as? Int == 987)
        #expect((160...190).contains(payload.count))
        #expect(message.idempotencyKey != nil)
    }

    @Test(arguments: LoadOperation.allCases)
    func markersAreRestored(operation: LoadOperation) {
        for due in [0, 1, 12_345_678, 604_800_000_000] as [UInt64] {
            let marker = PushMarker(operation: operation, due: due)
            #expect(PushMarker(number: marker.number) == marker)
        }
        #expect(PushMarker(number: 0) == nil)
        #expect(PushMarker(number: 7) == nil)
    }

    @Test func registrationsOfNewDevicesHaveTokensOfTheirOwn() throws {
        let plan = try plan("register")
        var tokens = Set((0..<90).map { plan.population.address($0).token })
        for part in 0..<2 {
            var workload = Workload(plan, seed: 1, part: part, of: 2)
            for _ in 0..<50 {
                let request = workload.request(.register, marker: 0, now: .zero)
                tokens.insert(try #require(request.as(RegisterRequest.self)).address.token)
            }
        }
        #expect(tokens.count == 190)
    }
}
