import CarillonCore
import CarillonWire
import NIOCore

/// A handler that reads the frames of a client, answers its handshake, and passes the other frames to a test.
final class ScriptedPeerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let behaviour: ScriptedServer.PeerBehaviour
    private let events: AsyncStream<ScriptedPeer.Event>.Continuation
    private var unread: [UInt8] = []
    private var hasPreface = false
    private var output = FrameWriter()

    init(_ behaviour: ScriptedServer.PeerBehaviour, _ events: AsyncStream<ScriptedPeer.Event>.Continuation) {
        self.behaviour = behaviour
        self.events = events
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let helloAnswer = behaviour.helloAnswer else { return }
        unread += Array(unwrapInboundIn(data).readableBytesView)
        while readOne(helloAnswer) {}
        let bytes = output.take()
        if !bytes.isEmpty { context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        events.yield(.closed)
        events.finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func readOne(_ helloAnswer: HelloAnswer) -> Bool {
        if !hasPreface {
            guard unread.withUnsafeBytes({ Preface.read($0) }) == .accepted else { return false }
            unread.removeFirst(Preface.byteCount)
            hasPreface = true
            output.raw(Preface.serverBytes(choosing: 1))
            return true
        }
        guard let header = unread.withUnsafeBytes({ FrameHeader($0) }) else { return false }
        let total = FrameHeader.byteCount + Int(header.length)
        guard unread.count >= total else { return false }
        let payload = Array(unread[FrameHeader.byteCount..<total])
        unread.removeFirst(total)
        payload.withUnsafeBytes { bytes in
            do throws(WireError) {
                try frameReceived(header, payload: bytes, helloAnswer: helloAnswer)
            } catch {
                events.yield(.fault(error))
            }
        }
        return true
    }

    private func frameReceived(_ header: FrameHeader, payload: UnsafeRawBufferPointer, helloAnswer: HelloAnswer)
        throws(WireError)
    {
        guard header.kind == FrameKind.request.rawValue else {
            let control = try Control.decode(payload, of: header)
            if case .ping(let ping) = control, !ping.isAcknowledgement, behaviour.answersPings {
                return output.ping(Ping(isAcknowledgement: true, payload: ping.payload))
            }
            events.yield(.control(control))
            return
        }
        let (request, common) = try AnyRequest.decode(payload, of: header.opcode)
        switch request.operation {
        case is HelloRequest:
            output.answer(helloAnswer, to: HelloRequest.self, id: header.id)
        case let authentication as AuthenticateRequest where authentication.key == behaviour.key:
            let grants = [Grant(app: nil, roles: [.register, .send])]
            output.answer(
                AuthenticateAnswer(principal: "tester", grants: grants), to: AuthenticateRequest.self, id: header.id)
        case is AuthenticateRequest:
            let error = RequestError(.authenticationFailed, message: "the API key is not good")
            output.error(error, opcode: .authenticate, id: header.id)
        default:
            events.yield(.request(id: header.id, request, common))
        }
    }
}
