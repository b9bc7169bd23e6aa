import NIOCore
import NIOHTTP1

/// A service behind a port: it answers the requests. It runs on the loop of the port.
protocol HTTPService: AnyObject, Sendable {
    /// Returns the answer to the head alone, if the request is refused whatever its body is; nil if the body is wanted.
    func refusal(of head: HTTPRequest) -> HTTPResponse?
    /// Answers a whole request.
    func answer(to request: HTTPRequest, on loop: any EventLoop) -> EventLoopFuture<HTTPResponse>
    /// The fields that every answer of the port has.
    var commonHeaders: HTTPHeaders { get }
}
