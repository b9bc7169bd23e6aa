import CarillonAPNs
import CarillonCore
import CarillonTestKit
import CarillonTransport
import Logging
import NIOCore
import NIOPosix
import Testing

/// A management and the ends of its requests.
final class ChannelSender: Sendable {
    typealias End = Result<ChannelAnswer, ChannelManagementError>

    let management: ChannelManagementClient
    let ends = Watched<[Int: [End]]>([:])

    init(to port: Int, usesToken: Bool = true, _ adjust: (inout ChannelManagementSchedule.Limits) -> Void = { _ in })
        throws
    {
        let certificates = try TestCertificates.shared.get()
        let key = PoolKey(destination: .apnsProduction, credential: "main")
        let target = PoolTarget(
            key: key, server: PoolTarget.Server(host: "127.0.0.1", port: port, certificateName: "localhost"),
            tls: certificates.clientContext,
            authorization: usesToken ? .providerToken(certificates.tokens()) : .certificate,
            adapter: APNsAdapter(epoch: .zero))
        var limits = ChannelManagementSchedule.Limits()
        limits.minimumConnectIntervalMilliseconds = 1
        // Only a test that is about such a limit may run into it, however busy the machine is.
        limits.requestTimeoutMilliseconds = 3_600_000
        limits.settingsTimeoutMilliseconds = 3_600_000
        adjust(&limits)
        management = ChannelManagementClient(
            target, loop: MultiThreadedEventLoopGroup.singleton.next(), limits: limits,
            metrics: ChannelMetrics(key), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    func send(_ number: Int, _ request: ChannelManagementRequest, deadline: Uptime? = nil) {
        management.send(request, of: TestApps.game, deadline: deadline) { [ends] end in
            ends.change { $0[number, default: []].append(end) }
        }
    }

    /// Waits until the requests up to that number have ended, and returns the end of each, which must be one.
    func ended(_ count: Int) async throws -> [End] {
        let ends = try await ends.wait(until: "\(count) requests have ended") { $0.count >= count }
        return (1...count).compactMap { number in
            #expect(ends[number]?.count == 1)
            return ends[number]?.first
        }
    }

    func finish() async throws { try await management.close().get() }
}
