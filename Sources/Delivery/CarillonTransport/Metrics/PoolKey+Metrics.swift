package import CarillonCore

/// The names and the labels of the metrics of a pool.
extension PoolKey {
    package var labels: [(String, String)] {
        [("credential", credential), ("environment", destination.environment.name)]
    }

    /// The beginning of the names of a pool's series: each provider has its own.
    package var metricPrefix: String { "carillon_\(destination.provider.name)_" }
}
