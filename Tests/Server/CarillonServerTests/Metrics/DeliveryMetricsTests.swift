import CarillonCore
import CarillonTransport
import Testing

@testable import CarillonServer

/// The times of answers and of deliveries: a message that can be sent since the time 0 is handed out, and its pushes
/// are answered.
struct DeliveryMetricsTests {
    private let prometheus = Prometheus()
    private let metrics: DeliveryMetrics
    private let deliveries: [Delivery]

    init() async throws {
        metrics = DeliveryMetrics(factory: prometheus)
        let harness = try await ServiceHarness()
        try await harness.accept(1)
        deliveries = harness.pull()
    }

    /// Completes a delivery to each device, this long after it was handed out and after its message could be sent.
    private func complete(
        _ verdict: Verdict, status: UInt16, answerMilliseconds: UInt64 = 0, deliveryMilliseconds: UInt64 = 0
    ) throws {
        let handedOutAt = try #require(deliveries.first).attempt.handedOutAt
        metrics.attemptsEnded(
            deliveries.map { AttemptResult($0.attempt, verdict: verdict, status: status) }, for: ServiceHarness.pool,
            at: Moment(
                wall: Timestamp(milliseconds: deliveryMilliseconds), uptime: handedOutAt + answerMilliseconds))
    }

    private let answers = #"{credential="main",environment="production"}"#
    private let interactive = #"{lane="interactive",provider="apns"}"#

    @Test func `an answer is timed from the handover of the push`() throws {
        try complete(.delivered, status: 200, answerMilliseconds: 250)
        #expect(
            prometheus.series("carillon_apns_answer_seconds_count") == [
                "carillon_apns_answer_seconds_count\(answers) 2"
            ])
        #expect(
            prometheus.series("carillon_apns_answer_seconds_sum") == ["carillon_apns_answer_seconds_sum\(answers) 0.5"])
    }

    @Test func `a delivery is timed from the time since which its message can be sent`() throws {
        try complete(.delivered, status: 200, deliveryMilliseconds: 30_000)
        #expect(
            prometheus.series("carillon_delivery_seconds_sum\(interactive)")
                == ["carillon_delivery_seconds_sum\(interactive) 60"])
    }

    @Test func `a final refusal ends a delivery`() throws {
        try complete(.refused(.refused, deadSince: nil), status: 400)
        #expect(
            prometheus.series("carillon_delivery_seconds_count\(interactive)")
                == ["carillon_delivery_seconds_count\(interactive) 2"])
    }

    @Test func `an answer that ends no delivery is timed as an answer only`() throws {
        try complete(.tryLater(.serverBusy, afterMilliseconds: nil), status: 503)
        #expect(
            prometheus.series("carillon_apns_answer_seconds_count") == [
                "carillon_apns_answer_seconds_count\(answers) 2"
            ])
        #expect(
            prometheus.series("carillon_delivery_seconds_count\(interactive)")
                == ["carillon_delivery_seconds_count\(interactive) 0"])
    }

    @Test func `an attempt without an answer is not timed`() throws {
        try complete(.unknown, status: 0)
        #expect(
            prometheus.series("carillon_apns_answer_seconds_count") == [
                "carillon_apns_answer_seconds_count\(answers) 0"
            ])
    }

    @Test func `all lanes of all providers have series before the first delivery`() {
        #expect(
            prometheus.series("carillon_delivery_seconds_count") == [
                #"carillon_delivery_seconds_count{lane="bulk",provider="apns"} 0"#,
                #"carillon_delivery_seconds_count{lane="bulk",provider="fcm"} 0"#,
                #"carillon_delivery_seconds_count{lane="bulk",provider="web"} 0"#,
                #"carillon_delivery_seconds_count{lane="interactive",provider="apns"} 0"#,
                #"carillon_delivery_seconds_count{lane="interactive",provider="fcm"} 0"#,
                #"carillon_delivery_seconds_count{lane="interactive",provider="web"} 0"#,
            ])
    }
}
