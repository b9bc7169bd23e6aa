import CarillonGateway
import NIOCore
import NIOPosix

/// The links of a port, by their owner: a session of the console, or an API key and an address. A link is opened when
/// it is first needed, is shared by all requests of its owner, and is closed after a quiet time.
// Safety: every use is on the loop of the port.
final class Links: @unchecked Sendable {
    /// The most links; beyond it the quiet one that was used least recently is closed.
    static let maximumLinks = 128
    /// The time for which a quiet link is kept.
    static let quietTime = TimeAmount.minutes(2)

    private struct Entry {
        var opening: EventLoopFuture<LinkHandler>
        var handler: LinkHandler?
        var usedAt: NIODeadline
    }

    let gateway: Gateway
    private let server: any HTTPBackend
    private let loop: any EventLoop
    private var entries: [String: Entry] = [:]
    private var idleTimer: RepeatedTask?

    init(_ server: any HTTPBackend, gateway: Gateway, on loop: any EventLoop) {
        self.server = server
        self.gateway = gateway
        self.loop = loop
    }

    var count: Int { entries.count }

    /// Returns true if an owner has an open link: its key is good.
    func isOpen(_ owner: String) -> Bool { entries[owner]?.handler?.isUsable ?? false }

    /// Returns the open link of an owner; opens another one if the owner has none, or if it takes no new requests.
    ///
    /// - Parameters:
    ///   - owner: the session or client that shares the link.
    ///   - key: the API key.
    ///   - address: the address of the client, as the log shows it.
    func link(of owner: String, key: [UInt8], address: String) -> EventLoopFuture<LinkHandler> {
        if let entry = entries[owner], entry.handler?.isUsable ?? true {
            entries[owner]?.usedAt = .now()
            return entry.opening
        }
        guard makeRoom() else {
            return loop.makeFailedFuture(GatewayError.overloaded("too many sessions at once"))
        }
        startIdleTimer()
        let opening = open(key, address: address)
        entries[owner] = Entry(opening: opening, handler: nil, usedAt: .now())
        opening.whenComplete { [self] result in
            switch result {
            case .success(let handler): entries[owner]?.handler = handler
            case .failure: entries[owner] = nil
            }
        }
        return opening
    }

    func close(_ owner: String) {
        entries.removeValue(forKey: owner)?.handler?.close()
    }

    func closeAll() {
        idleTimer?.cancel()
        for entry in entries.values { entry.handler?.close() }
        entries = [:]
    }

    private func open(_ key: [UInt8], address: String) -> EventLoopFuture<LinkHandler> {
        let opened = loop.makePromise(of: Void.self)
        let bound = NIOLoopBound(LinkHandler(key: key, gateway: gateway, opened: opened), eventLoop: loop)
        let descriptor: CInt
        do {
            descriptor = try server.openSession(for: address)
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

    /// Closes the quiet link that was used least recently if there are too many; returns false if none is quiet.
    private func makeRoom() -> Bool {
        guard entries.count >= Self.maximumLinks else { return true }
        let quiet = entries.filter { $0.value.handler.map { $0.load == 0 } ?? false }
        guard let oldest = quiet.min(by: { $0.value.usedAt < $1.value.usedAt }) else { return false }
        close(oldest.key)
        return true
    }

    private func startIdleTimer() {
        guard idleTimer == nil else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        idleTimer = loop.scheduleRepeatedTask(initialDelay: .seconds(30), delay: .seconds(30)) { _ in
            let links = bound.value
            for (owner, entry) in links.entries {
                guard let handler = entry.handler, handler.load == 0 else { continue }
                if !handler.isUsable || entry.usedAt + Self.quietTime < .now() { links.close(owner) }
            }
        }
    }
}
