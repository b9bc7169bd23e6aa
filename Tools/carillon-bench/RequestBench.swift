import ArgumentParser
import CarillonCore
import CarillonWire
import Foundation
import NIOCore
import NIOPosix

/// The bench of one kind of request on many connections: requests a second, and the CPU time of the client. The
/// requests are made in advance.
struct RequestBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "requests",
        abstract: "Sends requests as fast as the server answers, on many connections, pipelined."
    )

    enum Operation: String, ExpressibleByArgument, CaseIterable {
        /// Each request registers one new device.
        case register
        /// Each request registers many new devices.
        case registerBatch = "register-batch"
        /// Each request subscribes a random device to a random topic of a hundred.
        case subscribe
        /// Each request looks up a random device by its token.
        case lookup
    }

    @Option(help: "Port of the server on this machine.") var port: Int
    @Option(help: "File of the API key.") var apiKeyFile: String
    @Option(help: "Bundle id.") var app = "com.example.game"
    @Option(help: "register, register-batch, subscribe or lookup.") var operation: Operation
    @Option(help: "Connections.") var connections = 50
    @Option(help: "Requests in flight on each connection.") var pipelined = 64
    @Option(help: "Devices registered, or requests of another kind.") var count = 200_000
    @Option(help: "Number of the first device that is registered.") var first = 0
    @Option(help: "Devices to subscribe or to look up: the numbers below this.") var devices = 1_000_000
    @Option(help: "Seed of the random numbers.") var seed: UInt64 = 1
    @Option(help: "Devices of a batch.") var perRequest = 1_000
    @Option(help: "NAME:COUNT, a topic of the registered devices with numbers below COUNT; repeatable.")
    var topic: [String] = []

    func validate() throws {
        guard (1...1_000).contains(connections), (1...1_000).contains(pipelined), (1...1_000).contains(perRequest),
            count > 0, devices > 0, first >= 0
        else {
            throw ValidationError(
                "connections, pipelined and per-request are 1 to 1000, count and devices at least 1, first at least 0")
        }
    }

    func run() async throws {
        guard let app = AppID(app) else { throw ValidationError("\(app) is not a bundle id") }
        let key = try String(contentsOfFile: apiKeyFile, encoding: .utf8).filter { !$0.isWhitespace }
        let windows = try makeWindows(app)
        // One thread, like redis-benchmark, on its own core.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let clients = try await connect(windows, key: Array(key.utf8), group: group)
        for client in clients { try await client.ready.get() }

        let before = ProcessTimes.now
        for client in clients { client.start() }
        var refused = 0
        for client in clients { refused += try await client.done.get() }
        let used = ProcessTimes.now - before

        for client in clients { try await client.channel.close().get() }
        try await group.shutdownGracefully()
        let report = Report(
            count: count, refused: refused, seconds: used.wallSeconds, cpuSeconds: used.cpuSeconds,
            perSecond: Double(count) / used.wallSeconds)
        print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
        if refused > 0 { throw ExitCode.failure }
    }

    private struct Report: Encodable {
        var count: Int
        var refused: Int
        var seconds: Double
        var cpuSeconds: Double
        var perSecond: Double
    }

    // MARK: Connections

    private struct Client {
        var channel: any Channel
        var handler: NIOLoopBound<RequestConnection>
        var ready: EventLoopFuture<Void>
        var done: EventLoopFuture<Int>

        func start() {
            channel.eventLoop.execute { [handler, channel] in handler.value.sendNext(channel) }
        }
    }

    private func connect(
        _ windows: [[RequestConnection.Window]],
        key: [UInt8],
        group: MultiThreadedEventLoopGroup
    ) async throws -> [Client] {
        var clients: [Client] = []
        for windows in windows {
            let loop = group.next()
            let ready = loop.makePromise(of: Void.self)
            let done = loop.makePromise(of: Int.self)
            let handler = try await loop.submit {
                NIOLoopBound(
                    RequestConnection(key: key, windows: windows, ready: ready, done: done), eventLoop: loop)
            }.get()
            let channel = try await ClientBootstrap(group: loop)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(handler.value)
                    }
                }
                .connect(host: "127.0.0.1", port: port).get()
            clients.append(
                Client(channel: channel, handler: handler, ready: ready.futureResult, done: done.futureResult))
        }
        return clients
    }

    // MARK: Requests

    /// Makes the windows of each connection. The requests are distributed round-robin.
    private func makeWindows(_ app: AppID) throws -> [[RequestConnection.Window]] {
        let requests = try makeRequests(app)
        return (0..<min(connections, requests.count)).map { connection in
            var windows: [RequestConnection.Window] = []
            var writer = FrameWriter()
            var inWindow = 0
            var id = RequestConnection.firstID
            for index in stride(from: connection, to: requests.count, by: connections) {
                writer.request(requests[index], id: id)
                inWindow = inWindow + 1
                id = id + 1
                guard inWindow == pipelined || index + connections >= requests.count else { continue }
                windows.append(RequestConnection.Window(frames: ByteBuffer(bytes: writer.take()), count: inWindow))
                inWindow = 0
            }
            return windows
        }
    }

    private func makeRequests(_ app: AppID) throws -> [AnyRequest] {
        var generator = SeededGenerator(seed: seed)
        let random = (0..<100).compactMap { TopicName("random/\($0)") }
        func anyDevice() -> Int { Int.random(in: 0..<devices, using: &generator) }
        switch operation {
        case .register:
            return try registrations(app).map { AnyRequest($0) }
        case .registerBatch:
            let all = try registrations(app)
            return stride(from: 0, to: all.count, by: perRequest).map { start in
                AnyRequest(RegisterBatchRequest(all[start..<min(start + perRequest, all.count)]))
            }
        case .subscribe:
            return (0..<count).compactMap { _ in
                guard let address = BenchDevice.address(anyDevice()),
                    let topic = random.randomElement(using: &generator)
                else { return nil }
                return AnyRequest(
                    SubscribeRequest(
                        TopicSubscription(app: app, topics: [topic], devices: [.address(address)], groups: [])))
            }
        case .lookup:
            return (0..<count).compactMap { _ in
                BenchDevice.address(anyDevice()).map { AnyRequest(LookupRequest(app: app, device: .address($0))) }
            }
        }
    }

    private func registrations(_ app: AppID) throws -> [Registration] {
        let topics = try topic.map { text in
            let parts = text.split(separator: ":").map(String.init)
            guard parts.count == 2, let name = TopicName(parts[0]), let below = Int(parts[1]) else {
                throw ValidationError("--topic is NAME:COUNT")
            }
            return (name: name, below: below)
        }
        return (first..<first + count).compactMap { number in
            BenchDevice.address(number).map { address in
                Registration(
                    app: app, address: address, topics: topics.filter { number < $0.below }.map(\.name))
            }
        }
    }
}
