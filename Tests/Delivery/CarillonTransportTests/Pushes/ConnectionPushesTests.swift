import CarillonCore
import CarillonHTTP2
import CarillonProvider
import CarillonTestKit
import Testing

@testable import CarillonTransport

/// The pushes of one connection: each that was submitted is given back once.
struct ConnectionPushesTests {
    private let http2: HTTP2ClientSession
    private let target: PoolTarget
    private let source = RecordingSource(retries: { _ in false })

    init() throws {
        http2 = try HTTP2ClientSession(settings: ClientSettings())
        target = try TestCertificates.shared.get().target(port: 1)
    }

    private func makePushes() -> ConnectionPushes {
        ConnectionPushes(
            to: target, source: source, metrics: PoolMetrics(target.key), statistics: ConnectionStatistics(),
            connection: 7)
    }

    private func submit(devices: ClosedRange<Int>, with pushes: inout ConnectionPushes) throws {
        source.add(devices: devices)
        var deliveries: [Delivery] = []
        source.pull(for: target.key, PullLimits(devices.count), into: &deliveries)
        let now = Moment(wall: .zero, uptime: 0)
        let authorization = try target.requestAuthorization(at: now)
        let unsubmitted = pushes.submit(deliveries[...], to: http2, authorization: authorization, at: now)
        #expect(unsubmitted.isEmpty)
    }

    /// Writes everything that the session has to send.
    private func write() throws {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 1)
        defer { room.deallocate() }
        while try http2.fill(room) > 0 {}
    }

    @Test func `pushes that were never written are given back as not processed`() throws {
        var pushes = makePushes()
        try submit(devices: 1...3, with: &pushes)
        let before = pushes.unanswered
        let unanswered = pushes.failAll(of: http2)
        let after = pushes.unanswered
        #expect(before == 3)
        #expect(unanswered.isEmpty)
        #expect(after == 0)
        #expect(source.watched.now.all.isEmpty, "results are gathered")
        pushes.giveBack()
        #expect(source.watched.now.all == [.notProcessed, .notProcessed, .notProcessed])
    }

    @Test func `the verdict on a push that was written is unknown`() throws {
        var pushes = makePushes()
        // Before the SETTINGS of the peer the session sends one request.
        try submit(devices: 1...1, with: &pushes)
        try write()
        let unanswered = pushes.failAll(of: http2).map(\.device.rawValue)
        #expect(unanswered == [1])
        pushes.giveBack()
        #expect(source.watched.now.all == [.unknown])
        #expect(source.watched.now.traces[1] == ["+0 connection-closed"])
    }

    @Test func `an attempt is overdue once`() throws {
        var pushes = makePushes()
        try submit(devices: 1...2, with: &pushes)
        let overdue = [0, 1, 1].map { pushes.markOverdue(submittedBefore: $0).count }
        #expect(overdue == [0, 2, 0])
    }
}
