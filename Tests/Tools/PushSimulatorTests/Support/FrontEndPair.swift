import CarillonHTTP2
import CarillonSimulator
import CarillonTLS
import CarillonTestKit
import NIOCore
import NIOEmbedded

@testable import push_simulator

/// The two ends of a connection.
final class FrontEndPair {
    let services: PushServices
    let channel = EmbeddedChannel()
    let tls: TLSSession
    let http: HTTP2ClientSession
    private(set) var ends: [StreamEnd] = []
    private(set) var goAways: [(code: HTTP2ErrorCode, text: String)] = []
    private(set) var isClosedByServer = false
    private var isOpen = false

    init(pings: Int = 2) throws {
        let authority = try TestAuthority()
        try authority.issue("server", subject: "/CN=localhost", names: "DNS:localhost")
        services = PushServices(
            endpoint: TokenEndpoint(accounts: [], lifetimeSeconds: 60), fcm: FCM(projects: [], quota: nil),
            web: WebPush(service: .google, browsers: [], key: nil),
            rules: PushSimulatorRules(certificates: ("", ""), seed: 1),
            limits: PushServices.ClientLimits(pings: pings))
        let context = try TLSContext.server(
            identity: try authority.identity("server"), applicationProtocols: ["h2"], requiresApplicationProtocol: true)
        let connection = try services.connection(context)
        try channel.pipeline.syncOperations.addHandler(connection)
        channel.pipeline.fireChannelActive()
        tls = try TLSSession(
            client: try TLSContext.client(
                trust: .authorities(path: authority.path("ca.pem")), applicationProtocols: ["h2"]),
            serverName: "localhost")
        http = try HTTP2ClientSession(settings: ClientSettings())
        try exchange()
    }

    /// Moves bytes both ways until there are none.
    func exchange() throws {
        while true {
            if !isOpen { isOpen = try tls.handshake() == .complete }
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
            defer { room.deallocate() }
            while isOpen, case let count = try http.fill(room), count > 0 {
                try tls.write(UnsafeRawBufferPointer(rebasing: room[..<count]))
            }
            var moved = false
            if tls.pendingCiphertextBytes > 0 {
                var buffer = ByteBuffer()
                tls.takeCiphertext { _ = buffer.writeBytes($0) }
                try channel.writeInbound(buffer)
                moved = true
            }
            while let buffer = try channel.readOutbound(as: ByteBuffer.self) {
                try buffer.withUnsafeReadableBytes { try tls.receive(ciphertext: $0) }
                moved = true
            }
            if !isOpen { isOpen = try tls.handshake() == .complete }
            if isOpen { try read(room) }
            if !moved { return }
        }
    }

    private func read(_ room: UnsafeMutableRawBufferPointer) throws {
        while !isClosedByServer {
            switch try tls.read(into: room) {
            case .bytes(let count):
                try http.receive(UnsafeRawBufferPointer(rebasing: room[..<count]))
                http.takeEvents { event, bytes in
                    switch event {
                    case .streamClosed(let end): ends.append(end)
                    case .goAway(let end): goAways.append((end.errorCode, String(decoding: bytes, as: UTF8.self)))
                    default: break
                    }
                }
            case .wantMore: return
            case .closed: isClosedByServer = true
            }
        }
    }

    func request(_ path: String) throws {
        let headers = try PreparedHeaders(authority: "localhost", fields: [])
        try Array(path.utf8).withUnsafeBytes { path in
            _ = try http.submit(headers: headers, path: path, body: nil, tag: 1)
        }
        try exchange()
    }
}
