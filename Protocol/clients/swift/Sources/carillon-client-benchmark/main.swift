// Measures how many requests the client makes on one connection: carillon-client-benchmark [REQUESTS [CALLS]]. So many
// tasks call without a pause. The environment names the server, the app and the key.
import CarillonClient
import Foundation

/// Processor time of this process, in seconds.
func cpuSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Makes the requests and prints the result.
func measure(
    _ name: String, requests: Int, calls: Int, isShown: Bool = true,
    _ request: @escaping @Sendable () async throws -> Void
) async throws {
    let (began, before) = (ContinuousClock.now, cpuSeconds())
    try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<calls {
            let share = requests / calls + (index < requests % calls ? 1 : 0)
            group.addTask { for _ in 0..<share { try await request() } }
        }
        try await group.waitForAll()
    }
    let elapsed = began.duration(to: .now)
    let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
    let cpu = cpuSeconds() - before
    guard isShown else { return }
    print(
        "RESULT swift \(name) requests \(requests) calls \(calls) per_second \(Int(Double(requests) / seconds))",
        "per_cpu_second \(Int(Double(requests) / cpu))")
}

let arguments = CommandLine.arguments.dropFirst().map { Int($0) ?? 0 }
let requests = arguments.first ?? 200_000
let calls = arguments.dropFirst().first ?? 256
guard requests > 0, calls > 0, arguments.count <= 2 else {
    FileHandle.standardError.write(Data("usage: carillon-client-benchmark [REQUESTS [CALLS]]\n".utf8))
    exit(2)
}
try await withCarillonClient(configuration: .fromEnvironment()) { client in
    let app = try client.defaultApp
    let token = DeviceToken(Array(repeating: 7, count: 32))!
    let device = try await app.register(DeviceAddress(environment: .production, kind: .device, token: token)).id
    let lookup: @Sendable () async throws -> Void = { _ = try await app.lookup(.id(device)) }
    try await measure("lookup", requests: max(requests / 10, calls), calls: calls, isShown: false, lookup)
    try await measure("lookup", requests: requests, calls: calls, lookup)
    try await measure("send", requests: max(requests / 10, calls), calls: calls) {
        try await app.send(.alert(body: "Hello"), to: .device(device), lane: .bulk)
    }
}
