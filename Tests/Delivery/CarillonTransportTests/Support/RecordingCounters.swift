import CoreMetrics
import Synchronization

/// A factory of metrics that keeps what is counted, by the name of the counter and its kind.
final class RecordingCounters: MetricsFactory {
    private let counts = Mutex<[String: Int64]>([:])

    var values: [String: Int64] { counts.withLock { $0 } }

    private final class Counter: CounterHandler {
        private let name: String
        private let owner: RecordingCounters

        init(_ name: String, of owner: RecordingCounters) {
            self.name = name
            self.owner = owner
        }

        func increment(by amount: Int64) { owner.counts.withLock { $0[name, default: 0] += amount } }
        func reset() { owner.counts.withLock { $0[name] = 0 } }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        let kind = dimensions.first { $0.0 == "kind" }?.1
        return Counter(kind.map { "\(label) \($0)" } ?? label, of: self)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        NOOPMetricsHandler.instance
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { NOOPMetricsHandler.instance }
    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { NOOPMetricsHandler.instance }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
}
