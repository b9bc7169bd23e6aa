import CarillonCore
import CarillonWire
import NIOCore

/// Reads what a client sends, goes through the handshake with it, and feeds the rest to a test.
final class ScriptedPeerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let manners: ScriptedServer.PeerBehaviour
    private let feed: AsyncStream<ScriptedPeer.Event>.Continuation
    private var inbox: [UInt8] = []
    private var hasPreface = false
    private var output = FrameWriter()

    init(_ manners: ScriptedServer.PeerBehaviour, _ feed: AsyncStream<ScriptedPeer.Event>.Continuation) {
        self.manners = manners
        self.feed = feed
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let welcome = manners.welcome else { return }
        inbox += Array(unwrapInboundIn(data).readableBytesView)
        while readOne(welcome) {}
        let bytes = output.take()
        if !bytes.isEmpty { context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        feed.yield(.closed)
        feed.finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func readOne(_ welcome: Welcome) -> Bool {
        if !hasPreface {
            guard inbox.withUnsafeBytes({ Preface.read($0) }) == .accepted else { return false }
            inbox.removeFirst(Preface.byteCount)
            hasPreface = true
            output.raw(Preface.server(choosing: 1))
            return true
        }
        guard let header = inbox.withUnsafeBytes({ FrameHeader($0) }) else { return false }
        let total = FrameHeader.byteCount + Int(header.length)
        guard inbox.count >= total else { return false }
        let payload = Array(inbox[FrameHeader.byteCount..<total])
        inbox.removeFirst(total)
        payload.withUnsafeBytes { bytes in
            do throws(WireFault) {
                try take(header, bytes, welcome)
            } catch {
                feed.yield(.fault(error))
            }
        }
        return true
    }

    private func take(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer, _ welcome: Welcome) throws(WireFault) {
        guard header.kind == FrameKind.request.rawValue else {
            let control = try Control.decode(header, payload)
            if case .ping(let ping) = control, !ping.isAcknowledgement, manners.answersPings {
                return output.ping(Ping(isAcknowledgement: true, payload: ping.payload))
            }
            feed.yield(.control(control))
            return
        }
        let (request, common) = try Request.decode(header.opcode, payload)
        switch request {
        case .hello:
            output.response(.welcome(welcome), id: header.id)
        case .authenticate(let authentication) where authentication.credential == manners.key:
            let grants = [Grant(app: nil, roles: [.register, .send])]
            output.response(.identity(Identity(principal: "tester", grants: grants)), id: header.id)
        case .authenticate:
            let error = ErrorReply(.authenticationFailed, message: "the credential is not good")
            output.error(error, opcode: .authenticate, id: header.id)
        default:
            feed.yield(.request(id: header.id, request, common))
        }
    }
}
