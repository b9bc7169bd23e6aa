import CarillonCore
import CarillonTestKit
import CarillonWire
import Foundation
import Testing

@testable import carillon_load

private let game = TestApps.game

struct WorkloadTests {
    private func makePlan(_ mix: String, keys: KeyDistribution = .uniform, devices: Int = 90) throws -> Workload.Plan {
        let population = Population(
            app: game, seed: 1, deviceCount: devices, groupSize: 3, topicCount: 10, firstNewDevice: devices)
        return Workload.Plan(
            population: population, mix: try Mix(mix), keys: keys, payloadBytes: 176, markerKey: "load7", runNumber: 5)
    }

    @Test func `the same seed gives the same requests`() throws {
        let plan = try makePlan("lookup,register,subscribe,send-token,send-group,send-topic")
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
    @Test func `two runs with the same seed have different idempotency keys`() throws {
        var plan = try makePlan("send-token")
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
    func `every request is read back as it was written`(operation: LoadOperation) throws {
        let plan = try makePlan(operation.name, keys: .zipf(exponent: 1))
        var workload = Workload(plan, seed: 1, part: 0, of: 1)
        for _ in 0..<50 {
            let request = workload.request(workload.nextOperation(), marker: 123, now: Timestamp(milliseconds: 7))
            var writer = FrameWriter()
            writer.request(request, id: 1)
            let read = try writer.bytes.withUnsafeBytes { bytes in
                try AnyRequest.decode(
                    UnsafeRawBufferPointer(rebasing: bytes[FrameHeader.byteCount...]), of: request.opcode)
            }
            #expect(read.request == request)
        }
    }

    @Test func `a push contains its marker`() throws {
        var workload = Workload(try makePlan("send-token"), seed: 1, part: 0, of: 1)
        let message = try #require(workload.request(.sendToken, marker: 987, now: .zero).as(SendRequest.self))
        let payload = Data(message.content.payload)
        let object = try #require(try JSONSerialization.jsonObject(with: payload) as? [String: Any])
        #expect(object["load7"] as? Int == 987)
        #expect((160...190).contains(payload.count))
        #expect(message.idempotencyKey != nil)
    }

    @Test func `registrations of new devices have tokens of their own`() throws {
        let plan = try makePlan("register")
        var tokens = Set((0..<90).map { plan.population.address(ofDevice: $0).token })
        for part in 0..<2 {
            var workload = Workload(plan, seed: 1, part: part, of: 2)
            for _ in 0..<50 {
                let request = workload.request(.register, marker: 0, now: .zero)
                tokens.insert(try #require(request.as(RegisterRequest.self)).address.token)
            }
        }
        #expect(tokens.count == 190)
    }

    @Test(arguments: LoadOperation.allCases)
    func `markers are restored`(operation: LoadOperation) {
        for due in [0, 1, 12_345_678, 604_800_000_000] as [UInt64] {
            let marker = PushMarker(operation: operation, dueMicroseconds: due)
            #expect(PushMarker(number: marker.number) == marker)
        }
        #expect(PushMarker(number: 0) == nil)
        #expect(PushMarker(number: 7) == nil)
    }
}
