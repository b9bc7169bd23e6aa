import NIOCore
import NIOEmbedded
import Testing

@testable import CarillonSimulatorControl

/// The responses of a control port, as a client reads them.
struct ControlResponseReaderTests {
    private let channel = EmbeddedChannel()
    private let responseReader = ControlResponseReader()

    init() throws { try channel.pipeline.syncOperations.addHandler(responseReader) }

    /// Sends a request, and returns its response.
    private func ask() -> EventLoopFuture<ControlClient.Response> {
        let promise = channel.embeddedEventLoop.makePromise(of: ControlClient.Response.self)
        responseReader.waiting.append(promise)
        return promise.futureResult
    }

    @Test(arguments: [
        (["STATS\n\n"], ["STATS"]), (["STA", "TS\n", "\n"], ["STATS"]), (["1\n2\n\n3\n\n"], ["1\n2", "3"]),
        (["1\n\n2", "\n", "\n"], ["1", "2"]), (["\n"], [""]), (["\n1\n\n"], ["", "1"]),
    ])
    func `a response ends with an empty line`(_ read: [String], _ expected: [String]) throws {
        let asked = expected.map { _ in ask() }
        for piece in read { try channel.writeInbound(ByteBuffer(string: piece)) }
        #expect(try asked.map { try $0.wait().text } == expected)
    }

    @Test func `the end of the connection fails requests without a response`() throws {
        let first = ask()
        let second = ask()
        try channel.writeInbound(ByteBuffer(string: "1\n\n2\n"))
        channel.pipeline.fireChannelInactive()
        #expect(try first.wait().text == "1")
        #expect(throws: ChannelError.eof) { try second.wait() }
    }
}
