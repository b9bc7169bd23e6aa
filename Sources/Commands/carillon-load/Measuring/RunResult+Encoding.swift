import CarillonCore

/// The name of a metric as a key of JSON.
private struct MetricKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Encoder {
    /// Adds metrics to the object that is being encoded, besides its own members.
    fileprivate func add(_ metrics: [Metric]) throws {
        var container = container(keyedBy: MetricKey.self)
        for metric in metrics { try container.encode(metric.value, forKey: MetricKey(stringValue: metric.name)) }
    }
}

/// The metrics as a JSON object of their own. The metrics whose names begin with `to_device.` are an object in it.
private struct MetricObject: Encodable {
    var metrics: [Metric]

    func encode(to encoder: any Encoder) throws {
        let prefix = RunResult.toDevice + "."
        try encoder.add(metrics.filter { !$0.name.hasPrefix(prefix) })
        let parts = metrics.compactMap { metric in
            metric.name.removing(prefix: prefix).map { Metric(name: String($0), value: metric.value) }
        }
        guard !parts.isEmpty else { return }
        var container = encoder.container(keyedBy: MetricKey.self)
        try container.encode(MetricObject(metrics: parts), forKey: MetricKey(stringValue: RunResult.toDevice))
    }
}

extension RunResult {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(version, forKey: .version)
        try container.encode(software, forKey: .software)
        try container.encode(build, forKey: .build)
        try container.encode(serverBuild, forKey: .serverBuild)
        try container.encode(startedAt, forKey: .startedAt)
        try container.encode(settings, forKey: .settings)
        try container.encode(machine, forKey: .machine)
        try container.encode(seconds, forKey: .seconds)
        try container.encode(intervalSeconds, forKey: .intervalSeconds)
        try container.encode(operations, forKey: .operations)
        try container.encode(writeDelay, forKey: .writeDelay)
        try container.encode(connectionsLost, forKey: .connectionsLost)
        try container.encode(arrivalsLost, forKey: .arrivalsLost)
        try container.encode(usage, forKey: .usage)
        try container.encode(notes, forKey: .notes)
        try container.encode(failIf, forKey: .failIf)
        var metrics = encoder.container(keyedBy: MetricKey.self)
        try metrics.encode(MetricObject(metrics: totalMetrics), forKey: MetricKey(stringValue: Self.all))
        try encoder.add(runMetrics.filter { $0.name == "late_p99_ms" })
    }
}

extension RunResult.Operation {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(operation, forKey: .operation)
        try container.encode(errors, forKey: .errors)
        try container.encode(latency, forKey: .latency)
        try container.encode(serviceTime, forKey: .serviceTime)
        try container.encode(answeredOverTime, forKey: .answeredOverTime)
        try container.encode(failedOverTime, forKey: .failedOverTime)
        try container.encode(latencyOverTime, forKey: .latencyOverTime)
        try container.encodeIfPresent(toDevice, forKey: .toDevice)
        try encoder.add(metrics.filter { $0.name != CodingKeys.answered.rawValue })
        // It is written as a whole number, because the file is read again.
        try container.encode(answered, forKey: .answered)
    }
}

extension RunResult.Pushes {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(latency, forKey: .latency)
        try container.encode(latencyOverTime, forKey: .latencyOverTime)
        try encoder.add(metrics.filter { $0.name != CodingKeys.addressed.rawValue })
        try container.encode(addressed, forKey: .addressed)
    }
}
