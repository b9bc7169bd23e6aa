import CarillonCore
import CoreMetrics

/// The numbers of reloads, the time of the last one, and the ends of certificates.
final class ConfigurationMetrics: Sendable {
    /// The results of a reload; the raw value is the label.
    enum ReloadResult: String, CaseIterable {
        case ok, refused
    }

    private let factory: any MetricsFactory

    init(factory: any MetricsFactory) {
        self.factory = factory
        // The counters begin at 0, so that the first reload is an increase, which alarms see.
        for result in ReloadResult.allCases { count(result, by: 0) }
    }

    /// Counts a reload that took everything over.
    func reloaded(at time: Timestamp) {
        count(.ok)
        Gauge(label: "carillon_reload_timestamp_seconds", factory: factory).record(Double(time.milliseconds) / 1_000)
    }

    /// Counts a reload that changed nothing, because a file or setting cannot be used.
    func reloadRefused() { count(.refused) }

    /// Records when a certificate ends.
    ///
    /// - Parameters:
    ///   - name: the label of the certificate.
    ///   - seconds: seconds since 1970.
    func certificateEnds(_ name: String, atSeconds seconds: Int64) {
        Gauge(
            label: "carillon_certificate_expiry_timestamp_seconds", dimensions: [("certificate", name)],
            factory: factory
        ).record(Double(seconds))
    }

    private func count(_ result: ReloadResult, by number: Int64 = 1) {
        Counter(label: "carillon_reloads_total", dimensions: [("result", result.rawValue)], factory: factory)
            .increment(by: number)
    }
}
