import CarillonClient
import CarillonCore
import Foundation

@testable import carillon_load

/// The results that a run would have.
enum Runs {
    private static let second: UInt64 = 1_000_000_000

    static func settings(rate: Double?, mix: [Mix.Share]) -> RunResult.Settings {
        RunResult.Settings(
            title: "Friday <evening> & \"raid\"", server: "127.0.0.1:7474", serverSoftware: "carillond/1.0",
            isOwnServer: true, rate: rate, arrivals: .poisson, connections: 4, maximumInFlight: 16, threads: 1,
            mix: mix, keyDistribution: "zipf:0.99", devices: 10_000, groupSize: 3, topics: 100, payloadBytes: 176,
            warmUpSeconds: 2, durationSeconds: 10, seed: 1, serverFlags: [], data: "/var/tmp", fileSystem: "ext4")
    }

    static let machine = MachineDescription(
        processor: "Some processor", cores: 2, memoryBytes: 8 << 30, kernel: "6.1", loadBefore: 0.1)

    /// Makes a result with all operations, pushes, failures and processes. Its latencies are multiplied by `slowness`.
    static func full(slowness: Double = 1, rate: Double? = 1_000) -> RunResult {
        slowness == 1 && rate == 1_000 ? usual : run(slowness: slowness, rate: rate)
    }

    /// The result that most tests want: to make one takes half a second.
    private static let usual = run(slowness: 1, rate: 1_000)

    private static func run(slowness: Double, rate: Double?) -> RunResult {
        let measuredTime = MeasuredTime(
            loadStartNanoseconds: second, warmUpNanoseconds: 2 * second, durationNanoseconds: 10 * second)
        var counts = LoadCounts(measuredTime: measuredTime)
        var arrivals = ArrivalLatencies(measuredTime: measuredTime, loadStartMicroseconds: 1_000_000)
        var generator = SeededGenerator(seed: 6)
        for index in 0..<10_000 {
            let operation = LoadOperation.allCases[index % 6]
            let due = measuredTime.startNanoseconds + UInt64(index) * 1_000_000
            let took = UInt64(-log(1 - generator.unit()) * 2e6 * slowness) + 50_000
            let request = LoadCounts.PendingRequest(
                operation: operation, dueNanoseconds: due, sentNanoseconds: due + 1_000)
            counts.requestWritten(request, writeDelayNanoseconds: 1_000)
            if index % 500 == 7 {
                counts.requestFailed(request, atNanoseconds: due + took, error: "OVERLOADED <script>")
            } else {
                counts.requestAnswered(request, atNanoseconds: due + took, addressed: operation.isSend ? 2 : 0)
            }
            guard operation.isSend else { continue }
            let marker = PushMarker(
                operation: operation, dueMicroseconds: (due - measuredTime.loadStartNanoseconds) / 1_000)
            let arrived = 1_000_000 + marker.dueMicroseconds + took * 2 / 1_000
            arrivals.add(ReportedArrivals(arrivals: [marker.number, arrived], lost: 0))
        }
        let samples = (1...20).map {
            RunResult.Sample(seconds: Double($0) / 2, cores: 0.5 + Double($0 % 3) / 10, residentBytes: UInt64($0) << 22)
        }
        let usage = ["server", "simulator", "carillon-load"].map {
            RunResult.ProcessUsage(
                name: $0, cpuSeconds: 5, cores: 0.5, answersPerCPUSecond: $0 == "simulator" ? nil : 2_000,
                peakResidentBytes: 80 << 20, samples: samples)
        }
        let measurements = LoadRunner.Measurements(
            counts: counts, arrivals: arrivals, usage: usage, wasInterrupted: false)
        let shares = LoadOperation.allCases.map { Mix.Share(operation: $0, weight: 1) }
        let started = Date(timeIntervalSince1970: 1_800_000_000)
        var result = RunResult(
            measurements, settings: settings(rate: rate, mix: shares), machine: machine, startedAt: started)
        result.build = .release
        result.notes = ResultNotes.all(on: result, wasInterrupted: false, hasOneClock: true, isLocal: true)
        return result
    }

    /// Makes a result of a run without answers.
    static func empty(rate: Double? = nil) -> RunResult {
        let measuredTime = MeasuredTime(
            loadStartNanoseconds: second, warmUpNanoseconds: 0, durationNanoseconds: 10 * second)
        let measurements = LoadRunner.Measurements(
            counts: LoadCounts(measuredTime: measuredTime), arrivals: nil, usage: [], wasInterrupted: true)
        let share = Mix.Share(operation: .lookup, weight: 1)
        let started = Date(timeIntervalSince1970: 1_800_000_000)
        var result = RunResult(
            measurements, settings: settings(rate: rate, mix: [share]), machine: machine, startedAt: started)
        result.build = .release
        result.notes = ResultNotes.all(on: result, wasInterrupted: true, hasOneClock: true, isLocal: false)
        return result
    }
}
