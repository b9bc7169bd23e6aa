import Foundation
import Glibc
import NIOCore
import NIOPosix
import UnixSignals

/// The ports of a simulator, with their event loops and port files.
package struct SimulatorListener {
    private let name: String
    private let host: String
    private let prints: Bool
    private let group: MultiThreadedEventLoopGroup
    private let signals: UnixSignalsSequence
    private var channels: [any Channel] = []

    /// Makes the listener of a simulator.
    ///
    /// - Parameters:
    ///   - name: the name of the program.
    ///   - host: the address to listen on.
    ///   - threads: the number of event loops.
    ///   - prints: true if it prints its ports, and at the end the counters.
    package init(name: String, host: String, threads: Int, prints: Bool) async {
        self.name = name
        self.host = host
        self.prints = prints
        group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
        signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
    }

    /// Listens for clients, and returns the port.
    package mutating func listen(
        on port: Int, _ makeConnection: @escaping @Sendable () throws -> SimulatorConnection
    ) async throws -> Int {
        let listener =
            try await bootstrap
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.maxMessagesPerRead, value: 4)
            .childChannelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 4096, initial: 65_536, maximum: 262_144)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(try makeConnection())
                }
            }
            .bind(host: host, port: port).get()
        return add(listener)
    }

    /// Writes the port of a listener to a file, for programs that wait for it.
    package func write(port: Int, to path: String?) throws {
        guard let path else { return }
        try Data("\(port)\n".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    /// Opens the control port, if there is one, starts the faults for all connections, and runs until a signal.
    ///
    /// - Parameters:
    ///   - port: the port of clients, to be printed.
    ///   - notice: a further line to print.
    package mutating func run(
        _ service: any SimulatedService, port: Int, notice: String? = nil, controlPort: Int?, controlPortFile: String?
    ) async throws {
        var lines = ["\(name) listens on \(host):\(port)"]
        if let notice { lines.append(notice) }
        if let controlPort {
            let bound = try await listenForControl(on: controlPort, service)
            try write(port: bound, to: controlPortFile)
            lines.append("its control port is 127.0.0.1:\(bound)")
        }
        service.startPendingFaults(on: group.any())
        for line in lines { printLine(line) }
        for await _ in signals { break }
        // Why try?: a channel that cannot be closed is closed already.
        for channel in channels { try? await channel.close() }
        try await group.shutdownGracefully()
        printLine(service.stats)
    }

    private mutating func listenForControl(on port: Int, _ service: any SimulatedService) async throws -> Int {
        let listener =
            try await bootstrap
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ControlPort(service))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        return add(listener)
    }

    private var bootstrap: ServerBootstrap {
        ServerBootstrap(group: group).serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
    }

    private mutating func add(_ listener: any Channel) -> Int {
        channels.append(listener)
        return listener.localAddress?.port ?? 0
    }

    /// Prints a line, if the listener prints. A closed standard output is no error.
    private func printLine(_ line: String) {
        guard prints else { return }
        var text = line + "\n"
        text.withUTF8 { _ = Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
