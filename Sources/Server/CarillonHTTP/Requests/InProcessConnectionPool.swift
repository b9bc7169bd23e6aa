import CarillonGateway
import NIOCore
import NIOPosix

/// The connections within the process that the HTTP ports use. Each belongs to an owner: a session of the console, or
/// an API key together with a client's address. A connection is opened when it is first needed, is shared by all
/// requests of its owner, and is closed when it has been idle for some time.
// Safety: every use is on the loop of the port.
final class InProcessConnectionPool: @unchecked Sendable {
    /// The most connections; beyond it the idle one that was used least recently is closed.
    static let maximumConnections = 128

    private struct Entry {
        var opening: EventLoopFuture<InProcessConnection>
        var connection: InProcessConnection?
        var usedAt: NIODeadline
    }

    let gateway: Gateway
    private let server: any HTTPBackend
    private let loop: any EventLoop
    private let idleTime: TimeAmount
    private var entries: [String: Entry] = [:]
    private var idleTimer: RepeatedTask?

    /// Makes an empty pool.
    ///
    /// - Parameter idleTime: the time for which an idle connection is kept.
    init(_ server: any HTTPBackend, gateway: Gateway, on loop: any EventLoop, idleTime: TimeAmount = .minutes(2)) {
        self.server = server
        self.gateway = gateway
        self.loop = loop
        self.idleTime = idleTime
    }

    var count: Int { entries.count }

    /// Returns true if an owner has an open connection: its key is good.
    func isOpen(_ owner: String) -> Bool { entries[owner]?.connection?.isUsable ?? false }

    /// Returns the open connection of an owner; opens another one if the owner has none, or if that takes no more
    /// requests.
    ///
    /// - Parameters:
    ///   - owner: the session or client that shares the connection.
    ///   - key: the API key.
    ///   - clientAddress: the client, as the log shows it.
    func connection(
        of owner: String, key: [UInt8], clientAddress: String
    ) -> EventLoopFuture<InProcessConnection> {
        if let entry = entries[owner], entry.connection?.isUsable ?? true {
            entries[owner]?.usedAt = .now()
            return entry.opening
        }
        guard makeRoom() else {
            return loop.makeFailedFuture(GatewayError.overloaded("too many sessions at once"))
        }
        startIdleTimer()
        let opening = open(key: key, clientAddress: clientAddress)
        entries[owner] = Entry(opening: opening, connection: nil, usedAt: .now())
        opening.whenComplete { [self] result in
            switch result {
            case .success(let connection): entries[owner]?.connection = connection
            case .failure: entries[owner] = nil
            }
        }
        return opening
    }

    func close(_ owner: String) {
        entries.removeValue(forKey: owner)?.connection?.close()
    }

    func closeAll() {
        idleTimer?.cancel()
        for entry in entries.values { entry.connection?.close() }
        entries = [:]
    }

    private func open(key: [UInt8], clientAddress: String) -> EventLoopFuture<InProcessConnection> {
        let opened = loop.makePromise(of: Void.self)
        let bound = NIOLoopBound(InProcessConnection(key: key, gateway: gateway, opened: opened), eventLoop: loop)
        let descriptor: CInt
        do {
            descriptor = try server.openSession(for: clientAddress)
        } catch {
            opened.fail(GatewayError.overloaded("no session can be opened"))
            return opened.futureResult.map { bound.value }
        }
        let connected = ClientBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(bound.value) }
            }
            .withConnectedSocket(descriptor)
        connected.whenFailure { _ in opened.fail(GatewayError.overloaded("no session can be opened")) }
        return opened.futureResult.map { bound.value }
    }

    /// Closes the idle connection that was used least recently if there are too many; returns false if none is idle.
    private func makeRoom() -> Bool {
        guard entries.count >= Self.maximumConnections else { return true }
        let idle = entries.filter { $0.value.connection.map { $0.outstandingCount == 0 } ?? false }
        guard let oldest = idle.min(by: { $0.value.usedAt < $1.value.usedAt }) else { return false }
        close(oldest.key)
        return true
    }

    private func startIdleTimer() {
        guard idleTimer == nil else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        idleTimer = loop.scheduleRepeatedTask(initialDelay: .seconds(30), delay: .seconds(30)) { _ in
            let pool = bound.value
            for (owner, entry) in pool.entries {
                guard let connection = entry.connection, connection.outstandingCount == 0 else { continue }
                if !connection.isUsable || entry.usedAt + pool.idleTime < .now() { pool.close(owner) }
            }
        }
    }
}
