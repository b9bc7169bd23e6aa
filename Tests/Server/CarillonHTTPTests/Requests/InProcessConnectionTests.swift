import CarillonCore
import CarillonGateway
import CarillonTestKit
import NIOCore
import NIOEmbedded
import Testing

@testable import CarillonHTTP
@testable import CarillonWire

/// A connection within the process: its requests find their answers, whatever else the server does.
///
/// `a: [30]`: the call that is named a got an answer with this payload. `b: NOT_FOUND notExecuted`: it got an error.
final class InProcessConnectionTests {
    private let channel = EmbeddedChannel()
    private let connection: InProcessConnection
    private let opened: EventLoopFuture<Void>

    init() throws {
        let promise = channel.eventLoop.makePromise(of: Void.self)
        opened = promise.futureResult
        connection = InProcessConnection(key: Array("secret".utf8), gateway: Gateway(), opened: promise)
        try channel.pipeline.syncOperations.addHandler(connection)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    /// Closes the channel, which fails the requests that wait for an answer.
    deinit { channel.close(promise: nil) }

    /// Receives what the server writes.
    private func receive(_ write: (inout FrameWriter) -> Void) throws {
        var writer = FrameWriter()
        write(&writer)
        try channel.writeInbound(ByteBuffer(bytes: writer.take()))
    }

    /// Opens the connection as the server does that accepts the key.
    private func open() throws {
        try receive {
            $0.raw(Preface.serverBytes(choosing: Preface.version))
            $0.answer(HelloAnswer.scripted(), to: HelloRequest.self, id: 1)
            let answer = AuthenticateAnswer(principal: "tester", grants: [Grant(app: nil, roles: [.send])])
            $0.answer(answer, to: AuthenticateRequest.self, id: 2)
        }
        _ = try sent()
    }

    /// Returns the frames that were sent since the last call: `operation id`.
    private func sent() throws -> [String] {
        var bytes: [UInt8] = []
        while let next = try channel.readOutbound(as: ByteBuffer.self) { bytes += next.readableBytesView }
        if bytes.starts(with: Preface.clientBytes) { bytes.removeFirst(Preface.byteCount) }
        var frames: [String] = []
        while let header = bytes.withUnsafeBytes({ FrameHeader($0) }) {
            frames.append("\(header.opcode.name) \(header.id)")
            bytes.removeFirst(FrameHeader.byteCount + Int(header.length))
        }
        return frames
    }

    /// The ends of calls, in words and in order.
    private final class Ends {
        var words: [String] = []
    }

    /// Sends a request that is called `name` in `ends`.
    private func call(_ name: String, _ ends: Ends) {
        connection.call(.lookup, payload: [1], on: channel.eventLoop).assumeIsolated().whenComplete { result in
            switch result {
            case .success(let payload): ends.words.append("\(name): \(payload)")
            case .failure(let error as GatewayError): ends.words.append("\(name): \(error.code) \(error.effect)")
            case .failure(let error): ends.words.append("\(name): \(error)")
            }
        }
    }

    /// Receives an answer to LOOKUP with that payload.
    private func answer(_ id: UInt64, _ payload: [UInt8]) throws {
        try receive { $0.frame(.answer, opcode: .lookup, id: id) { $0.raw(payload) } }
    }

    @Test func `a connection sends HELLO and then its key`() throws {
        #expect(try sent() == ["hello 1"])
        try receive { $0.raw(Preface.serverBytes(choosing: Preface.version)) }
        try receive { $0.answer(HelloAnswer.scripted(), to: HelloRequest.self, id: 1) }
        #expect(try sent() == ["auth 2"])
        #expect(!connection.isUsable)
        let answer = AuthenticateAnswer(principal: "tester", grants: [])
        try receive { $0.answer(answer, to: AuthenticateRequest.self, id: 2) }
        #expect(connection.isUsable)
        #expect(String(decoding: connection.principalJSON, as: UTF8.self).contains(#""tester""#))
        try opened.wait()
    }

    @Test func `answers find their requests in any order`() throws {
        try open()
        let ends = Ends()
        for name in ["a", "b", "c"] { call(name, ends) }
        #expect(try sent() == ["lookup 3", "lookup 4", "lookup 5"])
        #expect(connection.outstandingCount == 3)
        try answer(5, [50])
        try answer(3, [30])
        try receive { $0.error(RequestError(.notFound, message: "no such device"), opcode: .lookup, id: 4) }
        try answer(4, [40])
        #expect(ends.words == ["c: [50]", "a: [30]", "b: NOT_FOUND notExecuted"])
        #expect(connection.outstandingCount == 0)
    }

    @Test func `a request without an answer may have had its effect`() throws {
        try open()
        let ends = Ends()
        call("a", ends)
        channel.embeddedEventLoop.advanceTime(by: .seconds(44))
        #expect(ends.words == [])
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(ends.words == ["a: TIMEOUT unknown"])
        // It comes too late, and is no answer to another.
        call("b", ends)
        try answer(3, [30])
        #expect(ends.words.count == 1)
    }

    @Test func `after a GOAWAY sent requests are answered and none is sent`() throws {
        try open()
        let ends = Ends()
        var isWithdrawn = false
        connection.onWithdrawal = { isWithdrawn = true }
        call("a", ends)
        try receive {
            $0.goAway(
                GoAway(
                    lastID: 3, code: .authenticationFailed, graceMilliseconds: 0, reconnectAfterMilliseconds: 0,
                    reason: ""))
        }
        #expect(isWithdrawn)
        call("b", ends)
        try answer(3, [30])
        #expect(ends.words == ["b: \(GatewayError.sessionEnded.code) notExecuted", "a: [30]"])
        #expect(try sent() == ["lookup 3"])
    }

    @Test func `requests that wait fail when the session ends`() throws {
        try open()
        let ends = Ends()
        call("a", ends)
        channel.close(promise: nil)
        #expect(ends.words.count == 1)
        #expect(!connection.isUsable)
        #expect(connection.outstandingCount == 0)
    }
}
