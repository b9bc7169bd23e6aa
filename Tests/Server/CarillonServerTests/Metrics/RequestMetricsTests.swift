import CarillonCore
import CarillonWire
import Testing

@testable import CarillonServer

struct RequestMetricsTests {
    private let prometheus = Prometheus()
    private let metrics: RequestMetrics

    init() {
        metrics = RequestMetrics(factory: prometheus)
    }

    /// The totals in words: the operation, its result, the number of requests and their time.
    private var totals: [String] {
        metrics.totals.map { row in
            let result = row.error?.name ?? "ok"
            return "\(Opcode(rawValue: row.opcode).name) \(result): \(row.count) in \(row.microseconds) µs"
        }
    }

    @Test func `requests are counted by operation and result`() {
        metrics.requestAnswered(.send, error: nil, nanoseconds: 2_000)
        metrics.requestAnswered(.send, error: .notFound, nanoseconds: 3_000)
        metrics.requestAnswered(.register, error: nil, nanoseconds: 4_000)
        #expect(
            prometheus.series("carillon_requests_total") == [
                #"carillon_requests_total{operation="register",result="ok"} 1"#,
                #"carillon_requests_total{operation="send",result="NOT_FOUND"} 1"#,
                #"carillon_requests_total{operation="send",result="ok"} 1"#,
            ])
    }

    @Test func `the totals begin with the most frequent requests`() {
        metrics.requestAnswered(.send, error: .notFound, nanoseconds: 3_000)
        metrics.requestAnswered(.register, error: nil, nanoseconds: 2_000)
        metrics.requestAnswered(.register, error: nil, nanoseconds: 6_000)
        #expect(totals == ["register ok: 2 in 8 µs", "send NOT_FOUND: 1 in 3 µs"])
    }

    @Test func `an operation that only failed has no total of successes`() {
        metrics.requestAnswered(.send, error: .notFound, nanoseconds: 3_000)
        #expect(totals == ["send NOT_FOUND: 1 in 3 µs"])
    }

    @Test func `requests that are answered together took the same time each`() {
        metrics.requestAnswered(.register, error: nil, nanoseconds: 5_000, count: 3)
        #expect(totals == ["register ok: 3 in 15 µs"])
        #expect(
            prometheus.series("carillon_request_seconds_count")
                == [#"carillon_request_seconds_count{operation="register"} 3"#])
    }

    @Test func `successes that are counted together have times of their own`() {
        metrics.requestsSucceeded(.register, nanoseconds: [1_000, 2_000, 4_000])
        #expect(totals == ["register ok: 3 in 7 µs"])
        #expect(
            prometheus.series("carillon_request_seconds_count")
                == [#"carillon_request_seconds_count{operation="register"} 3"#])
    }

    @Test func `a refused key and a connection that is refused or displaced are counted`() {
        metrics.keyRefused()
        metrics.connectionRefused()
        metrics.connectionDisplaced()
        #expect(
            prometheus.series("carillon_authentication_failures_total") == ["carillon_authentication_failures_total 1"])
        #expect(prometheus.series("carillon_client_refusals_total") == ["carillon_client_refusals_total 1"])
        #expect(prometheus.series("carillon_client_displacements_total") == ["carillon_client_displacements_total 1"])
    }
}
