package import CarillonCore
package import CoreMetrics
import Synchronization

/// The counters of the requests of APNs' channel management with one credential in one environment.
package final class ChannelMetrics: Sendable {
    /// The most results that are counted separately: Apple's set of reasons is open, and a broken peer could invent any
    /// number of them.
    private static let maximumResults = 64

    private let labels: [(String, String)]
    private let factory: any MetricsFactory
    private let results = Mutex<[String: Counter]>([:])

    /// Makes the metrics of the channel management of a pool.
    ///
    /// - Parameter key: its credential and environment are labels of the counters.
    package init(_ key: PoolKey, factory: any MetricsFactory = MetricsSystem.factory) {
        labels = key.labels
        self.factory = factory
    }

    /// Counts a request that has ended.
    ///
    /// - Parameter result: `ok`, or the reason of the failure.
    func requestEnded(_ result: String) {
        let counter = results.withLock { known in
            let name = known[result] == nil && known.count >= Self.maximumResults ? "other" : result
            if let counter = known[name] { return counter }
            let counter = Counter(
                label: "carillon_apns_channel_calls_total", dimensions: labels + [("result", name)], factory: factory)
            known[name] = counter
            return counter
        }
        counter.increment()
    }
}
