// Measures how many requests the client makes on one connection: carillon-client-benchmark [SECONDS [IN_FLIGHT]].
// IN_FLIGHT tasks call without a pause, first for a round that is not measured. `mixed` are lookups and sends in turn.
// The environment names the server, the app and the key.
import CarillonClient
import Foundation
import Synchronization

/// Processor time of this process, in seconds.
func cpuSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The choice between two requests, which are made in turn.
final class Turns: Sendable {
    private let count = Mutex(0)

    /// True each second time.
    func isSecond() -> Bool {
        count.withLock { count in
            count += 1
            return count.isMultiple(of: 2)
        }
    }
}

/// A task looks at the clock after this number of requests.
let clockInterval = 8

/// Makes requests for a number of seconds; returns their number.
func makeRequests(
    seconds: Double, inFlight: Int, _ request: @escaping @Sendable () async throws -> Void
) async throws -> Int {
    let end = ContinuousClock.now + .seconds(seconds)
    return try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<inFlight {
            group.addTask {
                var count = 0
                while ContinuousClock.now < end {
                    // The clock is not part of the client.
                    for _ in 0..<clockInterval { try await request() }
                    count += clockInterval
                }
                return count
            }
        }
        return try await group.reduce(0, +)
    }
}

/// Measures one kind of request, and prints the result.
func measure(
    _ name: String, seconds: Double, inFlight: Int, _ request: @escaping @Sendable () async throws -> Void
) async throws {
    _ = try await makeRequests(seconds: seconds, inFlight: inFlight, request)
    let (began, before) = (ContinuousClock.now, cpuSeconds())
    let requests = Double(try await makeRequests(seconds: seconds, inFlight: inFlight, request))
    let elapsed = began.duration(to: .now)
    print("RESULT swift.\(name).per_second \(Int(requests / (elapsed / .seconds(1))))")
    print("RESULT swift.\(name).per_cpu_second \(Int(requests / (cpuSeconds() - before)))")
}

let words = CommandLine.arguments.dropFirst()
let seconds = words.first.map { Double($0) ?? 0 } ?? 3
let inFlight = words.dropFirst().first.map { Int($0) ?? 0 } ?? 512
guard seconds > 0, seconds <= 3_600, inFlight > 0, words.count <= 2 else {
    FileHandle.standardError.write(Data("usage: carillon-client-benchmark [SECONDS [IN_FLIGHT]]\n".utf8))
    exit(2)
}
try await withCarillonClient(configuration: .fromEnvironment()) { client in
    let app = try client.defaultApp
    let token = DeviceToken(Array(repeating: 7, count: 32))!
    let device = try await app.register(DeviceAddress(environment: .production, kind: .device, token: token)).id
    try await measure("lookup", seconds: seconds, inFlight: inFlight) { _ = try await app.lookup(.id(device)) }
    // Bytes, as the benchmarks of the other clients send them.
    let payload = Array(#"{"aps":{"alert":"Hello"}}"#.utf8)
    let send: @Sendable () async throws -> Void = {
        try await app.send(payload: payload, to: .device(device), options: .init(lane: .bulk))
    }
    try await measure("send", seconds: seconds, inFlight: inFlight, send)
    let turns = Turns()
    try await measure("mixed", seconds: seconds, inFlight: inFlight) {
        if turns.isSecond() { try await send() } else { _ = try await app.lookup(.id(device)) }
    }
}
